//! Turns that no agent ends: withdrawn while they wait, never started, or running when their daemon died.

use iris_core::actor::Actor;
use iris_core::agent::Usage;
use iris_core::event::{Draft, Fact, Said, Subject, TurnEvent, TurnFinished};
use iris_core::id::{SessionId, TurnId};
use iris_core::message::{Heard, Message};
use iris_core::turn::{Ending, Termination, TurnOutcome, TurnState};

use super::finish::write_ending;
use super::start::oldest_waiting;
use super::{TurnRow, find};
use crate::error::StoreError;
use crate::event;
use crate::question;
use crate::session::{self, SessionRow};
use crate::tx::{Tx, values};

/// Ends the oldest waiting turn of a session whose agent could not be started.
pub fn fail_waiting(tx: &mut Tx<'_>, session: &SessionId, why: &str) -> Result<Option<TurnId>, StoreError> {
    let Some(row) = session::lock(tx, session)? else { return Ok(None) };
    let Some(next) = oldest_waiting(tx, &row)? else { return Ok(None) };
    let cause = Termination::NotStarted { why: why.to_owned() };
    end_waiting(tx, &row, &next.turn, Ending::Terminated { cause })?;
    Ok(Some(next.turn))
}

#[derive(Debug, PartialEq, Eq)]
pub enum CancelWaiting {
    Done,
    /// It runs: the agent has to be interrupted.
    Running,
    Over(TurnState),
    NotFound,
}

/// Somebody asked for it: who, is in the log.
pub fn cancel_by(tx: &mut Tx<'_>, turn: &TurnId, by: &Actor) -> Result<CancelWaiting, StoreError> {
    let Some(known) = find(tx, turn)? else { return Ok(CancelWaiting::NotFound) };
    let Some(session) = session::lock(tx, &known.session)? else { return Ok(CancelWaiting::NotFound) };
    if find(tx, turn)?.is_some_and(|current| !current.state.is_over()) {
        let subject = Subject { turn: Some(turn.clone()), ..session.subject() };
        let asked = TurnEvent::CancelAsked { by: by.clone() };
        event::append(tx, &[Draft { subject, fact: Fact::Turn(asked) }])?;
    }
    cancel_waiting(tx, turn)
}

/// Cancels a turn that no agent has seen yet.
pub fn cancel_waiting(tx: &mut Tx<'_>, turn: &TurnId) -> Result<CancelWaiting, StoreError> {
    let Some(known) = find(tx, turn)? else { return Ok(CancelWaiting::NotFound) };
    let Some(session) = session::lock(tx, &known.session)? else { return Ok(CancelWaiting::NotFound) };
    // Looked at again, now that nobody else can change it.
    let Some(current) = find(tx, turn)? else { return Ok(CancelWaiting::NotFound) };
    match current.state {
        TurnState::Running => return Ok(CancelWaiting::Running),
        TurnState::Queued => end_waiting(tx, &session, turn, Ending::Cancelled)?,
        TurnState::Scheduled => {
            tx.run("DELETE FROM timer WHERE turn = ?1", values![turn])?;
            end_unrun(tx, &session, turn, Ending::Cancelled)?;
        }
        over => return Ok(CancelWaiting::Over(over)),
    }
    Ok(CancelWaiting::Done)
}

/// Cancels up to so many of the turns that wait, in whatever session, now or for their time. Returns those.
pub fn cancel_all_waiting(tx: &mut Tx<'_>, at_once: i64) -> Result<Vec<TurnId>, StoreError> {
    let rows =
        tx.many("SELECT id FROM turn WHERE state IN ('queued', 'scheduled') ORDER BY id LIMIT ?1", values![at_once])?;
    let mut cancelled = Vec::new();
    for row in rows {
        let turn = TurnId::new(row.text(0));
        if cancel_waiting(tx, &turn)? == CancelWaiting::Done {
            cancelled.push(turn);
        }
    }
    Ok(cancelled)
}

fn end_waiting(tx: &mut Tx<'_>, session: &SessionRow, turn: &TurnId, ending: Ending) -> Result<(), StoreError> {
    tx.run("UPDATE session SET queued = queued - 1 WHERE id = ?1", values![&session.id])?;
    end_unrun(tx, session, turn, ending)
}

fn end_unrun(tx: &mut Tx<'_>, session: &SessionRow, turn: &TurnId, ending: Ending) -> Result<(), StoreError> {
    let outcome = TurnOutcome { ending: ending.clone(), response: String::new(), usage: Usage::default() };
    write_ending(tx, turn, &outcome, Some(0))?;
    let finished = TurnFinished { ending, duration_ms: 0, cost_usd: 0.0 };
    append_finished(tx, session, turn, finished)
}

fn append_finished(
    tx: &mut Tx<'_>,
    session: &SessionRow,
    turn: &TurnId,
    finished: TurnFinished,
) -> Result<(), StoreError> {
    let subject = Subject { turn: Some(turn.clone()), ..session.subject() };
    event::append(tx, &[Draft { subject, fact: Fact::Turn(TurnEvent::Finished(finished)) }])?;
    Ok(())
}

/// Ends a turn whose daemon died. What it had said is kept and becomes its response.
pub(crate) fn end_interrupted(tx: &mut Tx<'_>, session: &SessionRow, turn: &TurnId) -> Result<(), StoreError> {
    let ending = Ending::Terminated { cause: Termination::Interrupted };
    let response = said_so_far(tx, turn)?;
    let usage = Usage { incomplete: true, ..Usage::default() };
    let outcome = TurnOutcome { ending: ending.clone(), response, usage };
    write_ending(tx, turn, &outcome, None)?;
    // Nobody who saw it begin is left to say how long it took: what its row says is all there is.
    let duration_ms = find(tx, turn)?.and_then(|turn| turn.duration_ms).unwrap_or(0);
    append_finished(tx, session, turn, TurnFinished { ending, duration_ms, cost_usd: 0.0 })
}

/// An agent may have said gigabytes.
const MOST_SAID: usize = 4 * 1024 * 1024;

fn said_so_far(tx: &mut Tx<'_>, turn: &TurnId) -> Result<String, StoreError> {
    let kept = event::list_newest_messages(tx, turn, i64::MAX, MOST_SAID)?;
    let said = kept.iter().filter_map(|event| serde_json::from_str::<Message>(&event.body).ok());
    let texts = said.filter(Message::is_reply).filter_map(|message| message.text);
    Ok(texts.collect::<Vec<_>>().join("\n"))
}

/// What a turn says that is run again after Iris ended.
const AGAIN: &str =
    "Iris ended while the turn ran; it runs again, and what it had done by then may be done a second time";

/// Puts a turn that ran when Iris ended back at its old place; it may then run a second time, and says so.
pub(crate) fn queue_again(tx: &mut Tx<'_>, session: &SessionRow, turn: &TurnId) -> Result<(), StoreError> {
    let subject = Subject { turn: Some(turn.clone()), ..session.subject() };
    event::append(tx, &[Draft { subject, fact: Fact::Message(Said::from(&Heard::system(AGAIN))) }])?;
    // Nobody has heard what this try came to.
    let before = find(tx, turn)?.and_then(|turn| turn.usage).unwrap_or_default();
    let usage = serde_json::to_string(&Usage { incomplete: true, ..before }).expect("usage is plain data");
    tx.run("UPDATE turn SET usage = ?1 WHERE id = ?2", values![&usage, turn])?;
    requeue(tx, session, turn, Some(AGAIN))
}

/// Iris is stopped and does not wait for the turn any longer: the next daemon runs it again. What was said by then is kept.
pub fn leave_running(
    tx: &mut Tx<'_>,
    session: &SessionId,
    epoch: i64,
    turn: &TurnId,
    said: &[Said],
) -> Result<(), StoreError> {
    let row = session::lock_owned(tx, session, epoch)?;
    if row.running.as_ref() != Some(turn) {
        // An earlier try of this very write did commit, though its answer was lost.
        return Ok(());
    }
    super::record(tx, session, epoch, turn, said)?;
    queue_again(tx, &row, turn)?;
    tx.run("UPDATE session SET running = NULL WHERE id = ?1", values![session])
}

/// Puts a turn back at its old place.
pub(crate) fn requeue(
    tx: &mut Tx<'_>,
    session: &SessionRow,
    turn: &TurnId,
    again: Option<&str>,
) -> Result<(), StoreError> {
    let number =
        tx.one("UPDATE turn SET state = 'queued', started_at = NULL WHERE id = ?1 RETURNING number", values![turn])?;
    tx.run("UPDATE session SET queued = queued + 1 WHERE id = ?1", values![&session.id])?;
    let subject = Subject { turn: Some(turn.clone()), ..session.subject() };
    let number = number.map_or(0, |row| row.int(0));
    event::append(
        tx,
        &[Draft {
            subject,
            fact: Fact::Turn(TurnEvent::Queued { number, position: 0, again: again.map(str::to_owned) }),
        }],
    )?;
    Ok(())
}

/// How often an agent is told an answer that it may not have had.
const MOST_TELLINGS: i64 = 3;

/// Puts a turn back that brings an answer and was broken off before its agent did anything: else the answer would be given
/// and nobody go on with it. False: it is a turn like any other.
pub(crate) fn tell_again(tx: &mut Tx<'_>, session: &SessionRow, turn: &TurnId) -> Result<bool, StoreError> {
    let brings_answer = |told: &TurnRow| told.origin.as_deref() == Some("answer") && told.attempts < MOST_TELLINGS;
    if !find(tx, turn)?.is_some_and(|told| brings_answer(&told)) || event::has_acted(tx, turn)? {
        return Ok(false);
    }
    let Some(words) = question::words_again(tx, turn)? else { return Ok(false) };
    tx.run("UPDATE turn SET body = ?1 WHERE id = ?2", values![&words, turn])?;
    requeue(tx, session, turn, None)?;
    Ok(true)
}

/// The agent ended in a turn. What it had said is kept. True: that was no word to the answer which it was told, and the turn
/// waits for the next agent.
pub fn tell_next(
    tx: &mut Tx<'_>,
    session: &SessionId,
    epoch: i64,
    turn: &TurnId,
    said: &[Said],
) -> Result<bool, StoreError> {
    let row = session::lock_owned(tx, session, epoch)?;
    if row.running.as_ref() != Some(turn) {
        // An earlier try of this very write did commit, though its answer was lost.
        return Ok(find(tx, turn)?.is_some_and(|turn| turn.state == TurnState::Queued));
    }
    super::record(tx, session, epoch, turn, said)?;
    if !said_so_far(tx, turn)?.is_empty() || !tell_again(tx, &row, turn)? {
        return Ok(false);
    }
    tx.run("UPDATE session SET running = NULL WHERE id = ?1", values![session])?;
    Ok(true)
}
