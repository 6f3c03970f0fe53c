//! Turns: accepted, started, recorded, finished. Each verb is one transaction's worth of work.

use iris_core::agent::Usage;
use iris_core::event::{Draft, Fact, Said, Subject, TurnEvent, TurnFinished};
use iris_core::id::{Party, SessionId, TurnId};
use iris_core::message::Message;
use iris_core::session::SessionState;
use iris_core::team::TeamName;
use iris_core::turn::{Ending, TurnOutcome, TurnState};

use crate::error::StoreError;
use crate::event;
use crate::lane;
use crate::session::{self, SessionRow};
use crate::tx::{Row, Tx, values};

/// A tell on its way in.
#[derive(Clone, Debug)]
pub struct NewTurn {
    pub id: TurnId,
    /// The id of the session, should it have to be made.
    pub fresh_session: SessionId,
    pub from: Party,
    pub to: TeamName,
    pub body: String,
    pub key: Option<String>,
    /// Queue it only after this time.
    pub delay_ms: Option<i64>,
    /// How many turns may wait in one session.
    pub longest_queue: i64,
}

#[derive(Debug)]
pub enum Accept {
    Accepted(Accepted),
    /// The key was used before, for this very tell.
    Repeated(TurnRow),
    /// The key was used before, for something else.
    KeyTaken {
        turn: TurnId,
    },
    QueueFull {
        waiting: i64,
    },
}

#[derive(Debug)]
pub struct Accepted {
    pub turn: TurnId,
    pub session: SessionId,
    /// The event that tells of it; what comes of the tell has later numbers.
    pub seq: i64,
    /// How many turns come before it. 0: it is running.
    pub position: i64,
    /// It was given to the session's idle agent in the same transaction; run it.
    pub start: Option<Work>,
    pub session_state: SessionState,
}

/// A turn that has been marked as running and must now be run.
#[derive(Clone, Debug)]
pub struct Work {
    pub turn: TurnId,
    pub session: SessionId,
    pub epoch: i64,
    pub body: String,
}

#[derive(Clone, Debug)]
pub struct TurnRow {
    pub id: TurnId,
    pub session: SessionId,
    pub number: i64,
    pub state: TurnState,
    pub body: String,
    pub attempts: i64,
    pub accepted_at: i64,
    pub started_at: Option<i64>,
    pub finished_at: Option<i64>,
    pub ending: Option<Ending>,
    pub response: Option<String>,
    pub usage: Option<Usage>,
}

macro_rules! turn_columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, session, number, state, body, attempts, accepted_at, started_at, finished_at, ending, ",
            "response, usage FROM turn ",
            $rest
        )
    };
}

impl TurnRow {
    fn read(row: &Row) -> Result<Self, StoreError> {
        Ok(Self {
            id: TurnId::new(row.text(0)),
            session: SessionId::new(row.text(1)),
            number: row.int(2),
            state: row.parsed(3)?,
            body: row.text(4).to_owned(),
            attempts: row.int(5),
            accepted_at: row.int(6),
            started_at: row.maybe_int(7),
            finished_at: row.maybe_int(8),
            ending: row.maybe_text(9).and_then(|json| serde_json::from_str(json).ok()),
            response: row.maybe_text(10).map(str::to_owned),
            usage: row.maybe_text(11).and_then(|json| serde_json::from_str(json).ok()),
        })
    }
}

/// Takes a tell in: finds or makes the session, inserts the turn, appends the events. An idle agent is given it at once.
pub fn accept(tx: &mut Tx<'_>, new: &NewTurn) -> Result<Accept, StoreError> {
    if let Some(repeated) = find_repeated(tx, new)? {
        return Ok(repeated);
    }
    if new.delay_ms.is_none()
        && let Some(accepted) = accept_idle(tx, new)?
    {
        return Ok(Accept::Accepted(accepted));
    }
    let session = session::find_or_create(tx, &new.from, &new.to, &new.fresh_session)?;
    if session.queued >= new.longest_queue {
        return Ok(Accept::QueueFull { waiting: session.queued });
    }
    let number = session.next_number;
    let position = session.queued + i64::from(session.running.is_some());
    let (state, event) = match new.delay_ms {
        Some(delay) => (TurnState::Scheduled, TurnEvent::Scheduled { number, due_ms: tx.wall_ms() + delay }),
        None => (TurnState::Queued, TurnEvent::Queued { number, position }),
    };
    let subject = Subject { turn: Some(new.id.clone()), ..session.subject() };
    let seq = event::append(tx, &[Draft { subject, fact: Fact::Turn(event) }])?;
    insert(tx, new, &session.id, number, state)?;
    if state == TurnState::Scheduled {
        tx.run("UPDATE session SET next_number = next_number + 1 WHERE id = ?1", values![&session.id])?;
        tx.run(
            "INSERT INTO timer (turn, session, run_at) VALUES (?1, ?2, iris_now() + ?3)",
            values![&new.id, &session.id, new.delay_ms],
        )?;
    } else {
        tx.run(
            "UPDATE session SET next_number = next_number + 1, queued = queued + 1 WHERE id = ?1",
            values![&session.id],
        )?;
    }
    let (turn, session_state) = (new.id.clone(), session.state);
    Ok(Accept::Accepted(Accepted { turn, session: session.id, seq, position, session_state, start: None }))
}

/// The session's agent is idle and nothing waits: the turn is given to it at once. This is what happens to most tells, so
/// it is one look and one change of the session in one statement.
fn accept_idle(tx: &mut Tx<'_>, new: &NewTurn) -> Result<Option<Accepted>, StoreError> {
    let seq = event::next_number(tx)?;
    let (now, node) = (tx.wall_ms(), tx.node().clone());
    let taken = tx.one(
        "UPDATE session SET state = 'processing', state_seq = ?1, state_at = ?2, used_at = ?2, running = ?3, begun = 1, \
         next_number = next_number + 1 WHERE from_party = ?4 AND to_team = ?5 AND state = 'idle' AND running IS NULL \
         AND queued = 0 AND owner = ?6 RETURNING id, epoch, next_number - 1",
        values![seq, now, &new.id, &new.from, &new.to, &node],
    )?;
    let Some(taken) = taken else { return Ok(None) };
    let (session, epoch, number) = (SessionId::new(taken.text(0)), taken.int(1), taken.int(2));
    let subject = Subject { team: Some(new.to.clone()), session: Some(session.clone()), turn: Some(new.id.clone()) };
    event::append(tx, &[Draft { subject, fact: Fact::Turn(TurnEvent::Started { number }) }])?;
    insert(tx, new, &session, number, TurnState::Running)?;
    let work = Work { turn: new.id.clone(), session: session.clone(), epoch, body: new.body.clone() };
    Ok(Some(Accepted {
        turn: new.id.clone(),
        session,
        seq,
        position: 0,
        session_state: SessionState::Idle,
        start: Some(work),
    }))
}

fn find_repeated(tx: &mut Tx<'_>, new: &NewTurn) -> Result<Option<Accept>, StoreError> {
    let Some(key) = &new.key else { return Ok(None) };
    let Some(row) = tx.one(turn_columns!("WHERE key = ?1"), values![key])? else { return Ok(None) };
    let earlier = TurnRow::read(&row)?;
    let session = session::find(tx, &earlier.session)?;
    let same = earlier.body == new.body && session.is_some_and(|s| s.from == new.from && s.to == new.to);
    Ok(Some(if same { Accept::Repeated(earlier) } else { Accept::KeyTaken { turn: earlier.id } }))
}

fn insert(
    tx: &mut Tx<'_>,
    new: &NewTurn,
    session: &SessionId,
    number: i64,
    state: TurnState,
) -> Result<(), StoreError> {
    let now = tx.wall_ms();
    let running = state == TurnState::Running;
    tx.run(
        "INSERT INTO turn (id, session, number, state, body, key, attempts, ready_at, accepted_at, started_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, iris_now(), ?8, ?9)",
        values![
            &new.id,
            session,
            number,
            state.as_str(),
            &new.body,
            new.key.as_ref(),
            i64::from(running),
            now,
            running.then_some(now),
        ],
    )?;
    Ok(())
}

/// Marks the session as at work on a turn that was waiting.
fn occupy(tx: &mut Tx<'_>, session: &SessionId, turn: &TurnId, seq: i64) -> Result<(), StoreError> {
    let now = tx.wall_ms();
    tx.run(
        "UPDATE session SET state = 'processing', state_seq = ?1, state_at = ?2, used_at = ?2, running = ?3, begun = 1, \
         queued = queued - 1 WHERE id = ?4",
        values![seq, now, turn, session],
    )
}

/// The agent is ready: gives it the oldest waiting turn, or marks it idle.
pub fn ready(tx: &mut Tx<'_>, session: &SessionId, epoch: i64, pid: Option<u32>) -> Result<Option<Work>, StoreError> {
    let row = session::lock_owned(tx, session, epoch)?;
    if row.state == SessionState::Terminating {
        return Ok(None);
    }
    tx.run("UPDATE session SET pid = ?1 WHERE id = ?2", values![pid.map(i64::from), session])?;
    let because = iris_core::event::SessionEvent::Ready { generation: epoch, pid };
    session::enter(tx, &row, SessionState::Idle, because)?;
    start_next(tx, session, epoch)
}

/// Gives an idle agent the oldest waiting turn. If one was given to it already and it does not know, that one.
pub fn start_next(tx: &mut Tx<'_>, session: &SessionId, epoch: i64) -> Result<Option<Work>, StoreError> {
    let row = session::lock_owned(tx, session, epoch)?;
    if let Some(running) = &row.running {
        let Some(turn) = find(tx, running)? else { return Ok(None) };
        return Ok(Some(Work { turn: turn.id, session: row.id, epoch, body: turn.body }));
    }
    if !matches!(row.state, SessionState::Idle | SessionState::Processing) {
        return Ok(None);
    }
    let Some(next) = oldest_waiting(tx, &row)? else { return Ok(None) };
    let subject = Subject { turn: Some(next.turn.clone()), ..row.subject() };
    let fact = Fact::Turn(TurnEvent::Started { number: next.number });
    let seq = event::append(tx, &[Draft { subject, fact }])?;
    mark_started(tx, &next.turn)?;
    occupy(tx, session, &next.turn, seq)?;
    Ok(Some(Work { turn: next.turn, session: row.id, epoch, body: next.body }))
}

struct Waiting {
    turn: TurnId,
    number: i64,
    body: String,
}

fn oldest_waiting(tx: &mut Tx<'_>, session: &SessionRow) -> Result<Option<Waiting>, StoreError> {
    if session.queued == 0 {
        return Ok(None);
    }
    let sql = "SELECT id, number, body FROM turn WHERE session = ?1 AND state = 'queued' \
               ORDER BY ready_at, number LIMIT 1";
    Ok(tx.one(sql, values![&session.id])?.map(|row| Waiting {
        turn: TurnId::new(row.text(0)),
        number: row.int(1),
        body: row.text(2).to_owned(),
    }))
}

fn mark_started(tx: &mut Tx<'_>, turn: &TurnId) -> Result<(), StoreError> {
    let now = tx.wall_ms();
    tx.run(
        "UPDATE turn SET state = 'running', started_at = ?1, attempts = attempts + 1 WHERE id = ?2",
        values![now, turn],
    )?;
    Ok(())
}

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
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentAfter {
    Ready,
    Ending,
}

/// Ends a turn and, if the agent lives, gives it the next one in the same transaction.
pub fn finish(tx: &mut Tx<'_>, finish: &Finish) -> Result<Option<Work>, StoreError> {
    if finish.agent == AgentAfter::Ready && finish_to_idle(tx, finish)? {
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
    let mut drafts = finish.drafts(Subject { turn: Some(finish.turn.clone()), ..session.subject() });
    if let Some(next) = &next {
        drafts.push(Draft {
            subject: Subject { turn: Some(next.turn.clone()), ..session.subject() },
            fact: Fact::Turn(TurnEvent::Started { number: next.number }),
        });
    }
    let last = event::append(tx, &drafts)? + i64::try_from(drafts.len()).expect("few events") - 1;
    write_ending(tx, &finish.turn, &finish.outcome)?;
    match next {
        Some(next) => {
            mark_started(tx, &next.turn)?;
            occupy(tx, &finish.session, &next.turn, last)?;
            Ok(Some(Work { turn: next.turn, session: session.id, epoch: finish.epoch, body: next.body }))
        }
        None => {
            vacate(tx, &session, finish.agent, last)?;
            Ok(None)
        }
    }
}

impl Finish {
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
    let left = tx.one(
        "UPDATE session SET state = 'idle', state_seq = ?1, state_at = ?2, used_at = ?2, running = NULL WHERE id = ?3 \
         AND epoch = ?4 AND owner = ?5 AND running = ?6 AND queued = 0 AND state = 'processing' RETURNING to_team",
        values![seq, now, &finish.session, finish.epoch, &node, &finish.turn],
    )?;
    let Some(left) = left else { return Ok(false) };
    let subject =
        Subject { team: Some(left.parsed(0)?), session: Some(finish.session.clone()), turn: Some(finish.turn.clone()) };
    event::append(tx, &finish.drafts(subject))?;
    write_ending(tx, &finish.turn, &finish.outcome)?;
    Ok(true)
}

/// The session has no turn any more. It is idle if its agent is; an agent that is ending changes its state itself.
fn vacate(tx: &mut Tx<'_>, session: &SessionRow, agent: AgentAfter, seq: i64) -> Result<(), StoreError> {
    let now = tx.wall_ms();
    if agent == AgentAfter::Ready && session.state == SessionState::Processing {
        tx.run(
            "UPDATE session SET state = 'idle', state_seq = ?1, state_at = ?2, running = NULL, used_at = ?3 \
             WHERE id = ?4",
            values![seq, now, now, &session.id],
        )?;
    } else {
        tx.run("UPDATE session SET running = NULL, used_at = ?1 WHERE id = ?2", values![now, &session.id])?;
    }
    Ok(())
}

fn write_ending(tx: &mut Tx<'_>, turn: &TurnId, outcome: &TurnOutcome) -> Result<(), StoreError> {
    let now = tx.wall_ms();
    let ending = serde_json::to_string(&outcome.ending).expect("an ending is plain data");
    let usage = serde_json::to_string(&outcome.usage).expect("usage is plain data");
    tx.run(
        "UPDATE turn SET state = ?1, finished_at = ?2, ending = ?3, response = ?4, usage = ?5 WHERE id = ?6",
        values![outcome.ending.state().as_str(), now, &ending, &outcome.response, &usage, turn],
    )?;
    Ok(())
}

/// Ends the oldest waiting turn of a session whose agent could not be started.
pub fn fail_waiting(tx: &mut Tx<'_>, session: &SessionId, why: &str) -> Result<Option<TurnId>, StoreError> {
    let Some(row) = session::lock(tx, session)? else { return Ok(None) };
    let Some(next) = oldest_waiting(tx, &row)? else { return Ok(None) };
    let cause = iris_core::turn::Termination::NotStarted { why: why.to_owned() };
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

fn end_waiting(tx: &mut Tx<'_>, session: &SessionRow, turn: &TurnId, ending: Ending) -> Result<(), StoreError> {
    tx.run("UPDATE session SET queued = queued - 1 WHERE id = ?1", values![&session.id])?;
    end_unrun(tx, session, turn, ending)
}

fn end_unrun(tx: &mut Tx<'_>, session: &SessionRow, turn: &TurnId, ending: Ending) -> Result<(), StoreError> {
    let outcome = TurnOutcome { ending: ending.clone(), response: String::new(), usage: Usage::default() };
    write_ending(tx, turn, &outcome)?;
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
    let finished = lane::interrupted();
    let response = said_so_far(tx, turn)?;
    let outcome = TurnOutcome { ending: finished.ending.clone(), response, usage: Usage::default() };
    write_ending(tx, turn, &outcome)?;
    append_finished(tx, session, turn, finished)
}

fn said_so_far(tx: &mut Tx<'_>, turn: &TurnId) -> Result<String, StoreError> {
    let kept = event::list_messages(tx, turn, 0, i64::from(i32::MAX))?;
    let said = kept.iter().filter_map(|event| serde_json::from_str::<Message>(&event.body).ok());
    let texts = said.filter(Message::is_reply).filter_map(|message| message.text);
    Ok(texts.collect::<Vec<_>>().join("\n"))
}

/// Puts a turn whose daemon died back at its old place; it may then run a second time, and its attempts say so.
pub(crate) fn requeue(tx: &mut Tx<'_>, session: &SessionRow, turn: &TurnId) -> Result<(), StoreError> {
    let number =
        tx.one("UPDATE turn SET state = 'queued', started_at = NULL WHERE id = ?1 RETURNING number", values![turn])?;
    tx.run("UPDATE session SET queued = queued + 1 WHERE id = ?1", values![&session.id])?;
    let subject = Subject { turn: Some(turn.clone()), ..session.subject() };
    let number = number.map_or(0, |row| row.int(0));
    event::append(tx, &[Draft { subject, fact: Fact::Turn(TurnEvent::Queued { number, position: 0 }) }])?;
    Ok(())
}

pub fn find(tx: &mut Tx<'_>, id: &TurnId) -> Result<Option<TurnRow>, StoreError> {
    tx.one(turn_columns!("WHERE id = ?1"), values![id])?.as_ref().map(TurnRow::read).transpose()
}

/// A page of a session's turns, oldest first, after a number.
pub fn list(tx: &mut Tx<'_>, session: &SessionId, after: i64, limit: i64) -> Result<Vec<TurnRow>, StoreError> {
    let sql = turn_columns!("WHERE session = ?1 AND number > ?2 ORDER BY number LIMIT ?3");
    tx.many(sql, values![session, after, limit])?.iter().map(TurnRow::read).collect()
}

/// The waiting turns of a session, in the order in which they will run.
pub fn list_waiting(tx: &mut Tx<'_>, session: &SessionId) -> Result<Vec<TurnId>, StoreError> {
    let sql = "SELECT id FROM turn WHERE session = ?1 AND state = 'queued' ORDER BY ready_at, number";
    Ok(tx.many(sql, values![session])?.iter().map(|row| TurnId::new(row.text(0))).collect())
}
