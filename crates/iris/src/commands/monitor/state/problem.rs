//! What is wrong, worst first. Facts only.

use iris_api::question::Question;
use iris_api::status::{Status, StoreStatus};

use super::fleet::{End, Fleet};
use super::mood::blocks;
use crate::commands::monitor::text;
use crate::moment;

/// An agent that is at work and says nothing for so long may be stuck. As in the dashboard.
const QUIET_MS: i64 = 60_000;
/// A failure older than this is history.
const FRESH_MS: i64 = 24 * 3_600_000;
/// What went wrong is said to this length.
const LONGEST: usize = 300;

pub fn problems(status: Option<&Status>, fleet: &Fleet, open: &[Question], now: i64) -> Vec<String> {
    let mut found: Vec<String> = status.map(of_daemon).unwrap_or_default();
    let mut sessions: Vec<_> = fleet.sessions.values().collect();
    sessions.sort_by_key(|known| std::cmp::Reverse((known.session.used_at, known.session.id.clone())));
    let ends = fleet.last_ends();
    for known in sessions {
        let session = &known.session;
        let name = format!("{} for {}", session.to, text::party(&session.from));
        if let Some(until) = session.held_until.filter(|until| *until > now) {
            let why = session.held_why.as_deref().unwrap_or("a limit was reached");
            found.push(format!("{name} is paused until {}: {why}", moment::zoned(until)));
        }
        let end = ends.get(session.id.as_str()).filter(|end| session.running.is_none() && now - end.at < FRESH_MS);
        // What somebody ended is as they wanted it.
        let is_bad = |end: &&End| {
            matches!(end.ending.as_str(), "failed" | "terminated") && end.reason.as_deref() != Some("stopped")
        };
        if let Some(end) = end.filter(is_bad) {
            let how = if end.ending == "failed" { "failed" } else { "ended early" };
            let why = end.error.as_deref().map(|why| format!(": {}", text::headline(why, LONGEST))).unwrap_or_default();
            found.push(format!("{name}: the last turn {how} {} ago{why}", moment::age(now - end.at)));
        }
        let is_at_work = session.state == "processing" && blocks(open, &session.id).is_none();
        let quiet = fleet.heard_at(known).filter(|_| is_at_work).map(|heard| now - heard);
        if let Some(quiet) = quiet.filter(|quiet| *quiet > QUIET_MS) {
            found.push(format!("{name} is at work and has been quiet for {}", moment::age(quiet)));
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
