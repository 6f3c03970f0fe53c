//! What is wrong, worst first. Facts only.

use iris_api::question::Question;
use iris_api::status::{Status, StoreStatus};

use super::fleet::{End, Fleet, asks};
use crate::moment;

/// An agent that is at work and says nothing for so long may be stuck.
const QUIET_MS: i64 = 2 * 60_000;
/// A failure older than this is history.
const FRESH_MS: i64 = 24 * 3_600_000;

pub fn problems(status: Option<&Status>, fleet: &Fleet, open: &[Question], now: i64) -> Vec<String> {
    let mut found: Vec<String> = status.map(of_daemon).unwrap_or_default();
    let mut sessions: Vec<_> = fleet.sessions.values().collect();
    sessions.sort_by_key(|known| std::cmp::Reverse((known.session.used_at, known.session.id.clone())));
    let ends = fleet.last_ends();
    for known in sessions {
        let session = &known.session;
        let name = format!("{} for {}", session.to, session.from);
        if let Some(until) = session.held_until.filter(|until| *until > now) {
            let why = session.held_why.as_deref().unwrap_or("a limit was reached");
            found.push(format!("{name} is paused until {}: {why}", moment::clock(until)));
        }
        let end = ends.get(session.id.as_str()).filter(|end| session.running.is_none() && now - end.at < FRESH_MS);
        // What somebody ended is as they wanted it.
        let is_bad = |end: &&End| {
            matches!(end.ending.as_str(), "failed" | "terminated") && end.reason.as_deref() != Some("stopped")
        };
        if let Some(end) = end.filter(is_bad) {
            let how = if end.ending == "failed" { "failed" } else { "ended early" };
            found.push(format!("{name}: the last turn {how} {} ago", moment::age(now - end.at)));
        }
        let heard = (now - known.age(now)).max(fleet.heard_at(&session.id).unwrap_or(0));
        let is_quiet = session.state == "processing" && now - heard > QUIET_MS;
        if is_quiet && asks(open, &session.id).is_none() {
            found.push(format!("{name} is at work and has been quiet for {}", moment::age(now - heard)));
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
