//! What an agent does though nobody told it: work in the background, and the turns it starts by itself.

use iris_core::agent::AgentOutput;
use iris_core::event::{Said, StopCause};
use iris_core::id::TurnId;
use iris_core::message::{Heard, MessageType};
use iris_core::turn::{Ask, Effect, Turn, decide_permission};
use iris_store::turn::Own;
use iris_store::{StoreError, session as sessions, turn as turns};
use tokio::time::{Duration, Instant};
use uuid::Uuid;

use super::StopMode;
use super::clock::stood_still;
use super::run::{Next, Runner};

/// How long after the end of its work in the background an agent may take to begin a turn about it. The CLI takes a tenth of a
/// second at most; about what was killed, or is spoken of in a turn that runs already, it begins none.
const OWN_LIMIT: Duration = Duration::from_secs(3);

/// What an agent does between turns.
#[derive(Debug)]
pub(super) struct Background {
    /// How many things.
    tasks: usize,
    /// How many have ended of which it has yet to speak, in turns of its own. Until then it is not at rest.
    due: usize,
    due_until: Instant,
    /// How many the store knows of.
    said: usize,
}

impl Background {
    pub fn new() -> Self {
        Self { tasks: 0, due: 0, due_until: Instant::now(), said: 0 }
    }

    pub fn is_over(&self) -> bool {
        self.tasks == 0 && self.due == 0
    }

    pub fn is_at_work(&self) -> bool {
        self.tasks > 0
    }

    pub fn due_until(&self) -> Option<Instant> {
        (self.due > 0).then_some(self.due_until)
    }

    /// No turn runs any more, so one of its own may begin.
    pub fn wait_for_own(&mut self) {
        self.due_until = Instant::now() + OWN_LIMIT;
    }

    fn note(&mut self, tasks: usize) {
        self.due += self.tasks.saturating_sub(tasks);
        self.tasks = tasks;
    }
}

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
        self.background.due = self.background.due.saturating_sub(1);
        self.say_background_over().await?;
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

    /// An end that a turn of its own follows is written down when that has begun: until then the agent is not idle.
    pub(super) async fn note_background(&mut self, tasks: Vec<String>) -> Result<(), StoreError> {
        self.background.note(tasks.len());
        if self.background.is_at_work() {
            self.say_background(tasks).await?;
        } else {
            self.say_background_over().await?;
        }
        if self.current.is_none() {
            self.rest();
        }
        Ok(())
    }

    /// None came in time of the turns that were due.
    pub(super) async fn wait_no_longer_for_own(&mut self) -> Result<(), StoreError> {
        let Some(until) = self.background.due_until().filter(|until| Instant::now() >= *until) else { return Ok(()) };
        if !stood_still(until) {
            self.background.due = 0;
            self.say_background_over().await?;
        }
        self.rest();
        Ok(())
    }

    async fn say_background_over(&mut self) -> Result<(), StoreError> {
        if !self.background.is_over() || self.background.said == 0 {
            return Ok(());
        }
        self.say_background(Vec::new()).await?;
        if self.in_job {
            self.engine.upkeep.nudge();
        }
        Ok(())
    }

    async fn say_background(&mut self, tasks: Vec<String>) -> Result<(), StoreError> {
        self.background.said = tasks.len();
        let (session, epoch) = (self.session.clone(), self.epoch);
        let note = move |tx: &mut iris_store::Tx<'_>| sessions::note_background(tx, &session, epoch, &tasks);
        self.engine.persist("session.background", note).await
    }
}

/// Whether this is the agent at work itself, and not one of its sub-agents or a note of the program's.
fn is_work(heard: &Heard) -> bool {
    use MessageType::{Assistant, Thinking, ToolResult, ToolUse};
    heard.parent.is_none() && matches!(heard.kind, Assistant | Thinking | ToolUse | ToolResult)
}
