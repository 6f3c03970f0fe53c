//! The conformance suite of the protocol against our real router, auth and sessions, with the suite's own fixtures in
//! place of Iris's tools.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use iris_engine::config::Config;
use iris_engine::home::Home;
use iris_engine::{Engine, tasks};
use iris_server::Doors;
use iris_testing::fixtures::Fixtures;
use iris_testing::{outside, proxy};
use serde_json::Value;
use tempfile::TempDir;
use tokio::net::TcpListener;

const PATIENCE: Duration = Duration::from_secs(180);

#[tokio::test(flavor = "multi_thread")]
async fn the_older_revision_is_spoken_as_its_suite_wants_it() -> Result<()> {
    conforms("2025-11-25", 33, 83).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newer_revision_is_spoken_as_its_suite_wants_it() -> Result<()> {
    conforms("2026-07-28", 50, 197).await
}

/// Every check passes, and none was left out: the suite is pinned, so their number is known.
async fn conforms(revision: &str, scenarios: usize, checks: usize) -> Result<()> {
    let Some(node) = outside::Node::find() else { return Ok(()) };
    let world = serve_fixtures().await?;
    let results = tempfile::tempdir()?;
    let mut suite = node.script("@modelcontextprotocol/conformance/dist/index.js");
    suite.args(["server", "--url", &format!("http://{}/mcp", world.door), "--requirements", revision, "-o"]);
    suite.arg(results.path());
    let said = match outside::output(suite, PATIENCE).await {
        Ok(said) => said,
        Err(error) => format!("{error:#}"),
    };
    let found = read(results.path())?;
    let bad: Vec<_> = found.iter().filter(|check| !check.is_good()).collect();
    ensure!(bad.is_empty(), "{bad:#?}\n{said}");
    let counted = found.iter().filter(|check| check.status == "SUCCESS").count();
    let names: std::collections::BTreeSet<_> = found.iter().map(|check| &check.scenario).collect();
    ensure!((names.len(), counted) == (scenarios, checks), "{} scenarios, {counted} checks\n{said}", names.len());
    Ok(())
}

struct World {
    /// Where the suite, which has no token, comes in.
    door: SocketAddr,
    _home: TempDir,
}

async fn serve_fixtures() -> Result<World> {
    let home = tempfile::tempdir()?;
    let prepared = Home::prepare(home.path())?;
    let token = prepared.token()?;
    let engine = Engine::start(prepared, Config::default()).await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let fixtures = Fixtures::default();
    let never = std::future::pending();
    let handler = move || fixtures.clone();
    tasks::spawn("server", iris_server::serve_fixtures(engine, Doors::plain(listener), never, handler));
    Ok(World { door: proxy::start(address, &token).await?, _home: home })
}

#[derive(Debug)]
struct Check {
    scenario: String,
    status: String,
    #[expect(dead_code, reason = "shown when a check fails")]
    what: String,
}

impl Check {
    fn is_good(&self) -> bool {
        matches!(self.status.as_str(), "SUCCESS" | "INFO" | "SKIPPED")
    }
}

/// The suite writes a folder for each scenario.
fn read(results: &Path) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for folder in std::fs::read_dir(results)? {
        let folder = folder?.path();
        let file = folder.join("checks.json");
        let text = std::fs::read_to_string(&file).with_context(|| format!("{} can be read", file.display()))?;
        let scenario = folder.file_name().context("a name")?.to_string_lossy().into_owned();
        for check in serde_json::from_str::<Vec<Value>>(&text)? {
            let text = |name: &str| check[name].as_str().unwrap_or_default().to_owned();
            let what = format!("{}: {}", text("id"), text("errorMessage"));
            checks.push(Check { scenario: scenario.clone(), status: text("status"), what });
        }
    }
    Ok(checks)
}
