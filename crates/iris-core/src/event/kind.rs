//! What events are called: the noun, a dot, and what happened to it.

use super::{
    ConfigEvent, DaemonEvent, JobEvent, LinkEvent, QuestionEvent, RuleEvent, SessionEvent, TokenEvent, TrustEvent,
    TurnEvent,
};

/// What an audit is about: who decided or administered what. Nouns stand for all their kinds.
pub const AUDITED: [&str; 15] = [
    "question",
    "rule",
    "token",
    "link",
    "trust",
    "config",
    "job.started",
    "job.ended",
    "turn.cancel_asked",
    "session.deleted",
    "session.cache_cleared",
    "daemon.started",
    "daemon.stopped",
    "daemon.halted",
    "daemon.restored",
];

/// Every kind there is, for whoever asks for one by its name.
pub const KINDS: [&str; 46] = [
    "turn.scheduled",
    "turn.queued",
    "turn.started",
    "turn.cancel_asked",
    "turn.finished",
    "session.created",
    "session.waiting",
    "session.spawning",
    "session.ready",
    "session.terminating",
    "session.stopped",
    "session.background",
    "session.held",
    "session.released",
    "session.began_anew",
    "session.fell_behind",
    "session.cache_cleared",
    "session.deleted",
    "question.opened",
    "question.shown",
    "question.used",
    "question.answered",
    "question.defaulted",
    "question.expired",
    "question.cancelled",
    "question.superseded",
    "question.resumed",
    "question.limited",
    "job.started",
    "job.status",
    "job.ended",
    "rule.made",
    "rule.revoked",
    "config.applied",
    "config.refused",
    "token.created",
    "token.revoked",
    "link.made",
    "trust.granted",
    "trust.revoked",
    "daemon.started",
    "daemon.recovered",
    "daemon.stopped",
    "daemon.halted",
    "daemon.restored",
    "daemon.store_healed",
];

impl TurnEvent {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Scheduled { .. } => "turn.scheduled",
            Self::Queued { .. } => "turn.queued",
            Self::Started { .. } => "turn.started",
            Self::CancelAsked { .. } => "turn.cancel_asked",
            Self::Finished(_) => "turn.finished",
        }
    }
}

impl SessionEvent {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Created { .. } => "session.created",
            Self::Waiting { .. } => "session.waiting",
            Self::Spawning { .. } => "session.spawning",
            Self::Ready { .. } => "session.ready",
            Self::Terminating { .. } => "session.terminating",
            Self::Stopped { .. } => "session.stopped",
            Self::Background { .. } => "session.background",
            Self::Held { .. } => "session.held",
            Self::Released { .. } => "session.released",
            Self::BeganAnew { .. } => "session.began_anew",
            Self::FellBehind { .. } => "session.fell_behind",
            Self::CacheCleared { .. } => "session.cache_cleared",
            Self::Deleted { .. } => "session.deleted",
        }
    }
}

impl QuestionEvent {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Opened(_) => "question.opened",
            Self::Shown { .. } => "question.shown",
            Self::Used { .. } => "question.used",
            Self::Answered { .. } => "question.answered",
            Self::Defaulted { .. } => "question.defaulted",
            Self::Expired { .. } => "question.expired",
            Self::Cancelled { .. } => "question.cancelled",
            Self::Superseded { .. } => "question.superseded",
            Self::Resumed { .. } => "question.resumed",
            Self::Limited { .. } => "question.limited",
        }
    }
}

impl JobEvent {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Started { .. } => "job.started",
            Self::Status { .. } => "job.status",
            Self::Ended { .. } => "job.ended",
        }
    }
}

impl RuleEvent {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Made { .. } => "rule.made",
            Self::Revoked { .. } => "rule.revoked",
        }
    }
}

impl ConfigEvent {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Applied { .. } => "config.applied",
            Self::Refused { .. } => "config.refused",
        }
    }
}

impl TokenEvent {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Created { .. } => "token.created",
            Self::Revoked { .. } => "token.revoked",
        }
    }
}

impl LinkEvent {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Made { .. } => "link.made",
        }
    }
}

impl TrustEvent {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Granted { .. } => "trust.granted",
            Self::Revoked { .. } => "trust.revoked",
        }
    }
}

impl DaemonEvent {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Started { .. } => "daemon.started",
            Self::Recovered { .. } => "daemon.recovered",
            Self::Stopped { .. } => "daemon.stopped",
            Self::Halted { .. } => "daemon.halted",
            Self::Restored { .. } => "daemon.restored",
            Self::StoreHealed { .. } => "daemon.store_healed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_in_the_list() {
        let arms = include_str!("kind.rs").lines().filter_map(|line| line.split(" => \"").nth(1));
        let kinds: Vec<&str> = arms.filter_map(|rest| rest.strip_suffix("\",")).collect();
        assert_eq!(kinds, KINDS);
    }
}
