//! The turn the agent is working on: what its rules say about what happened, done.

use std::sync::Arc;
use std::time::Duration;

use iris_core::agent::AgentOutput;
use iris_core::event::StopCause;
use iris_core::message::{Heard, MessageType};
use iris_core::turn::{Effect, Ending, Termination, TurnInput, TurnOutcome};
use iris_store::turn::{AgentAfter, Finish};
use iris_store::{StoreError, turn as turns};
use tokio::time::Instant;

use super::run::{Next, Runner};
use crate::figures;
use crate::turn::TurnReport;

/// How long an agent may take to break off a turn before it is stopped.
const CANCEL_LIMIT: Duration = Duration::from_secs(5);

impl Runner {
    pub(super) async fn hear_in_turn(&mut self, output: AgentOutput) -> Result<Next, StoreError> {
        if let (AgentOutput::TurnEnded(end), Some(current)) = (&output, &self.current)
            && !current.turn.is_ended_by(current.id.as_str(), end)
        {
            let text = format!("the agent ended a turn of its own ({})", end.own.as_deref().unwrap_or_default());
            self.keep(&Heard { kind: MessageType::System, text: Some(text), parent: None, line: None });
            return Ok(Next::GoOn);
        }
        self.apply(TurnInput::Output(output), StopCause::Exited).await
    }

    /// Asks the rules what follows, and does it.
    pub(super) async fn apply(&mut self, input: TurnInput, why: StopCause) -> Result<Next, StoreError> {
        let Some(current) = &mut self.current else { return Ok(Next::GoOn) };
        let gone = matches!(input, TurnInput::Exited(_));
        let effects = current.turn.apply(input);
        let agent_after = if gone || effects.iter().any(|effect| matches!(effect, Effect::StopAgent)) {
            AgentAfter::Ending
        } else {
            AgentAfter::Ready
        };
        let mut next = Next::GoOn;
        for effect in effects {
            match effect {
                Effect::Keep(message) => self.keep(&message),
                Effect::ShowDelta(text) => self.show(&text),
                Effect::RestartClock => self.restart_clock(),
                Effect::Interrupt => self.interrupt(),
                Effect::Answer { request, reply } => self.agent.reply(&request, &reply),
                Effect::Ask(ask) => self.ask(&ask).await?,
                Effect::Withdraw { request } => self.withdraw(&request).await?,
                Effect::Call(call) => self.call(call).await?,
                Effect::Background(tasks) => self.note_background(tasks).await?,
                Effect::Pause(limit) => self.pause(limit).await?,
                Effect::End(outcome) => self.end(outcome, agent_after).await?,
                Effect::StopAgent => next = Next::Stop { why, reply: None },
            }
        }
        Ok(next)
    }

    pub(super) fn restart_clock(&mut self) {
        if let Some(current) = &mut self.current {
            current.heard = Instant::now();
        }
    }

    fn interrupt(&mut self) {
        self.agent.interrupt();
        if let Some(current) = &mut self.current {
            current.cancel_until = Some(Instant::now() + CANCEL_LIMIT);
        }
    }

    /// Writes down the end of the turn together with the start of the next, tells whoever waits, and goes on.
    async fn end(&mut self, outcome: TurnOutcome, agent: AgentAfter) -> Result<(), StoreError> {
        let Some(current) = self.current.take() else { return Ok(()) };
        if let Some(saving) = self.saving.take() {
            saving.await?;
        }
        let question = self.find_question(&outcome, &current.id).await?;
        let duration_ms = i64::try_from(current.started.elapsed().as_millis()).unwrap_or(i64::MAX);
        let finish = Arc::new(Finish {
            session: self.session.clone(),
            epoch: self.epoch,
            turn: current.id.clone(),
            messages: current.unsaved,
            outcome,
            duration_ms,
            agent,
            question,
        });
        let written = Arc::clone(&finish);
        let work = self.engine.persist("turn.finish", move |tx| turns::finish(tx, &written)).await?;
        self.engine.waiters.complete(TurnReport {
            turn: finish.turn.clone(),
            session: finish.session.clone(),
            outcome: finish.outcome.clone(),
            duration_ms,
        });
        // A rule may have answered what was found, and the agent has to be told.
        if self.in_job || finish.question.is_some() {
            self.engine.upkeep.nudge();
        }
        let ended = figures::Ended {
            turn: &finish.turn,
            session: self.session.as_str(),
            team: &self.team,
            party: &self.party,
            outcome: &finish.outcome,
            duration_ms,
        };
        figures::turn_ended(&self.engine.traces, &ended);
        say_ended(&ended);
        if agent == AgentAfter::Ready {
            self.take(work).await?;
        }
        Ok(())
    }
}

/// In the log, as loud as it is unexpected.
fn say_ended(ended: &figures::Ended<'_>) {
    let figures::Ended { turn, session, team, outcome, duration_ms, .. } = ended;
    let (state, why) = (outcome.ending.state(), outcome.ending.explain());
    match &outcome.ending {
        Ending::Completed | Ending::Cancelled => {
            tracing::debug!(%turn, session, %team, %state, duration_ms, "a turn ended");
        }
        Ending::Terminated { cause: Termination::Exited(_) | Termination::ResponseTimeout { .. } } => {
            tracing::warn!(%turn, session, %team, %state, duration_ms, why, "a turn ended");
        }
        Ending::Failed { .. } | Ending::Terminated { .. } => {
            tracing::info!(%turn, session, %team, %state, duration_ms, why, "a turn ended");
        }
    }
}
