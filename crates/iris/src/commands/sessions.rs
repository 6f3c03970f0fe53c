//! `iris sessions`: the conversations there are, and forgetting one.

pub mod find;

use clap::Subcommand;
use iris_api::Page;
use iris_api::session::{Removed, Session};
use iris_api::team::PartyRequest;
use iris_core::visible::visible;

use super::Context;
use crate::confirm::{Consent, confirm};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::moment;
use crate::printer::{Column, Table, Tone};
use find::{find, shortest};

/// Show the conversations, and forget one
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris sessions list --team backend
  iris sessions show 4f2a91c3        the first characters of an id are enough
  iris sessions delete 4f2a91c3      forget it and everything said in it")]
pub struct SessionsArguments {
    #[command(subcommand)]
    command: SessionsCommand,
}

impl SessionsArguments {
    pub fn deletes_one(&self) -> bool {
        matches!(self.command, SessionsCommand::Delete { .. })
    }
}

#[derive(Debug, Subcommand)]
enum SessionsCommand {
    /// List the sessions
    #[command(after_help = "\
Examples:
  iris sessions list
  iris sessions list --team backend
  iris sessions list --json | jq -r '.items[] | select(.state == \"idle\") | .id'")]
    List {
        /// Only those of this team
        #[arg(long, value_name = "T")]
        team: Option<String>,
    },
    /// Show one session
    #[command(after_help = "\
Examples:
  iris sessions show 4f2a91c3
  iris sessions show 4f2a91c3 --json")]
    Show {
        /// The session's id, or enough of its beginning
        id: String,
    },
    /// Forget a session and everything said in it
    #[command(after_help = "\
Examples:
  iris sessions delete 4f2a91c3          asks first
  iris sessions delete 4f2a91c3 --yes    does not; in a script, and with --json, it has to be said

A session with an agent is put to sleep first: iris sleep <team> --from <party>
What was said goes from the database, and with a scripted agent its conversation. What stays: that there was a session, when \
its turns ran and how they ended, and what was asked and decided (`iris audit export`). What Claude Code itself wrote down \
below ~/.claude is not touched.")]
    Delete {
        /// The session's id, or enough of its beginning
        id: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

pub async fn run(arguments: SessionsArguments, context: &mut Context) -> Result<Exit, Failure> {
    match arguments.command {
        SessionsCommand::List { team } => list(team.as_deref(), context).await,
        SessionsCommand::Show { id } => show(&id, context).await,
        SessionsCommand::Delete { id, yes } => delete(&id, Consent::from_flag(yes), context).await,
    }
}

async fn list(team: Option<&str>, context: &mut Context) -> Result<Exit, Failure> {
    let client = context.client();
    let all = client.sessions(None).await?;
    let of_team = |session: &&Session| team.is_none_or(|team| session.to == team);
    let mut chosen: Vec<Session> = all.iter().filter(of_team).cloned().collect();
    if chosen.is_empty() && team.is_some() {
        // It says so if there is no such team.
        client.sessions(team).await?;
    }
    chosen.sort_by_key(|session| std::cmp::Reverse(session.used_at));
    let printer = &mut context.printer;
    if printer.is_json() {
        printer.json(&Page { items: chosen, next: None })?;
    } else if chosen.is_empty() {
        let whom = team.unwrap_or("<team>");
        printer.line(format!("there is no session yet; the first tell makes one: iris tell {whom} 'hello'"))?;
    } else {
        printer.table(&table(&chosen, &all))?;
    }
    Ok(Exit::Done)
}

/// What is said when the session that was meant has nothing of what others of its team have; `have` is said
/// of one of those, and of several.
pub(super) fn nothing_here(team: &str, meant: &PartyRequest, what: &str, others: usize, have: [&str; 2]) -> String {
    let whose = meant.from_team.as_ref().map_or("your".to_owned(), |party| format!("{party}'s"));
    let others = match others {
        count if meant.all || count == 0 => return format!("{team} {what}"),
        1 => format!("1 other {}", have[0]),
        count => format!("{count} others {}", have[1]),
    };
    format!("{whose} session with {team} {what}; {others} (--from <party>, --all)")
}

/// `all` are those among which a shortened id must be unique.
pub fn table(sessions: &[Session], all: &[Session]) -> Table {
    let mut table = Table::new([
        Column::Left("SESSION"),
        Column::Left("FROM"),
        Column::Left("TEAM"),
        Column::Left("STATE"),
        Column::Right("TURNS"),
        Column::Right("QUEUED"),
    ]);
    for session in sessions {
        table.row([
            (Tone::Strong, shortest(&session.id, all)),
            (Tone::Plain, visible(&session.from).into_owned()),
            (Tone::Plain, session.to.clone()),
            (Tone::of_state(&session.state), state(session)),
            (Tone::Plain, session.turns.to_string()),
            (if session.queued > 0 { Tone::Busy } else { Tone::Faint }, session.queued.to_string()),
        ]);
    }
    table
}

/// An agent that thinks or waits for a tool says nothing for a while; from here on it is worth a word.
pub(super) const SILENT: i64 = 10_000;

/// A state is never shown without its age and the event it came from.
pub fn state(session: &Session) -> String {
    let mut state = format!("{} {} (event {})", session.state, moment::age(session.state_age_ms), session.state_event);
    if let Some(silent) = session.silent_ms.filter(|silent| *silent >= SILENT) {
        state.push_str(&format!(", silent for {}", moment::span(silent)));
    }
    if session.state == "stopped" && session.queued > 0 && session.held_until.is_none() {
        state.push_str(match session.waits_for.as_deref() {
            Some("team") => ", waits for its team, which is not in config.yaml any more",
            _ => ", waits for an agent",
        });
    }
    if session.scheduled > 0 {
        state.push_str(&format!(", {} put off", session.scheduled));
    }
    if session.background > 0 {
        state.push_str(&format!(", {} in the background", session.background));
    }
    if let Some(until) = session.held_until {
        state.push_str(&format!(", held until {}", moment::zoned(until)));
    }
    state
}

async fn show(id: &str, context: &mut Context) -> Result<Exit, Failure> {
    let session = find(&context.client(), id).await?;
    let printer = &mut context.printer;
    if printer.is_json() {
        printer.json(&session)?;
        return Ok(Exit::Done);
    }
    let mut pairs = vec![
        ("session", session.id.clone()),
        ("from", visible(&session.from).into_owned()),
        ("team", session.to.clone()),
        ("state", state(&session)),
        ("turns", session.turns.to_string()),
        ("queued", session.queued.to_string()),
    ];
    pairs.extend(session.running.clone().map(|turn| ("running", format!("turn {turn}"))));
    pairs.extend(session.held_why.clone().map(|why| ("held", why)));
    pairs.extend(session.fork_of.clone().map(|origin| ("copy of", origin)));
    pairs.extend(session.pid.map(|pid| ("process", pid.to_string())));
    pairs.extend([("created", moment::date(session.created_at)), ("used", moment::date(session.used_at))]);
    printer.pairs(&pairs)?;
    Ok(Exit::Done)
}

async fn delete(id: &str, consent: Consent, context: &mut Context) -> Result<Exit, Failure> {
    let client = context.client();
    let session = find(&client, id).await?;
    let question = format!(
        "forget the session from {} to {} and its {} turns?",
        visible(&session.from),
        session.to,
        session.turns
    );
    confirm(&mut context.printer, consent, &question)?;
    let removed: Removed = client.delete(&["sessions", &session.id]).await?;
    if context.printer.is_json() {
        context.printer.json(&removed)?;
    } else {
        context.printer.line(format!("forgot session {} and its {} turns", session.id, removed.turns))?;
    }
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(more: serde_json::Value) -> Session {
        let mut session = serde_json::json!({
            "id": "4f2a91c3", "from": "user", "to": "alpha", "state": "idle", "stateEvent": 1, "stateSince": 0,
            "stateAgeMs": 0, "queued": 0, "turns": 1, "createdAt": 0, "usedAt": 0,
        });
        session.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        serde_json::from_value(session).expect("a session")
    }

    #[test]
    fn what_waits_says_what_for() {
        let check = |waits_for: Option<&str>, expected: &str| {
            let waits = serde_json::json!({"state": "stopped", "queued": 2, "waitsFor": waits_for});
            let state = state(&session(waits));
            assert!(state.ends_with(expected), "{state}");
        };
        check(None, ", waits for an agent");
        check(Some("place"), ", waits for an agent");
        check(Some("team"), ", waits for its team, which is not in config.yaml any more");
    }

    /// Somebody of that name may have spoken before such names were refused.
    #[test]
    fn a_party_hides_nothing() {
        let session = session(serde_json::json!({"from": "a\u{202e}b"}));
        let all = [session];
        let table = format!("{:?}", table(&all, &all));
        assert!(table.contains(r"a\\u{202e}b"), "{table}");
    }
}
