//! The demo: two teams of scripted agents in a scratch repository. Nothing of it is a model; everything in it happens.

mod clean;
mod own;

use std::path::Path;
use std::process::Stdio;

use iris_api::session::Session;
use iris_api::turn::{TellRequest, TellResponse};
use iris_core::fault::FaultKind;
use iris_core::team::TeamName;
use iris_engine::config;
use iris_engine::home::Home;
use serde_json::json;
use tokio::process::Command;

use crate::client::Client;
use crate::commands::Context;
use crate::commands::teams::in_force;
use crate::config_file::{self, Additions};
use crate::failure::Failure;
use crate::place;
pub use clean::{Cleaned, clean};
use own::Ground;

struct Member {
    name: &'static str,
    about: &'static str,
    file: &'static str,
    script: &'static str,
}

impl Member {
    fn team(&self) -> TeamName {
        self.name.parse().expect("the demo's names are names")
    }
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
const README: &str = "# The demo shop\n\nMade by `iris up --demo`, made anew by the next one, and taken\naway whole by `iris demo clean`, with whatever you put here.\n";
/// Running it leaves these behind, which nobody wants to commit.
const IGNORED: &str = "__pycache__/\n";

/// The user's own settings of git.
const NOTHING: &str = "/dev/null";

/// What is in the way, before anything is changed: what has the demo's names and is not the demo's.
pub async fn look(context: &Context) -> Result<(), Failure> {
    in_force::refuse_unsettled(context).await?;
    let file = Home::at(&context.home).config();
    config_file::refuse_lost(&file)?;
    let config = config::load(&file)?;
    Ground::at(&context.home).refuse_strangers(&config)?;
    git(Path::new("/"), &["--version"]).await
}

/// Who set the demo going.
#[derive(Debug, PartialEq, Eq)]
pub enum Ensured {
    Begun,
    WasAtWork,
}

/// Sets it going unless it is at work. Of several who do so at once the first begins it, and the others find it.
pub async fn ensure(context: &Context) -> Result<Ensured, Failure> {
    let _held = Home::at(&context.home).lock_demo()?;
    if is_at_work(context).await? {
        return Ok(Ensured::WasAtWork);
    }
    prepare(context).await?;
    begin(context).await?;
    Ok(Ensured::Begun)
}

/// Makes what is not there, once a daemon serves. A demo that was played before is played again from its beginning.
async fn prepare(context: &Context) -> Result<(), Failure> {
    let ground = Ground::at(&context.home);
    let file = Home::at(&context.home).config();
    let known = config::load(&file)?;
    if !ground.is_there(&known) {
        refuse_conversations(context).await?;
    }
    let failed = |error: std::io::Error| Failure::of_file(format!("{}: {error}", place::shown(&ground.folder)), &error);
    // Marked before anything is in it, so that what was broken off can be taken away.
    ground.mark().map_err(failed)?;
    let shop = &ground.shop;
    if shop.exists() {
        std::fs::remove_dir_all(shop).map_err(failed)?;
    }
    std::fs::create_dir_all(shop).and_then(|()| std::fs::create_dir_all(&ground.scripts)).map_err(failed)?;
    for (name, text) in [("price.py", PRICE), ("README.md", README), (".gitignore", IGNORED)] {
        std::fs::write(shop.join(name), text).map_err(failed)?;
    }
    git(shop, &["init", "-q", "-b", "main"]).await?;
    if !shop.join(".git").is_dir() {
        // What is committed next would end up in somebody else's repository.
        return Err(Failure::internal(format!("git made no repository in {}", place::shown(shop))));
    }
    for arguments in [
        &["config", "user.name", "Iris demo"][..],
        &["config", "user.email", "demo@localhost"],
        &["add", "-A"],
        &["commit", "-q", "-m", "The demo shop"],
    ] {
        git(shop, arguments).await?;
    }
    for member in &MEMBERS {
        std::fs::write(ground.script(member), member.script).map_err(failed)?;
    }
    let missing: Vec<_> = MEMBERS.iter().filter(|member| !known.teams.contains_key(&member.team())).collect();
    if missing.len() == MEMBERS.len() {
        let before = config::read_text(&file)?.unwrap_or_default();
        ground.keep_config(&before).map_err(failed)?;
    }
    config_file::add_all(&file, &additions(&ground, missing))
}

fn additions<'a>(ground: &Ground, members: impl IntoIterator<Item = &'a Member>) -> Additions {
    let teams = members.into_iter().map(|member| {
        let keys = [
            ("path", json!(ground.shop)),
            ("agent", json!("scripted")),
            ("script", json!(ground.script(member))),
            ("description", json!(member.about)),
            ("grantPermission", json!("ask")),
            // Nobody's own hooks and keys take part, as in `git` below.
            ("env", json!({ "GIT_CONFIG_GLOBAL": NOTHING, "GIT_CONFIG_SYSTEM": NOTHING })),
        ];
        (member.team(), keys.map(|(key, value)| (key.to_owned(), value)).to_vec())
    });
    Additions { teams: teams.collect(), settings: Vec::new() }
}

/// Those with one of its teams; none if nobody knows that team.
async fn conversations(client: &Client, team: &str) -> Result<Vec<Session>, Failure> {
    match client.sessions(Some(team)).await {
        Err(error) if error.is_not_found() => Ok(Vec::new()),
        found => Ok(found?),
    }
}

/// A team that is gone keeps its conversations. The demo must not go on with one, nor take it away in the end.
async fn refuse_conversations(context: &Context) -> Result<(), Failure> {
    for member in &MEMBERS {
        if !conversations(&context.client(), member.name).await?.is_empty() {
            let what = format!("there are conversations with a team '{}' that is not the demo's", member.name);
            return Err(Failure::fault(FaultKind::Conflict, what).hint(
                "try the demo in a home of its own: `iris --home /tmp/iris-demo up --demo --port 0`; or forget them: `iris \
                 sessions delete`",
            ));
        }
    }
    Ok(())
}

async fn git(folder: &Path, arguments: &[&str]) -> Result<(), Failure> {
    let mut git = Command::new("git");
    // The repository is ours, and so is everything git may read: nobody's own settings and hooks take part.
    git.args(arguments).current_dir(folder).stdin(Stdio::null());
    // Nor does a repository that a variable leads to, as GIT_DIR does in a hook or for who works with a bare one.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"GIT_")) {
        git.env_remove(name);
    }
    git.env("GIT_CONFIG_GLOBAL", NOTHING).env("GIT_CONFIG_SYSTEM", NOTHING);
    let ended = git.output().await.map_err(|error| {
        Failure::fault(FaultKind::Unsupported, format!("git cannot be run ({error})")).hint("the demo needs git")
    })?;
    if ended.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ended.stderr);
    let what = format!("git {} failed: {said}", arguments.join(" "));
    // In the words of the system, whose number git does not hand on.
    Err(match said.contains("No space left on device") {
        true => Failure::fault(FaultKind::Unavailable, what).hint("free some space, and try again"),
        false => Failure::internal(what),
    })
}

/// Whether it was begun and has not ended: making it anew would take the ground from under its agents.
async fn is_at_work(context: &Context) -> Result<bool, Failure> {
    let config = config::load(&Home::at(&context.home).config())?;
    let is_there = Ground::at(&context.home).teams(&config).next().is_some();
    if !is_there {
        return Ok(false);
    }
    let sessions = conversations(&context.client(), MEMBERS[0].name).await?;
    Ok(sessions.iter().any(|session| session.queued > 0 || !["idle", "stopped"].contains(&session.state.as_str())))
}

/// Sets the demo going, once the daemon knows the teams.
async fn begin(context: &Context) -> Result<(), Failure> {
    in_force::wait(context, |teams| MEMBERS.iter().all(|member| teams.contains(&member.name))).await?;
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
