//! What an agent does though nobody told it: work in the background, and the turns it starts by itself.

use iris_core::agent::AgentOutput;
use iris_core::event::{Said, StopCause};
use iris_core::id::TurnId;
use iris_core::message::{Heard, MessageType};
use iris_core::turn::{Ask, Effect, Turn, decide_permission};
use iris_store::turn::Own;
use iris_store::{StoreError, session as sessions, turn as turns};
use uuid::Uuid;

use super::StopMode;
use super::run::{Next, Runner};

impl Runner {
    /// An agent that speaks or ends a turn though nobody told it anything has begun one by itself.
    pub(super) async fn hear_between_turns(&mut self, output: &AgentOutput) -> Result<Next, StoreError> {
        let origin = match output {
            AgentOutput::BeganOwn(origin) => origin,
            AgentOutput::Message(heard) if is_work(heard) => "agent",
            AgentOutput::TurnEnded(end) => match &end.own {
                Some(own) => own,
                None => return Ok(Next::GoOn),
            },
            _ => return Ok(Next::GoOn),
        };
        let (session, epoch, origin) = (self.session.clone(), self.epoch, origin.to_owned());
        let id = TurnId::new(Uuid::now_v7().to_string());
        let turn = id.clone();
        let begun = self
            .engine
            .persist("turn.begin_own", move |tx| turns::begin_own(tx, &session, epoch, &turn, &origin))
            .await?;
        match begun {
            Own::Begun => self.begin(id, Turn::start_own(self.grant), None),
            Own::Told(work) => self.take(Some(work)).await?,
        }
        // Nobody told it this, so nobody could keep it back; at least it does not go on.
        if self.has_lost_trust().await? {
            return self.stop(StopMode::Now, StopCause::Untrusted, None).await;
        }
        Ok(Next::GoOn)
    }

    /// What an agent does in the background is served, too. What it says belongs to the turn in which it set that going.
    pub(super) async fn serve_between_turns(&mut self, output: AgentOutput) -> Result<Next, StoreError> {
        match output {
            AgentOutput::Background(tasks) => self.note_background(tasks).await?,
            AgentOutput::ToolCalled(call) => self.call(call).await?,
            AgentOutput::Withdrawn { request } => self.withdraw(&request).await?,
            AgentOutput::Asked(asking) => self.ask(&Ask::Questions(asking)).await?,
            AgentOutput::FormAsked(form) => self.ask(&Ask::Form(form)).await?,
            AgentOutput::PermissionAsked(request) => match decide_permission(self.grant, request) {
                Effect::Answer { request, reply } => self.agent.reply(&request, &reply),
                Effect::Ask(ask) => self.ask(&ask).await?,
                _ => {}
            },
            AgentOutput::Message(heard) => {
                if let Some(turn) = self.last_turn.clone() {
                    let (session, epoch, said) = (self.session.clone(), self.epoch, [Said::from(&heard)]);
                    let afterword = move |tx: &mut iris_store::Tx<'_>| turns::record(tx, &session, epoch, &turn, &said);
                    self.engine.persist("turn.record", afterword).await?;
                }
            }
            AgentOutput::TurnEnded(_)
            | AgentOutput::BeganOwn(_)
            | AgentOutput::Ready(_)
            | AgentOutput::Heartbeat
            | AgentOutput::Rests(_)
            | AgentOutput::Delta(_) => {}
        }
        Ok(Next::GoOn)
    }

    pub(super) async fn note_background(&mut self, tasks: Vec<String>) -> Result<(), StoreError> {
        self.background = tasks.len();
        let (session, epoch) = (self.session.clone(), self.epoch);
        let note = move |tx: &mut iris_store::Tx<'_>| sessions::note_background(tx, &session, epoch, &tasks);
        self.engine.persist("session.background", note).await?;
        if self.current.is_none() {
            self.rest();
        }
        Ok(())
    }
}

/// Whether this is the agent at work itself, and not one of its sub-agents or a note of the program's.
fn is_work(heard: &Heard) -> bool {
    use MessageType::{Assistant, Thinking, ToolResult, ToolUse};
    heard.parent.is_none() && matches!(heard.kind, Assistant | Thinking | ToolUse | ToolResult)
}
