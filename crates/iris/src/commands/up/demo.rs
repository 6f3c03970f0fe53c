//! The demo: two teams of scripted agents in a scratch repository. Nothing of it is a model; everything in it happens.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use iris_api::Page;
use iris_api::session::{Removed, Session};
use iris_api::team::SleepResponse;
use iris_api::turn::{TellRequest, TellResponse};
use iris_core::fault::FaultKind;
use iris_core::team::TeamName;
use iris_engine::config;
use iris_engine::home::Home;
use serde_json::json;
use tokio::process::Command;

use crate::commands::Context;
use crate::commands::teams::add::wait_until_in_force;
use crate::config_file;
use crate::failure::Failure;
use crate::place;

struct Member {
    name: &'static str,
    about: &'static str,
    file: &'static str,
    script: &'static str,
}

const MEMBERS: [Member; 2] = [
    Member {
        name: "demo-lead",
        about: "DEMO: plans, asks the coder, asks you",
        file: "lead.yaml",
        script: include_str!("demo/lead.yaml"),
    },
    Member {
        name: "demo-coder",
        about: "DEMO: writes the code, and dies once on purpose",
        file: "coder.yaml",
        script: include_str!("demo/coder.yaml"),
    },
];

const PRICE: &str = "\"\"\"Prices of the demo shop.\"\"\"\n\n\ndef total(items):\n    return sum(items)\n";
const README: &str = "# The demo shop\n\nMade by `iris up --demo`, taken away by `iris demo clean`.\n";

fn folder(home: &Path) -> PathBuf {
    home.join("demo")
}

/// Makes what is not there. A demo that was played before is played again from its beginning.
pub async fn prepare(context: &Context) -> Result<(), Failure> {
    let folder = folder(&context.home);
    let (shop, scripts) = (folder.join("shop"), folder.join("scripts"));
    let failed = |error: std::io::Error| Failure::invalid(format!("{}: {error}", place::shown(&folder)));
    if shop.exists() {
        std::fs::remove_dir_all(&shop).map_err(failed)?;
    }
    std::fs::create_dir_all(&shop).and_then(|()| std::fs::create_dir_all(&scripts)).map_err(failed)?;
    std::fs::write(shop.join("price.py"), PRICE).map_err(failed)?;
    std::fs::write(shop.join("README.md"), README).map_err(failed)?;
    for arguments in [
        &["init", "-q", "-b", "main"][..],
        &["config", "user.name", "Iris demo"],
        &["config", "user.email", "demo@localhost"],
        &["add", "-A"],
        &["commit", "-q", "-m", "The demo shop"],
    ] {
        git(&shop, arguments).await?;
    }
    let file = Home::at(&context.home).config();
    let known = config::load(&file)?;
    for member in &MEMBERS {
        let script = scripts.join(member.file);
        std::fs::write(&script, member.script).map_err(failed)?;
        let name: TeamName = member.name.parse()?;
        if !known.teams.contains_key(&name) {
            let keys = [
                ("path", json!(shop)),
                ("agent", json!("scripted")),
                ("script", json!(script)),
                ("description", json!(member.about)),
                ("grantPermission", json!("ask")),
            ];
            config_file::add_team(&file, &name, &keys.map(|(key, value)| (key.to_owned(), value)))?;
        }
    }
    Ok(())
}

async fn git(folder: &Path, arguments: &[&str]) -> Result<(), Failure> {
    let mut git = Command::new("git");
    // The repository is ours, and so is everything git may read: nobody's own settings and hooks take part.
    git.args(arguments).current_dir(folder).stdin(Stdio::null());
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let ended = git.output().await.map_err(|error| {
        Failure::fault(FaultKind::Unsupported, format!("git cannot be run ({error})")).hint("the demo needs git")
    })?;
    if ended.status.success() {
        return Ok(());
    }
    Err(Failure::internal(format!("git {} failed: {}", arguments.join(" "), String::from_utf8_lossy(&ended.stderr))))
}

/// Sets the demo going, once the daemon knows the teams.
pub async fn begin(context: &Context) -> Result<(), Failure> {
    wait_until_in_force(context, |teams| MEMBERS.iter().all(|member| teams.contains(&member.name))).await;
    let tell = TellRequest {
        to_team: MEMBERS[0].name.to_owned(),
        message: "Please give the shop a discount.".to_owned(),
        from_team: None,
        timeout: Some(-1),
        key: None,
        delay: None,
    };
    context.client().post::<TellResponse>(&["teams", "tell"], &tell).await?;
    Ok(())
}

/// Takes everything away again. Returns whether there was anything.
pub async fn clean(context: &Context) -> Result<bool, Failure> {
    let client = context.client();
    if client.finds_a_daemon() {
        forget_conversations(context).await?;
    }
    let file = Home::at(&context.home).config();
    let mut found = false;
    for member in &MEMBERS {
        let name: TeamName = member.name.parse()?;
        if config::load(&file)?.teams.contains_key(&name) {
            config_file::remove_team(&file, &name)?;
            found = true;
        }
    }
    wait_until_in_force(context, |teams| MEMBERS.iter().all(|member| !teams.contains(&member.name))).await;
    let folder = folder(&context.home);
    if folder.exists() {
        let failed = |error: std::io::Error| Failure::invalid(format!("{}: {error}", place::shown(&folder)));
        std::fs::remove_dir_all(&folder).map_err(failed)?;
        found = true;
    }
    Ok(found)
}

async fn forget_conversations(context: &Context) -> Result<(), Failure> {
    let client = context.client();
    for member in &MEMBERS {
        let sleep = json!({ "force": true, "all": true });
        // A team that is not there has nothing to forget.
        if client.post::<SleepResponse>(&["teams", member.name, "sleep"], &sleep).await.is_err() {
            continue;
        }
        let query = [("team", member.name.to_owned())];
        let page: Page<Session> = client.get(&["sessions"], &query).await?;
        for session in &page.items {
            client.delete::<Removed>(&["sessions", &session.id]).await?;
        }
    }
    Ok(())
}
