//! When what an agent says at the end of a turn may become a question, so that agents that answer each other cannot
//! keep Iris busy for ever. All three must hold: who said it, how often lately, and in what kind of turn.

/// The party that Iris's own assistant speaks as. What is said to it is not looked at.
pub const IRIS: &str = "iris-agent";
/// So many questions may be found in a session before it has to calm down.
pub const DEEPEST: i64 = 5;
/// One is forgotten in this time.
pub const DECAY_MS: i64 = 60_000;

/// A turn that has ended, as far as it matters here.
#[derive(Clone, Copy, Debug)]
pub struct Ended<'a> {
    /// Whoever speaks in the session.
    pub party: &'a str,
    pub team: &'a str,
    pub outcome: TurnKind,
    /// How many questions were found in the session and not forgotten yet, and how long ago the last was.
    pub depth: i64,
    pub since_last_ms: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnKind {
    /// The agent has answered whoever told it.
    Reply,
    /// Anything else: a failure, a turn that was broken off, one that the agent started by itself.
    Other,
}

/// Whether the reply may be looked at. `enabled_for`: names of teams, or `*`.
pub fn may_look(ended: &Ended<'_>, enabled_for: &[String]) -> bool {
    let is_iris = ended.party == IRIS || ended.team == IRIS;
    let is_enabled = enabled_for.iter().any(|name| name == "*" || name == ended.team);
    !is_iris && is_enabled && ended.outcome == TurnKind::Reply && depth_now(ended.depth, ended.since_last_ms) < DEEPEST
}

/// What is left of a depth after a while.
pub fn depth_now(depth: i64, since_last_ms: i64) -> i64 {
    (depth - since_last_ms.max(0) / DECAY_MS).max(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Ended<'_> =
        Ended { party: "user", team: "alpha", outcome: TurnKind::Reply, depth: 0, since_last_ms: 0 };

    fn check(ended: Ended<'_>, enabled_for: &[&str], expected: bool) {
        let enabled_for: Vec<_> = enabled_for.iter().map(|&name| name.to_owned()).collect();
        assert_eq!(may_look(&ended, &enabled_for), expected, "{ended:?} {enabled_for:?}");
    }

    #[test]
    fn three_filters_all_of_which_must_let_it_through() {
        check(PLAIN, &["*"], true);
        check(PLAIN, &["alpha"], true);
        check(PLAIN, &["beta"], false);
        check(PLAIN, &[], false);
        check(Ended { party: IRIS, ..PLAIN }, &["*"], false);
        check(Ended { team: IRIS, ..PLAIN }, &["*"], false);
        check(Ended { outcome: TurnKind::Other, ..PLAIN }, &["*"], false);
        check(Ended { depth: 4, ..PLAIN }, &["*"], true);
        check(Ended { depth: 5, ..PLAIN }, &["*"], false);
        check(Ended { depth: 5, since_last_ms: DECAY_MS - 1, ..PLAIN }, &["*"], false);
        check(Ended { depth: 5, since_last_ms: DECAY_MS, ..PLAIN }, &["*"], true);
        check(Ended { depth: 5, since_last_ms: -5, ..PLAIN }, &["*"], false);
    }
}
