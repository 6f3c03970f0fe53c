//! When what an agent says at the end of a turn becomes a question, so that agents and programs that answer each other
//! cannot keep Iris busy for ever: by who said it, in what kind of turn, and how often lately. What is asked too often is
//! not lost; it is shown later.

/// The party that Iris's own assistant speaks as. What is said to it is not looked at.
pub const IRIS: &str = "iris-agent";
/// So many questions may be found in a session before it has to calm down.
pub const DEEPEST: i64 = 5;
/// One is forgotten in this time.
pub const DECAY_MS: i64 = 60_000;
/// Nobody reads a question and answers it in less: a program did. What a person answers is no loop.
pub const READING_MS: i64 = 1_000;

/// Whoever tells an agent, and what their words come to for what it has asked in a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// Somebody who may answer questions: what is told next is the answer.
    Answers,
    /// A credential that may tell and may not answer. The question stays open.
    Tells,
    /// An agent. The two talk on, and nobody has answered: the question is over all the same, so that no person is asked for
    /// what agents settled between them.
    Agent,
}

impl Voice {
    /// Whoever speaks for a team is an agent to whoever is told, and its words are no person's answer.
    #[must_use]
    pub fn for_team(self) -> Self {
        if self == Self::Answers { Self::Agent } else { self }
    }
}

/// A turn that has ended, as far as it matters here.
#[derive(Clone, Copy, Debug)]
pub struct Ended<'a> {
    /// Whoever speaks in the session.
    pub party: &'a str,
    pub team: &'a str,
    pub outcome: TurnKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnKind {
    /// The agent has said all it had to say: to whoever told it, or in a turn that it began by itself.
    Finished,
    /// Anything else: a failure, a turn that was broken off.
    Other,
}

/// Whether the reply may be looked at. `enabled_for`: names of teams, or `*`.
pub fn may_look(ended: &Ended<'_>, enabled_for: &[String]) -> bool {
    let is_iris = ended.party == IRIS || ended.team == IRIS;
    let is_enabled = enabled_for.iter().any(|name| name == "*" || name == ended.team);
    !is_iris && is_enabled && ended.outcome == TurnKind::Finished
}

/// How long a question is kept back when so many were found in the session, the last of them so long ago.
pub fn pause_ms(depth: i64, since_last_ms: i64) -> i64 {
    if depth_now(depth, since_last_ms) < DEEPEST { 0 } else { DECAY_MS - since_last_ms.max(0) % DECAY_MS }
}

/// What is left of a depth after a while.
pub fn depth_now(depth: i64, since_last_ms: i64) -> i64 {
    (depth - since_last_ms.max(0) / DECAY_MS).max(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Ended<'_> = Ended { party: "user", team: "alpha", outcome: TurnKind::Finished };

    fn check(ended: Ended<'_>, enabled_for: &[&str], expected: bool) {
        let enabled_for: Vec<_> = enabled_for.iter().map(|&name| name.to_owned()).collect();
        assert_eq!(may_look(&ended, &enabled_for), expected, "{ended:?} {enabled_for:?}");
    }

    #[test]
    fn who_speaks_and_how_decides_whether_and_how_often_decides_when() {
        check(PLAIN, &["*"], true);
        check(PLAIN, &["alpha"], true);
        check(PLAIN, &["beta"], false);
        check(PLAIN, &[], false);
        check(Ended { party: IRIS, ..PLAIN }, &["*"], false);
        check(Ended { team: IRIS, ..PLAIN }, &["*"], false);
        check(Ended { outcome: TurnKind::Other, ..PLAIN }, &["*"], false);
        assert_eq!([pause_ms(0, 0), pause_ms(4, 0), pause_ms(5, DECAY_MS)], [0, 0, 0]);
        assert_eq!([pause_ms(5, 0), pause_ms(5, -5), pause_ms(5, DECAY_MS - 1)], [DECAY_MS, DECAY_MS, 1]);
        assert_eq!(pause_ms(7, DECAY_MS + 10), DECAY_MS - 10);
    }
}
