//! Finding the session that a few characters mean.

use iris_api::session::Session;
use iris_api::team::TeamStatus;
use iris_core::fault::FaultKind;

use crate::client::{Client, ClientError};
use crate::failure::{Failure, Why};

/// How much of an id is shown if that is unique.
const SHOWN: usize = 8;

pub async fn find(client: &Client, id: &str) -> Result<Session, Failure> {
    match choose(id, client.sessions(None).await?) {
        Err(failure) => Err(with_team(client, id, failure).await),
        found => found,
    }
}

/// The conversation of a party with a team of that name, if the team was told anything.
pub fn with_party<'a>(all: &'a [Session], team: &str, party: &str) -> Option<Result<&'a Session, Failure>> {
    let mut of_team = all.iter().filter(|session| session.to == team).peekable();
    let other = *of_team.peek()?;
    Some(of_team.find(|session| session.from == party).ok_or_else(|| {
        let message = format!("{party} has told {team} nothing yet");
        Failure::fault(FaultKind::NotFound, message)
            .hint(format!("others have: iris cache inspect {team} --from {}", other.from))
    }))
}

/// A session that is not there, where a team was named or may have been meant.
pub async fn with_team(client: &Client, id: &str, failure: Failure) -> Failure {
    if failure.why != Why::Fault(FaultKind::NotFound) {
        return failure;
    }
    let hint = match client.get::<TeamStatus>(&["teams", id, "status"], &[]).await {
        Ok(_) => Some(format!("{id} is a team; its sessions: `iris sessions list --team {id}`")),
        Err(ClientError::Refused(problem)) => problem.hint.filter(|hint| hint.starts_with("did you mean")),
        Err(_) => None,
    };
    Failure { hint: hint.or(failure.hint), ..failure }
}

/// The beginning of an id that no other session has too.
pub fn shortest(id: &str, all: &[Session]) -> String {
    let length = (SHOWN..id.len()).find(|length| match id.get(..*length) {
        Some(beginning) => all.iter().filter(|other| other.id.starts_with(beginning)).count() <= 1,
        None => false,
    });
    id[..length.unwrap_or(id.len())].to_owned()
}

pub fn choose(id: &str, all: Vec<Session>) -> Result<Session, Failure> {
    let meant = |session: &Session| !id.is_empty() && session.id.starts_with(&id.to_lowercase());
    let mut found: Vec<Session> = all.into_iter().filter(meant).collect();
    if let Some(exact) = found.iter().position(|session| session.id == id) {
        return Ok(found.swap_remove(exact));
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(Failure::fault(FaultKind::NotFound, format!("there is no session {id}"))
            .hint("run `iris sessions list` to see what there is")),
        count => {
            let some: Vec<&str> = found.iter().take(3).map(|session| session.id.as_str()).collect();
            Err(Failure::invalid(format!("{id} is the beginning of {count} sessions"))
                .hint(format!("write more of it: {}", some.join(", "))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(id: &str) -> Session {
        Session {
            id: id.to_owned(),
            from: "user".to_owned(),
            to: "alpha".to_owned(),
            state: "idle".to_owned(),
            state_event: 1,
            state_since: 0,
            state_age_ms: 0,
            silent_ms: None,
            state_source: None,
            last: None,
            pid: None,
            running: None,
            waits_for: None,
            queued: 0,
            turns: 0,
            background: 0,
            scheduled: 0,
            fork_of: None,
            held_until: None,
            held_why: None,
            created_at: 0,
            used_at: 0,
        }
    }

    fn check(id: &str, expected: Result<&str, &str>) {
        let all = ["abc-1", "abc-2", "abd-1", "ab"].map(session).to_vec();
        let found = choose(id, all).map(|session| session.id).map_err(|failure| failure.message);
        assert_eq!(found.as_deref().map_err(String::as_str), expected, "{id}");
    }

    #[test]
    fn a_beginning_is_enough_if_it_is_the_only_one() {
        check("abc-1", Ok("abc-1"));
        check("abd", Ok("abd-1"));
        check("ABD", Ok("abd-1"));
        check("ab", Ok("ab"));
        check("abc", Err("abc is the beginning of 2 sessions"));
        check("x", Err("there is no session x"));
        check("", Err("there is no session "));
    }

    #[test]
    fn a_shown_id_finds_its_session() {
        let all = ["12345678-aa", "12345678-ab", "99999999-aa"].map(session);
        assert_eq!(shortest("12345678-ab", &all), "12345678-ab");
        assert_eq!(shortest("99999999-aa", &all), "99999999");
    }
}
