//! What is wrong, worst first. Facts only.

use iris_api::question::Question;
use iris_api::status::{Status, StoreStatus};

use super::fleet::{End, Fleet};
use super::mood::blocks;
use crate::commands::monitor::text;
use crate::moment;

/// An agent that is at work and says nothing for so long may be stuck. As in the dashboard.
const QUIET_MS: i64 = 60_000;
/// A tool may take its time: a build, or tests. It is said when it has taken this long, and not as if the agent were stuck.
const LONG_CALL_MS: i64 = 5 * 60_000;
/// A failure older than this is history.
const FRESH_MS: i64 = 24 * 3_600_000;
/// So many of the same are counted and no longer named.
const MANY: usize = 3;
/// What went wrong is said to this length.
const LONGEST: usize = 300;

/// What is wrong, and what is said in its place if the same is wrong with several: of what it is counted.
struct Found {
    line: String,
    same: Option<(String, &'static str)>,
}

pub fn problems(status: Option<&Status>, fleet: &Fleet, open: &[Question], now: i64) -> Vec<String> {
    let of_daemon = status.map(of_daemon).unwrap_or_default();
    let of_daemon = of_daemon.into_iter().map(|line| Found { line, same: None });
    grouped(of_daemon.chain(of_sessions(fleet, open, now)).collect())
}

/// What is wrong with many in the same way is one line, in the place of the first. Two are named: here nothing can be unfolded.
fn grouped(found: Vec<Found>) -> Vec<String> {
    let mut groups: Vec<Vec<Found>> = Vec::new();
    for one in found {
        match groups.iter_mut().find(|group| one.same.is_some() && group[0].same == one.same) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    let lines = |group: Vec<Found>| match &group[0].same {
        Some((what, of)) if group.len() >= MANY => vec![format!("{what}: {} {of}", group.len())],
        _ => group.into_iter().map(|one| one.line).collect(),
    };
    groups.into_iter().flat_map(lines).collect()
}

fn of_sessions(fleet: &Fleet, open: &[Question], now: i64) -> Vec<Found> {
    let mut found = Vec::new();
    let mut sessions: Vec<_> = fleet.sessions.values().collect();
    sessions.sort_by_key(|known| std::cmp::Reverse((known.session.used_at, known.session.id.clone())));
    let ends = fleet.last_ends();
    for known in sessions {
        let session = &known.session;
        let name = format!("{} for {}", session.to, text::party(&session.from));
        if let Some(until) = session.held_until.filter(|until| *until > now) {
            let why = session.held_why.as_deref().unwrap_or("a limit was reached");
            let line = format!("{name} is paused until {}: {why}", moment::zoned(until));
            found.push(Found { line, same: Some((format!("paused: {why}"), "sessions")) });
        }
        let end = ends.get(session.id.as_str()).filter(|end| session.running.is_none() && now - end.at < FRESH_MS);
        // What somebody ended is as they wanted it.
        let is_bad = |end: &&End| {
            matches!(end.ending.as_str(), "failed" | "terminated") && end.reason.as_deref() != Some("stopped")
        };
        if let Some(end) = end.filter(is_bad) {
            let how = if end.ending == "failed" { "failed" } else { "ended early" };
            let why = end.error.as_deref().map(|why| text::headline(why, LONGEST));
            let said = why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
            let line = format!("{name}: the last turn {how} {} ago{said}", moment::age(now - end.at));
            let what = why.map_or(format!("the last turn {how}"), |why| format!("{how}: {why}"));
            found.push(Found { line, same: Some((what, "turns")) });
        }
        let is_at_work = session.state == "processing" && blocks(open, &session.id).is_none();
        let quiet = fleet.heard_at(known).filter(|_| is_at_work).map(|heard| now - heard);
        let in_call = fleet.is_in_call(session);
        if let Some(quiet) = quiet.filter(|quiet| *quiet > if in_call { LONG_CALL_MS } else { QUIET_MS }) {
            let (how, same) = if in_call {
                ("has waited for a tool for", "waiting for a tool for long")
            } else {
                ("is at work and has been quiet for", "at work and quiet")
            };
            let line = format!("{name} {how} {}", moment::age(quiet));
            found.push(Found { line, same: Some((same.to_owned(), "sessions")) });
        }
    }
    found
}

fn of_daemon(status: &Status) -> Vec<String> {
    let mut found = Vec::new();
    if let StoreStatus::Troubled { what, hint, .. } = &status.store {
        let hint = hint.as_deref().map(|hint| format!("; {hint}")).unwrap_or_default();
        found.push(format!("nothing can be written: {what}{hint}"));
    }
    found.extend(status.config.refused.iter().map(|why| format!("the config file as it is now is not used: {why}")));
    if status.waiting_sessions > 0 {
        let (waiting, agents, most) = (status.waiting_sessions, status.agents, status.max_agents);
        found.push(format!("{waiting} sessions wait for a place: {agents} of {most} agents are alive"));
    }
    found
}
