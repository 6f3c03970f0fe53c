//! Events: numbered facts in the log. One enum per noun under one outer enum, so that matches stay per noun.
//!
//! An event is written in the same transaction as the state it describes and announced only after the commit. Readers
//! skip kinds they do not know.

mod kind;

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::actor::{Actor, Through};
use crate::agent::AgentExit;
use crate::credential::CredentialKind;
use crate::id::{JobId, NodeId, Party, QuestionId, RuleId, SessionId, TurnId};
use crate::job::JobState;
use crate::message::Heard;
use crate::pool::WaitReason;
use crate::question::{Answer, Detail, OnDeadline, QuestionKind, ResponseType, Risk, Way};
use crate::rule::RuleScope;
use crate::team::TeamName;
use crate::turn::Ending;

pub use kind::{AUDITED, KINDS};

/// An event about to be written.
#[derive(Debug)]
pub struct Draft {
    pub subject: Subject,
    pub fact: Fact,
}

/// What an event is about, so that readers can filter without opening it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subject {
    pub team: Option<TeamName>,
    pub session: Option<SessionId>,
    pub turn: Option<TurnId>,
}

/// An event as it stands in the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    pub seq: i64,
    /// Wall-clock milliseconds, for people.
    pub at: i64,
    pub kind: Cow<'static, str>,
    pub subject: Subject,
    /// JSON of the fact.
    pub body: Arc<str>,
}

#[derive(Debug)]
pub enum Fact {
    Turn(TurnEvent),
    Message(Said),
    Session(SessionEvent),
    Question(QuestionEvent),
    Job(JobEvent),
    Rule(RuleEvent),
    Token(TokenEvent),
    Link(LinkEvent),
    Trust(TrustEvent),
    Config(ConfigEvent),
    Daemon(DaemonEvent),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum TurnEvent {
    Scheduled {
        number: i64,
        due_ms: i64,
    },
    Queued {
        number: i64,
        position: i64,
        /// Why it waits again, though it was given to an agent before and may have been done in part.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        again: Option<String>,
    },
    Started {
        number: i64,
        /// Why the agent started it by itself, if it did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<String>,
    },
    /// Somebody wants it to end; how it does is told by its end.
    CancelAsked {
        #[serde(flatten)]
        by: Actor,
    },
    Finished(TurnFinished),
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum QuestionEvent {
    Opened(Box<QuestionOpened>),
    /// An answer that was given before counted for the same request again.
    Used {
        id: QuestionId,
        #[serde(skip_serializing_if = "Option::is_none")]
        job: Option<JobId>,
    },
    /// It was left to the party that told; from now on everybody sees it.
    Shown {
        id: QuestionId,
        job: Option<JobId>,
    },
    Answered {
        id: QuestionId,
        job: Option<JobId>,
        #[serde(flatten)]
        by: Actor,
        answer: Answer,
        #[serde(rename = "responseType")]
        response: ResponseType,
        /// The rule that answered it, if no person did.
        #[serde(skip_serializing_if = "Option::is_none")]
        rule: Option<RuleId>,
    },
    Defaulted {
        id: QuestionId,
        job: Option<JobId>,
        answer: Answer,
        #[serde(rename = "responseType")]
        response: ResponseType,
        through: Through,
    },
    Expired {
        id: QuestionId,
        job: Option<JobId>,
        through: Through,
    },
    Cancelled {
        id: QuestionId,
        job: Option<JobId>,
        #[serde(flatten)]
        by: Option<Actor>,
        why: String,
    },
    Superseded {
        id: QuestionId,
        job: Option<JobId>,
        /// The question that took its place, if one did.
        #[serde(skip_serializing_if = "Option::is_none")]
        by: Option<QuestionId>,
        /// What an agent told the one that asked instead of waiting for an answer, if one did.
        #[serde(skip_serializing_if = "Option::is_none")]
        told: Option<TurnId>,
        #[serde(skip_serializing_if = "Option::is_none")]
        why: Option<String>,
        /// Who edited it or told more, if somebody did.
        #[serde(skip_serializing_if = "Option::is_none")]
        who: Option<Party>,
        #[serde(skip_serializing_if = "Option::is_none")]
        through: Option<Through>,
    },
    /// The agent has got the answer.
    Resumed {
        id: QuestionId,
        job: Option<JobId>,
        /// The turn by which it was told, if not on its pipe.
        turn: Option<TurnId>,
    },
    /// The agent asks more than it may.
    Limited {
        why: String,
    },
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QuestionOpened {
    pub id: QuestionId,
    pub kind: QuestionKind,
    pub way: Way,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    pub response_type: ResponseType,
    pub asked_of: Option<Party>,
    pub job: Option<JobId>,
    pub deadline: Option<i64>,
    pub on_deadline: OnDeadline,
    pub risk: Option<Risk>,
    pub digest: Option<String>,
    pub detail: Detail,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum JobEvent {
    Started {
        id: JobId,
        #[serde(flatten)]
        by: Actor,
        goal: String,
    },
    Status {
        id: JobId,
        status: JobState,
    },
    Ended {
        id: JobId,
        status: JobState,
        /// Whoever wanted it to end, if it did not end by itself.
        #[serde(flatten)]
        by: Option<Actor>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum RuleEvent {
    Made {
        id: RuleId,
        scope: RuleScope,
        #[serde(flatten)]
        by: Actor,
        question: QuestionId,
        answer: Answer,
        expires: i64,
    },
    Revoked {
        id: RuleId,
        #[serde(flatten)]
        by: Actor,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnFinished {
    #[serde(flatten)]
    pub ending: Ending,
    pub duration_ms: i64,
    pub cost_usd: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum SessionEvent {
    Created {
        from: Party,
        to: TeamName,
    },
    /// It wants an agent and cannot have one yet.
    Waiting {
        reason: WaitReason,
        position: usize,
    },
    Spawning {
        generation: i64,
    },
    Ready {
        generation: i64,
        pid: Option<u32>,
    },
    Terminating {
        why: StopCause,
        /// Why it could not be started, and what helps.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    Stopped {
        why: StopCause,
        exit: Option<AgentExit>,
        /// Why it could not be started, and what helps; or what was lost with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// What it does between turns has changed: all of it.
    Background {
        tasks: Vec<String>,
    },
    /// A limit was reached: nothing is started before then.
    Held {
        until: i64,
        why: String,
    },
    Released {
        held_ms: i64,
    },
    /// The agent's program does not find the conversation any more: it knows nothing of so many turns.
    BeganAnew {
        turns: i64,
    },
    /// It goes on from where its node had left the conversation, which had so many turns at others since.
    FellBehind {
        turns: i64,
        nodes: Vec<NodeId>,
    },
    CacheCleared {
        turns: i64,
        #[serde(flatten)]
        by: Actor,
    },
    Deleted {
        from: Party,
        to: TeamName,
        #[serde(flatten)]
        by: Actor,
    },
}

/// Why an agent was stopped or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopCause {
    Asked,
    Evicted,
    Idle,
    /// Its process was stopped by a signal while it was idle.
    Frozen,
    ResponseTimeout,
    CancelIgnored,
    /// The settings of its folder, which it reads, are not trusted any more.
    Untrusted,
    /// Its team's config has changed, or its team is gone.
    Reconfigured,
    Exited,
    StartFailed,
    /// A fault of Iris's own ended whoever served it.
    Broken,
    Shutdown,
    /// Found at start: a process of an earlier daemon.
    Recovered,
    /// Another node took the lane over.
    Fenced,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum ConfigEvent {
    /// The file has changed, and so has the config in force.
    Applied {
        changed: Vec<String>,
        /// What of it takes effect only with the next start.
        needs_restart: Vec<String>,
    },
    /// The file has changed, and cannot be used: the config that was in force stays.
    Refused { why: String },
}

/// A token itself is in no event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum TokenEvent {
    Created {
        id: String,
        name: String,
        credential: CredentialKind,
        party: Party,
        scopes: String,
        expires_at: Option<i64>,
        /// Who made it; for a browser, who made the link.
        #[serde(flatten)]
        by: Option<Actor>,
    },
    Revoked {
        id: String,
        name: String,
        #[serde(flatten)]
        by: Actor,
    },
}

/// A link that signs a browser in. That it was used is told by the browser's token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum LinkEvent {
    Made {
        #[serde(flatten)]
        by: Actor,
        scopes: String,
        good_for_ms: u64,
    },
}

/// Whether the settings that a folder brings along may take effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum TrustEvent {
    /// The digest is that of the very files that were looked at.
    Granted {
        folder: String,
        digest: String,
        #[serde(flatten)]
        by: Actor,
    },
    Revoked {
        folder: String,
        #[serde(flatten)]
        by: Actor,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum DaemonEvent {
    Started {
        version: String,
        node: String,
    },
    /// What a start found left over from a daemon that was killed.
    Recovered {
        interrupted: i64,
        requeued: i64,
        sessions: i64,
        /// Processes that were still running, and were ended.
        #[serde(default)]
        processes: i64,
    },
    Stopped {
        version: String,
    },
    /// Somebody has stopped everything.
    Halted {
        #[serde(flatten)]
        by: Actor,
        agents: usize,
        withdrawn: usize,
    },
    /// A backup took the place of what was there: what happened after `head` is not in it. Numbers go on behind those that
    /// were given before, so that none ever means two things.
    Restored {
        head: i64,
    },
    /// Nothing could be written for a while, and now can be.
    StoreHealed {
        trouble: String,
        lasted_ms: i64,
    },
}

impl Fact {
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Message(_) => MESSAGE,
            Self::Turn(event) => event.kind(),
            Self::Session(event) => event.kind(),
            Self::Question(event) => event.kind(),
            Self::Job(event) => event.kind(),
            Self::Rule(event) => event.kind(),
            Self::Token(event) => event.kind(),
            Self::Link(event) => event.kind(),
            Self::Trust(event) => event.kind(),
            Self::Config(event) => event.kind(),
            Self::Daemon(event) => event.kind(),
        }
    }

    /// The JSON that goes into the log.
    pub fn body(&self) -> Arc<str> {
        let json = match self {
            Self::Message(said) => return Arc::clone(&said.0),
            Self::Turn(event) => serde_json::to_string(event),
            Self::Session(event) => serde_json::to_string(event),
            Self::Question(event) => serde_json::to_string(event),
            Self::Job(event) => serde_json::to_string(event),
            Self::Rule(event) => serde_json::to_string(event),
            Self::Token(event) => serde_json::to_string(event),
            Self::Link(event) => serde_json::to_string(event),
            Self::Trust(event) => serde_json::to_string(event),
            Self::Config(event) => serde_json::to_string(event),
            Self::Daemon(event) => serde_json::to_string(event),
        };
        json.expect("plain data always has a JSON form").into()
    }
}

/// A message in the form in which it is kept. Made once, by whoever heard it, so that the one thread that writes has
/// nothing left to do but write.
#[derive(Clone, Debug)]
pub struct Said(Arc<str>);

impl Said {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&Heard> for Said {
    fn from(heard: &Heard) -> Self {
        Self(heard.to_json().into())
    }
}

/// The kind of event that carries one thing an agent said; the cache is the sum of these.
pub const MESSAGE: &str = "message";
