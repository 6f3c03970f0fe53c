//! A turn: one tell and everything that came back until it ended.
//!
//! `Turn::apply` takes what happened and returns what to do. It knows no process, no clock and no database; the runner in
//! iris-engine performs the effects.

mod so_far;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::agent::{
    AgentExit, AgentOutput, Asking, FormRequest, Limit, PermissionRequest, Reply, ToolCall, TurnEnd, Usage,
};
use crate::duration::Millis;
use crate::message::{Heard, MessageType};
use crate::question::AskRequest;
use crate::team::GrantPermission;
use so_far::SoFar;

/// The state of a turn as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TurnState {
    /// Accepted, to be queued at a later time.
    Scheduled,
    /// Accepted, waiting for its session's agent.
    Queued,
    /// Given to the agent.
    Running,
    Completed,
    /// The agent said that it failed.
    Failed,
    /// The agent died, fell silent or was stopped, or the daemon died while it ran.
    Terminated,
    Cancelled,
}

impl TurnState {
    pub const ALL: [Self; 7] = [
        Self::Scheduled,
        Self::Queued,
        Self::Running,
        Self::Completed,
        Self::Failed,
        Self::Terminated,
        Self::Cancelled,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scheduled => "scheduled",
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Terminated => "terminated",
            Self::Cancelled => "cancelled",
        }
    }

    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Terminated | Self::Cancelled)
    }
}

impl fmt::Display for TurnState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[derive(Debug, thiserror::Error)]
#[error("'{0}' is not a turn state")]
pub struct TurnStateError(String);

impl FromStr for TurnState {
    type Err = TurnStateError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|state| state.as_str() == text).ok_or_else(|| TurnStateError(text.to_owned()))
    }
}

/// How a turn ended. Always carries the text there was, the newest of it if there was very much.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnOutcome {
    pub ending: Ending,
    pub response: String,
    pub usage: Usage,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ending", rename_all = "snake_case")]
pub enum Ending {
    Completed,
    Failed { error: String },
    Terminated { cause: Termination },
    Cancelled,
}

impl Ending {
    pub fn state(&self) -> TurnState {
        match self {
            Self::Completed => TurnState::Completed,
            Self::Failed { .. } => TurnState::Failed,
            Self::Terminated { .. } => TurnState::Terminated,
            Self::Cancelled => TurnState::Cancelled,
        }
    }

    /// What to tell people about an ending that is not a plain success.
    pub fn explain(&self) -> Option<String> {
        match self {
            Self::Completed => None,
            Self::Failed { error } => Some(error.clone()),
            Self::Terminated { cause } => Some(cause.explain()),
            Self::Cancelled => Some("cancelled before it ended".to_owned()),
        }
    }

    /// Why it was terminated, for machines.
    pub fn reason(&self) -> Option<&'static str> {
        let Self::Terminated { cause } = self else { return None };
        Some(match cause {
            Termination::Exited(_) => "exited",
            Termination::ResponseTimeout { .. } => "response_timeout",
            Termination::Stopped { .. } => "stopped",
            Termination::NotStarted { .. } => "not_started",
            Termination::Interrupted => "interrupted",
        })
    }

    /// What is known of the process that the turn ended with. One that was silent was still alive.
    pub fn into_exit(self) -> Option<AgentExit> {
        match self {
            Self::Terminated { cause: Termination::Exited(exit) } => Some(exit),
            Self::Terminated { cause: Termination::ResponseTimeout { stderr, .. } } => {
                Some(AgentExit { code: None, signal: None, stderr })
            }
            _ => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Termination {
    /// The process ended before the turn did.
    Exited(AgentExit),
    /// Nothing came from the agent for the whole response time-out.
    ResponseTimeout {
        #[serde(rename = "afterMs")]
        after_ms: u64,
        /// The tail of what it had written to stderr.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        stderr: String,
    },
    /// Somebody put the session to sleep, or Iris was shut down.
    Stopped {
        #[serde(default, skip_serializing_if = "WhatStopped::is_session")]
        what: WhatStopped,
    },
    /// The agent could not be started, so the turn never ran.
    NotStarted { why: String },
    /// The daemon died while the turn ran: its outcome is unknown, and it is not run again by itself.
    Interrupted,
}

/// What somebody stopped, and the turn with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WhatStopped {
    #[default]
    Session,
    /// All of Iris, and longer than the grace was not waited for the turn.
    Iris,
}

impl WhatStopped {
    fn is_session(&self) -> bool {
        *self == Self::Session
    }
}

/// What to put to a person.
#[derive(Debug)]
pub enum Ask {
    Permission(PermissionRequest),
    Questions(Asking),
    Form(FormRequest),
    Tool(ToolAsk),
}

/// A question that an agent asks by Iris's own tool.
#[derive(Debug)]
pub struct ToolAsk {
    pub request: String,
    pub question: AskRequest,
    pub call: Option<String>,
}

impl Ask {
    pub fn request(&self) -> &str {
        match self {
            Self::Permission(permission) => &permission.request,
            Self::Questions(asking) => &asking.request,
            Self::Form(form) => &form.request,
            Self::Tool(ask) => &ask.request,
        }
    }

    /// The agent's own name for the call that waits.
    pub fn call(&self) -> Option<&str> {
        match self {
            Self::Permission(permission) => permission.call.as_deref(),
            Self::Questions(asking) => asking.call.as_deref(),
            Self::Form(_) => None,
            Self::Tool(ask) => ask.call.as_deref(),
        }
    }
}

impl Termination {
    pub fn explain(&self) -> String {
        match self {
            Self::Exited(exit) => format!("the agent ended before the turn did: {}", exit.describe()),
            Self::ResponseTimeout { after_ms, .. } => {
                format!("the agent was silent for {} and was stopped", crate::duration::Millis(*after_ms))
            }
            Self::Stopped { what: WhatStopped::Session } => "the session was stopped while the turn ran".to_owned(),
            Self::Stopped { what: WhatStopped::Iris } => {
                "Iris was stopped while the turn ran, and it did not end within the grace".to_owned()
            }
            Self::NotStarted { why } => format!("the agent could not be started, so nothing ran: {why}"),
            Self::Interrupted => {
                "Iris ended while the turn ran; its outcome is unknown and it was not run again".to_owned()
            }
        }
    }
}

/// Everything that can happen to a turn that was given to an agent.
#[derive(Debug)]
pub enum TurnInput {
    Output(AgentOutput),
    /// The process is gone.
    Exited(AgentExit),
    /// The response time-out passed without a word.
    Silent {
        after_ms: u64,
        stderr: String,
    },
    /// Somebody wants the turn to end.
    CancelAsked,
    /// The agent did not end the turn in the time an interrupt is given.
    CancelIgnored,
    /// The session is being stopped.
    StopAsked(WhatStopped),
}

/// What to do about it, in order.
#[derive(Debug)]
pub enum Effect {
    Keep(Heard),
    ShowDelta(String),
    /// What was shown of the message that is being written is void.
    ShowAnew,
    /// The agent gave a sign of life: the response time-out starts anew.
    RestartClock,
    /// The same, from when the agent is to go on.
    RestartClockIn(Millis),
    /// Ask the agent to break off.
    Interrupt,
    Answer {
        request: String,
        reply: Reply,
    },
    /// Ask a person; the agent waits, and its response clock stands still.
    Ask(Ask),
    /// The agent no longer waits for an answer.
    Withdraw {
        request: String,
    },
    Call(ToolCall),
    Background(Vec<String>),
    /// A limit was reached: the turn goes back to where it waited, until the limit is lifted. What it came to by then, in
    /// case that it is not to be tried again.
    Pause(Limit, TurnOutcome),
    /// The process is of no more use.
    StopAgent,
    End(TurnOutcome),
}

/// A turn in the hands of an agent.
#[derive(Debug)]
pub struct Turn {
    grant: GrantPermission,
    /// The agent started it by itself.
    is_own: bool,
    /// Also of one that is over: until that is written down, this is what there is.
    so_far: SoFar,
    phase: Phase,
}

#[derive(Debug)]
enum Phase {
    Running { cancel: CancelState },
    Over,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CancelState {
    NotAsked,
    Asked,
}

impl Turn {
    /// A turn that somebody told.
    pub fn start(grant: GrantPermission) -> Self {
        Self::new(grant, false)
    }

    /// A turn that the agent has started by itself.
    pub fn start_own(grant: GrantPermission) -> Self {
        Self::new(grant, true)
    }

    /// What is asked from now on is decided by this.
    pub fn set_grant(&mut self, grant: GrantPermission) {
        self.grant = grant;
    }

    fn new(grant: GrantPermission, is_own: bool) -> Self {
        let phase = Phase::Running { cancel: CancelState::NotAsked };
        Self { grant, is_own, so_far: SoFar::default(), phase }
    }

    /// The text there is so far, including the piece that is still being written.
    pub fn partial_text(&self) -> String {
        self.so_far.text()
    }

    pub fn apply(&mut self, input: TurnInput) -> Vec<Effect> {
        let Phase::Running { cancel } = &mut self.phase else {
            // Whatever comes after the end belongs to nobody's turn. The process is stopped if it was on its way out.
            return match input {
                TurnInput::StopAsked(_) => vec![Effect::StopAgent],
                _ => Vec::new(),
            };
        };
        match input {
            TurnInput::Output(output) => self.hear(output),
            TurnInput::CancelAsked => {
                let first = *cancel == CancelState::NotAsked;
                *cancel = CancelState::Asked;
                if first { vec![Effect::Interrupt] } else { Vec::new() }
            }
            TurnInput::CancelIgnored => vec![self.end(Ending::Cancelled), Effect::StopAgent],
            TurnInput::Exited(exit) => {
                let cause = Termination::Exited(exit);
                vec![self.end_unless_cancelled(cause)]
            }
            TurnInput::Silent { after_ms, stderr } => {
                vec![self.end_unless_cancelled(Termination::ResponseTimeout { after_ms, stderr }), Effect::StopAgent]
            }
            TurnInput::StopAsked(what) => {
                vec![self.end_unless_cancelled(Termination::Stopped { what }), Effect::StopAgent]
            }
        }
    }

    fn hear(&mut self, output: AgentOutput) -> Vec<Effect> {
        match output {
            AgentOutput::Ready(_) | AgentOutput::BeganOwn(_) | AgentOutput::Heartbeat => vec![Effect::RestartClock],
            AgentOutput::Rests(rest) => vec![Effect::RestartClockIn(rest)],
            AgentOutput::Withdrawn { request } => vec![Effect::RestartClock, Effect::Withdraw { request }],
            AgentOutput::Background(tasks) => vec![Effect::RestartClock, Effect::Background(tasks)],
            AgentOutput::ToolCalled(call) => vec![Effect::RestartClock, Effect::Call(call)],
            AgentOutput::Asked(asking) => vec![Effect::RestartClock, Effect::Ask(Ask::Questions(asking))],
            AgentOutput::FormAsked(form) => vec![Effect::RestartClock, Effect::Ask(Ask::Form(form))],
            AgentOutput::Delta(text) => {
                self.so_far.piece(&text);
                vec![Effect::RestartClock, Effect::ShowDelta(text)]
            }
            AgentOutput::Message(message) => {
                if message.is_reply() {
                    self.so_far.message(message.text.clone());
                }
                // The model is asked once more, and says again what it had begun to say; or that was no part of the reply.
                let is_void = match message.kind {
                    MessageType::Retry => message.parent.is_none(),
                    _ => message.aside && message.parent.is_none(),
                };
                let anew = is_void && self.so_far.begin_anew();
                let anew = anew.then_some(Effect::ShowAnew);
                anew.into_iter().chain([Effect::RestartClock, Effect::Keep(message)]).collect()
            }
            AgentOutput::PermissionAsked(request) => {
                vec![Effect::RestartClock, decide_permission(self.grant, request)]
            }
            AgentOutput::TurnEnded(end) => {
                // Somebody else has broken it off, by a signal: its process is on its way out, and would lose what it is told.
                let is_leaving = end.aborted && end.limit.is_none() && !self.cancel_asked();
                let stop = is_leaving.then_some(Effect::StopAgent);
                [self.end_as_said(end)].into_iter().chain(stop).collect()
            }
        }
    }

    /// Whether a turn's end that the agent tells of is the end of this one.
    pub fn is_ended_by(&self, turn: &str, end: &TurnEnd) -> bool {
        self.is_own || end.own.is_none() || end.answers.iter().any(|answered| answered == turn)
    }

    fn end_as_said(&mut self, end: TurnEnd) -> Effect {
        let cancelled = self.cancel_asked() && end.aborted;
        if let Some(limit) = end.limit
            && !cancelled
        {
            let ending = Ending::Failed { error: limit.what.clone() };
            let outcome = TurnOutcome { ending, response: self.partial_text(), usage: end.usage };
            self.phase = Phase::Over;
            return Effect::Pause(limit, outcome);
        }
        let ending = match end.error {
            _ if cancelled => Ending::Cancelled,
            Some(error) => Ending::Failed { error },
            None => Ending::Completed,
        };
        let response = match (&ending, end.text) {
            (Ending::Completed, Some(text)) if !text.is_empty() => text,
            _ => self.partial_text(),
        };
        self.phase = Phase::Over;
        Effect::End(TurnOutcome { ending, response, usage: end.usage })
    }

    fn end_unless_cancelled(&mut self, cause: Termination) -> Effect {
        if self.cancel_asked() {
            return self.end(Ending::Cancelled);
        }
        self.end(Ending::Terminated { cause })
    }

    fn end(&mut self, ending: Ending) -> Effect {
        let response = self.partial_text();
        self.phase = Phase::Over;
        // The agent never said what it came to.
        Effect::End(TurnOutcome { ending, response, usage: Usage { incomplete: true, ..Usage::default() } })
    }

    /// Somebody wants it to end.
    pub fn cancel_asked(&self) -> bool {
        matches!(self.phase, Phase::Running { cancel: CancelState::Asked })
    }
}

/// Yes and no are decided here; `ask` and `forward` are put to a person or to the party that told.
pub fn decide_permission(grant: GrantPermission, request: PermissionRequest) -> Effect {
    let reply = match grant {
        GrantPermission::Yes => Reply::Allow,
        GrantPermission::No => {
            Reply::Deny { message: format!("Iris does not let this team use {} (grantPermission: no)", request.tool) }
        }
        GrantPermission::Ask | GrantPermission::Forward => return Effect::Ask(Ask::Permission(request)),
    };
    Effect::Answer { request: request.request, reply }
}

#[cfg(test)]
#[path = "turn_tests.rs"]
mod tests;
