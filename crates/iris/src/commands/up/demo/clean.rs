//! Taking the demo away: its conversations, its teams, its files, and nothing else.

use std::path::Path;
use std::time::Duration;

use iris_api::rule::Rules;
use iris_api::session::{Removed, Session};
use iris_api::team::{PartyRequest, SleepResponse};
use iris_api::turn::{Turn, TurnCancelled};
use iris_core::fault::FaultKind;
use iris_engine::config;
use iris_engine::home::Home;
use tokio::time::Instant;

use super::own::Ground;
use super::{MEMBERS, Member, additions, conversations};
use crate::client::{Client, ClientError};
use crate::commands::teams::in_force;
use crate::commands::{Context, down, mcp};
use crate::config_file;
use crate::failure::Failure;
use crate::place;

#[derive(Debug, PartialEq, Eq)]
pub enum Cleaned {
    /// There was no demo.
    Nothing,
    All,
    /// All that was the demo's; in its folder is something else.
    ButForeignFiles,
}

/// Conversations are the daemon's, so there has to be one; if none runs, one is started for it. Of several who clean at once
/// one does, and the others find nothing: what there is, and whether a daemon runs, is asked anew once one's turn has come.
pub async fn clean(context: &mut Context) -> Result<Cleaned, Failure> {
    in_force::refuse_other_home(context).await?;
    let (client, ground) = (context.client(), Ground::at(&context.home));
    if !client.finds_a_daemon() && !is_there(&ground, context)? {
        return Ok(Cleaned::Nothing);
    }
    let _held = Home::prepare(&context.home)?.lock_demo()?;
    in_force::refuse_unsettled(context).await?;
    if !is_there(&ground, context)? {
        return Ok(Cleaned::Nothing);
    }
    let was_there = client.finds_a_daemon();
    if !was_there {
        context.printer.wait_for("starting iris to forget the demo's conversations");
        mcp::start::ensure(&client, &context.home, &["--port", "0"]).await?;
    }
    let cleaned = take_away(context, &ground).await;
    if !was_there {
        down::end(context, down::Patience::Usual).await?;
    }
    cleaned
}

fn is_there(ground: &Ground, context: &Context) -> Result<bool, Failure> {
    Ok(ground.is_there(&config::load(&Home::at(&context.home).config())?))
}

async fn take_away(context: &Context, ground: &Ground) -> Result<Cleaned, Failure> {
    let config = &config::load(&Home::at(&context.home).config())?;
    let client = context.client();
    let teams: Vec<&'static Member> = ground.teams(config).collect();
    for member in &MEMBERS {
        // One that a user took the name for is left alone, and so is what was said to it.
        let is_foreign = config.teams.contains_key(&member.team()) && !teams.iter().any(|own| own.name == member.name);
        if !is_foreign {
            let forgotten = forget_conversations(&client, member.name);
            context.printer.indicator().notice("ending the demo's agents", forgotten).await?;
            revoke_rules(&client, member.name).await?;
        }
    }
    remove_teams(&Home::at(&context.home).config(), ground, &teams)?;
    let taken_up = in_force::wait(context, |names| teams.iter().all(|member| !names.contains(&member.name))).await;
    let failed = |error| Failure::of_file(format!("{}: {error}", place::shown(&ground.folder)), &error);
    let cleaned = remove_files(ground).map_err(failed)?;
    taken_up.map(|()| cleaned)
}

/// If nobody has changed the file since they came, it is left as it was found.
fn remove_teams(file: &Path, ground: &Ground, teams: &[&'static Member]) -> Result<(), Failure> {
    let before = std::fs::read_to_string(&ground.config).ok().filter(|_| teams.len() == MEMBERS.len());
    if let Some(before) = before
        && config_file::put_back(file, &before, &additions(ground, &MEMBERS))?
    {
        return Ok(());
    }
    teams.iter().try_for_each(|member| config_file::remove_team(file, &member.team()))
}

/// Those of conversations that are forgotten went with them. One may have outlived its conversation, if a person deleted
/// that; it would answer the next demo's questions.
async fn revoke_rules(client: &Client, team: &str) -> Result<(), Failure> {
    let found: Rules = client.get(&["rules"], &[]).await?;
    for rule in found.rules.iter().filter(|rule| rule.team == team) {
        client.delete::<Rules>(&["rules", &rule.id]).await?;
    }
    Ok(())
}

/// How long an agent may take to end.
const PATIENCE: Duration = Duration::from_secs(20);

async fn forget_conversations(client: &Client, team: &str) -> Result<(), Failure> {
    let began = Instant::now();
    loop {
        let sessions = conversations(client, team).await?;
        if sessions.is_empty() {
            return Ok(());
        }
        for session in &sessions {
            cancel_turns(client, session).await?;
        }
        let sleep = PartyRequest { force: true, all: true, ..PartyRequest::default() };
        // A team that is in the config no longer cannot be put to sleep, and mostly sleeps already.
        client.post::<SleepResponse>(&["teams", team, "sleep"], &sleep).await.ok();
        for session in &sessions {
            match client.delete_with::<Removed>(&["sessions", &session.id], &[("record", "forget".to_owned())]).await {
                Err(ClientError::Refused(problem)) if problem.kind == "conflict" => {}
                Err(error) => return Err(error.into()),
                Ok(_) => {}
            }
        }
        if began.elapsed() > PATIENCE {
            let what = format!("{team} is still at work, so the demo could not be taken away");
            return Err(Failure::fault(FaultKind::Conflict, what).hint("`iris down`, then `iris demo clean` again"));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Also what is put off to a time, which the session does not count as queued, and what runs: the agent of a team that is in
/// the config no longer ends with its turn, which may wait for an answer for half an hour.
async fn cancel_turns(client: &Client, session: &Session) -> Result<(), Failure> {
    let turns: Vec<Turn> = client.all(&["sessions", &session.id, "turns"], &[]).await?;
    for turn in turns.iter().filter(|turn| turn.finished_at.is_none()) {
        // It may be over meanwhile.
        client.post::<TurnCancelled>(&["turns", &turn.id, "cancel"], &()).await.ok();
    }
    Ok(())
}

/// The repository goes whole; of the rest only the files that were made.
fn remove_files(ground: &Ground) -> std::io::Result<Cleaned> {
    use std::io::ErrorKind;
    let gone = |removed: std::io::Result<()>| match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
        Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => Ok(false),
        removed => removed.map(|()| true),
    };
    gone(std::fs::remove_dir_all(&ground.shop))?;
    for member in &MEMBERS {
        gone(std::fs::remove_file(ground.script(member)))?;
    }
    gone(std::fs::remove_file(&ground.config))?;
    gone(std::fs::remove_file(&ground.mark))?;
    let is_all = gone(std::fs::remove_dir(&ground.scripts))? & gone(std::fs::remove_dir(&ground.folder))?;
    Ok(if is_all { Cleaned::All } else { Cleaned::ButForeignFiles })
}
