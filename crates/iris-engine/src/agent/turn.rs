//! The turn the agent is working on: what its rules say about what happened, done.

use std::sync::Arc;
use std::time::Duration;

use iris_agents::launch::usage_of;
use iris_core::agent::{AgentOutput, Usage};
use iris_core::event::{Said, StopCause};
use iris_core::message::Heard;
use iris_core::turn::{Effect, Ending, Termination, TurnInput, TurnOutcome};
use iris_store::turn::{AgentAfter, Finish};
use iris_store::{StoreError, event, turn as turns};
use tokio::time::Instant;

use super::run::{Current, Next, Runner};
use crate::figures;
use crate::secret::{masked, masked_ending};
use crate::turn::TurnReport;

/// How long an agent may take to break off a turn before it is stopped.
const CANCEL_LIMIT: Duration = Duration::from_secs(5);

/// Of how many messages the tokens of a turn are added up that did not end by itself.
const MOST_COUNTED: i64 = 10_000;
const MOST_BYTES: usize = 16 * 1024 * 1024;

impl Runner {
    pub(super) async fn hear_in_turn(&mut self, output: AgentOutput) -> Result<Next, StoreError> {
        if let (AgentOutput::TurnEnded(end), Some(current)) = (&output, &mut self.current)
            && !current.is_ended_by(end)
        {
            // What it said of this is kept here, so what it came to is counted here.
            current.spent += &end.usage;
            let own = end.own.as_deref().unwrap_or_default();
            let text = match &end.error {
                Some(error) => {
                    format!("a turn of the agent's own ({own}) failed, and is not tried again: {}", masked(error))
                }
                None => format!("the agent ended a turn of its own ({own})"),
            };
            self.keep(&Heard::system(text));
            return Ok(Next::GoOn);
        }
        if let (AgentOutput::TurnEnded(end), Some(current)) = (&output, &mut self.current) {
            current.origin.clone_from(&end.own);
        }
        self.apply(TurnInput::Output(output), StopCause::Exited).await
    }

    /// Asks the rules what follows, and does it.
    pub(super) async fn apply(&mut self, input: TurnInput, why: StopCause) -> Result<Next, StoreError> {
        let Some(current) = &mut self.current else { return Ok(Next::GoOn) };
        let gone = matches!(input, TurnInput::Exited(_));
        let effects = current.turn().apply(input);
        let agent_after = if gone || effects.iter().any(|effect| matches!(effect, Effect::StopAgent)) {
            AgentAfter::Ending
        } else {
            AgentAfter::Ready
        };
        let mut next = Next::GoOn;
        for effect in effects {
            match effect {
                Effect::Keep(message) => self.keep(&message),
                Effect::ShowDelta(text) => self.show(&text, false),
                Effect::ShowAnew => self.show("", true),
                Effect::RestartClock => self.restart_clock(),
                Effect::RestartClockIn(rest) => self.restart_clock_in(rest),
                Effect::Interrupt => self.interrupt(),
                Effect::Answer { request, reply } => self.agent.reply(&request, &reply),
                Effect::Ask(ask) => self.ask(&ask).await?,
                Effect::Withdraw { request } => self.withdraw(&request).await?,
                Effect::Call(call) => self.call(call).await?,
                Effect::Background(tasks) => self.note_background(tasks).await?,
                Effect::Pause(limit, so_far) => self.pause(limit, so_far).await?,
                Effect::End(outcome) => self.end(outcome, agent_after).await?,
                Effect::StopAgent => next = Next::Stop { why, reply: None },
            }
        }
        Ok(next)
    }

    fn interrupt(&mut self) {
        self.agent.interrupt();
        if let Some(current) = &mut self.current {
            current.cancel_until = Some(Instant::now() + CANCEL_LIMIT);
        }
    }

    /// By what is kept of a turn that the agent did not come to the end of. If that cannot be read just now the figures say
    /// less; the end of the turn is more important.
    async fn known_usage(&mut self, current: &Current) -> Usage {
        let turn = current.id.clone();
        let newest =
            move |tx: &mut iris_store::Tx<'_>| event::list_newest_messages(tx, &turn, MOST_COUNTED, MOST_BYTES);
        let kept = self.engine.store.read(newest).await.unwrap_or_default();
        let kept = kept.iter().map(|message| message.body.as_ref());
        usage_of(self.started_as.agent, kept.chain(current.record.unsaved.iter().map(Said::as_str)))
    }

    /// Writes down the end of the turn together with the start of the next, tells whoever waits, and goes on.
    pub(super) async fn end(&mut self, mut outcome: TurnOutcome, agent: AgentAfter) -> Result<(), StoreError> {
        // It is over now, however long it takes until that can be written down.
        let ended = Instant::now();
        if let Some(saving) = self.saving.take() {
            saving.await?;
            self.show_held();
        }
        let Some(current) = self.current.take() else { return Ok(()) };
        let duration_ms = i64::try_from((ended - current.started).as_millis()).unwrap_or(i64::MAX);
        outcome.usage += &current.spent;
        if outcome.usage.incomplete {
            // What is kept is that of every try. What they cost, only the agent knows.
            let Usage { cost_usd, model, .. } = outcome.usage;
            outcome.usage = Usage { cost_usd, model, ..self.known_usage(&current).await };
        }
        outcome.ending = masked_ending(outcome.ending);
        let question = self.find_question(&outcome, &current.id).await?;
        let finish = Arc::new(Finish {
            session: self.session.clone(),
            epoch: self.epoch,
            turn: current.id.clone(),
            messages: current.record.unsaved,
            outcome,
            duration_ms,
            agent,
            question,
            origin: current.origin,
            cancelled_by: current.cancelled_by,
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
            agent: self.started_as.agent,
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
