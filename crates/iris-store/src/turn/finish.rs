//! What an agent said is written down, and the end of its turn.

use iris_core::actor::Actor;
use iris_core::event::{Draft, Fact, Said, Subject, TurnEvent, TurnFinished};
use iris_core::id::{SessionId, TurnId};
use iris_core::session::SessionState;
use iris_core::turn::{Ending, TurnOutcome};

use super::start::{mark_started, occupy, oldest_waiting, start_next};
use super::{HowItEnded, Work};
use crate::error::StoreError;
use crate::event;
use crate::question::{self, NewQuestion};
use crate::session::{self, SessionRow};
use crate::tx::{Tx, values};

/// What an agent said so far in a turn that is still running.
pub fn record(
    tx: &mut Tx<'_>,
    session: &SessionId,
    epoch: i64,
    turn: &TurnId,
    messages: &[Said],
) -> Result<(), StoreError> {
    let row = session::lock_owned(tx, session, epoch)?;
    let subject = Subject { turn: Some(turn.clone()), ..row.subject() };
    event::append(tx, &message_drafts(&subject, messages))?;
    Ok(())
}

fn message_drafts(subject: &Subject, messages: &[Said]) -> Vec<Draft> {
    messages.iter().map(|message| Draft { subject: subject.clone(), fact: Fact::Message(message.clone()) }).collect()
}

/// The end of a turn, with the last things said in it.
#[derive(Debug)]
pub struct Finish {
    pub session: SessionId,
    pub epoch: i64,
    pub turn: TurnId,
    pub messages: Vec<Said>,
    pub outcome: TurnOutcome,
    pub duration_ms: i64,
    /// Whether the agent can take the next turn at once.
    pub agent: AgentAfter,
    /// A question that was found in the reply.
    pub question: Option<NewQuestion>,
    /// What a turn of the agent's own was about: at its end the agent knows better than it was guessed at its beginning.
    pub origin: Option<String>,
    /// Who wanted it to end, if it was not Iris itself.
    pub cancelled_by: Option<Actor>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentAfter {
    Ready,
    Ending,
}

/// Ends a turn and, if the agent lives, gives it the next one in the same transaction.
pub fn finish(tx: &mut Tx<'_>, finish: &Finish) -> Result<Option<Work>, StoreError> {
    let is_plain = finish.question.is_none() && finish.outcome.ending != Ending::Cancelled;
    if finish.agent == AgentAfter::Ready && is_plain && finish_to_idle(tx, finish)? {
        return Ok(None);
    }
    let session = session::lock_owned(tx, &finish.session, finish.epoch)?;
    if session.running.as_ref() != Some(&finish.turn) {
        // An earlier try of this very write did commit, though its answer was lost.
        return start_next(tx, &finish.session, finish.epoch);
    }
    let next = match finish.agent {
        AgentAfter::Ready if session.state == SessionState::Processing => oldest_waiting(tx, &session)?,
        _ => None,
    };
    let drafts = finish.drafts(Subject { turn: Some(finish.turn.clone()), ..session.subject() });
    let last = event::append(tx, &drafts)? + i64::try_from(drafts.len()).expect("few events") - 1;
    finish.write(tx)?;
    if finish.outcome.ending == Ending::Cancelled {
        question::cancel_of_turn(tx, &finish.turn, finish.cancelled_by.as_ref(), "its turn was broken off")?;
    }
    // Also if a turn waits: what it tells was said before this was asked, so it is no answer.
    if let Some(found) = &finish.question {
        question::open_detected(tx, &session, found)?;
    }
    match next {
        Some(next) => {
            let subject = Subject { turn: Some(next.turn.clone()), ..session.subject() };
            let fact = Fact::Turn(TurnEvent::Started { number: next.number, origin: None });
            let last = event::append(tx, &[Draft { subject, fact }])?;
            mark_started(tx, &next.turn)?;
            occupy(tx, &finish.session, &next.turn, last)?;
            Ok(Some(next.into_work(session.id, finish.epoch)))
        }
        None => {
            vacate(tx, &session, finish.agent, last)?;
            Ok(None)
        }
    }
}

impl Finish {
    fn write(&self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        write_ending(tx, &self.turn, &self.outcome, Some(self.duration_ms))?;
        let Some(origin) = &self.origin else { return Ok(()) };
        // What somebody told has none, and keeps none.
        let sql = "UPDATE turn SET origin = ?1 WHERE id = ?2 AND origin IS NOT NULL";
        tx.run(sql, values![origin.as_str(), &self.turn])
    }

    /// The last things said and the end itself.
    fn drafts(&self, subject: Subject) -> Vec<Draft> {
        let mut drafts = message_drafts(&subject, &self.messages);
        let finished = TurnFinished {
            ending: self.outcome.ending.clone(),
            duration_ms: self.duration_ms,
            cost_usd: self.outcome.usage.cost_usd,
        };
        drafts.push(Draft { subject, fact: Fact::Turn(TurnEvent::Finished(finished)) });
        drafts
    }
}

/// The agent lives and nothing waits: the session becomes idle. As common as `accept_idle`, and made the same way.
fn finish_to_idle(tx: &mut Tx<'_>, finish: &Finish) -> Result<bool, StoreError> {
    let before_last = i64::try_from(finish.messages.len()).expect("few messages");
    let seq = event::next_number(tx)? + before_last;
    let (now, node) = (tx.wall_ms(), tx.node().clone());
    tx.run(
        "UPDATE session SET state = 'idle', state_seq = ?1, state_at = ?2, state_mark = iris_now(), used_at = ?2, running = NULL WHERE id = ?3 \
         AND epoch = ?4 AND owner = ?5 AND running = ?6 AND queued = 0 AND state = 'processing'",
        values![seq, now, &finish.session, finish.epoch, &node, &finish.turn],
    )?;
    // No other change has this number.
    let left = tx.one(
        "SELECT to_team FROM session WHERE id = ?1 AND state = 'idle' AND state_seq = ?2",
        values![&finish.session, seq],
    )?;
    let Some(left) = left else { return Ok(false) };
    let subject =
        Subject { team: Some(left.parsed(0)?), session: Some(finish.session.clone()), turn: Some(finish.turn.clone()) };
    event::append(tx, &finish.drafts(subject))?;
    finish.write(tx)?;
    Ok(true)
}

/// The session has no turn any more. It is idle if its agent is; an agent that is ending changes its state itself.
fn vacate(tx: &mut Tx<'_>, session: &SessionRow, agent: AgentAfter, seq: i64) -> Result<(), StoreError> {
    let now = tx.wall_ms();
    if agent == AgentAfter::Ready && session.state == SessionState::Processing {
        tx.run(
            "UPDATE session SET state = 'idle', state_seq = ?1, state_at = ?2, state_mark = iris_now(), running = NULL, used_at = ?3 \
             WHERE id = ?4",
            values![seq, now, now, &session.id],
        )?;
    } else {
        tx.run("UPDATE session SET running = NULL, used_at = ?1 WHERE id = ?2", values![now, &session.id])?;
    }
    Ok(())
}

/// The duration is kept with the ending, as in the event: when it began and ended is by the wall clock, which may have been
/// set in between.
pub(super) fn write_ending(
    tx: &mut Tx<'_>,
    turn: &TurnId,
    outcome: &TurnOutcome,
    duration_ms: Option<i64>,
) -> Result<(), StoreError> {
    let now = tx.wall_ms();
    let ended = HowItEnded { ending: Some(outcome.ending.clone()), duration_ms };
    let ending = serde_json::to_string(&ended).expect("an ending is plain data");
    let usage = serde_json::to_string(&outcome.usage).expect("usage is plain data");
    tx.run(
        "UPDATE turn SET state = ?1, finished_at = ?2, ending = ?3, response = ?4, usage = ?5 WHERE id = ?6",
        values![outcome.ending.state().as_str(), now, &ending, &outcome.response, &usage, turn],
    )?;
    Ok(())
}
