//! A tell is taken in: into the queue, onto the clock, or straight to an idle agent.

use iris_core::actor::{Actor, Through};
use iris_core::event::{Draft, Fact, Subject, TurnEvent};
use iris_core::id::{Party, SessionId, TurnId};
use iris_core::relay::Voice;
use iris_core::session::SessionState;
use iris_core::team::TeamName;
use iris_core::turn::TurnState;
use sha2::{Digest, Sha256};

use super::{TurnRow, Work, find_by_key};
use crate::error::StoreError;
use crate::session::{self, SessionRow};
use crate::tx::{Tx, values};
use crate::{event, question, reply};

/// A tell on its way in.
#[derive(Clone, Debug)]
pub struct NewTurn {
    pub id: TurnId,
    /// The id of the session, should it have to be made.
    pub fresh_session: SessionId,
    pub from: Party,
    /// What whoever tells came through, if anybody does.
    pub through: Option<Through>,
    pub voice: Voice,
    pub to: TeamName,
    pub body: String,
    pub key: Option<String>,
    /// Queue it only after this time.
    pub delay_ms: Option<i64>,
    /// How many turns may wait in one session.
    pub longest_queue: i64,
    /// The turn in which an agent makes this tell.
    pub cause: Option<TurnId>,
    /// How many turns are one in another, this one counted.
    pub depth: i64,
    /// Why it is told, if not because somebody said so: it brings an answer.
    pub origin: Option<&'static str>,
    /// Whoever tells it does not wait for the reply.
    pub detached: bool,
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
    /// The key was used before, for this very tell, and what came of it was forgotten since.
    Forgotten {
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
    /// A limit was reached: nothing is started before it is lifted.
    pub is_held: bool,
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
    let waiting = session.queued + count_scheduled(tx, &session.id)?;
    if waiting >= new.longest_queue {
        return Ok(Accept::QueueFull { waiting });
    }
    // Only what is taken in answers anything.
    answer_by_telling(tx, new, &session)?;
    let number = session.next_number;
    let position = session.queued + i64::from(session.running.is_some());
    let (state, event) = match new.delay_ms {
        Some(delay) => (TurnState::Scheduled, TurnEvent::Scheduled { number, due_ms: tx.wall_ms() + delay }),
        None => (TurnState::Queued, TurnEvent::Queued { number, position, again: None }),
    };
    let subject = Subject { turn: Some(new.id.clone()), ..session.subject() };
    let seq = event::append(tx, &[Draft { subject, fact: Fact::Turn(event) }])?;
    insert(tx, new, &session.id, At { number, seq }, state)?;
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
    let (turn, session_state, is_held) = (new.id.clone(), session.state, session.is_held());
    Ok(Accept::Accepted(Accepted { turn, session: session.id, seq, position, session_state, is_held, start: None }))
}

/// How many turns of a session are put off to a later time.
pub(crate) fn count_scheduled(tx: &mut Tx<'_>, session: &SessionId) -> Result<i64, StoreError> {
    let put_off = tx.one("SELECT count(*) FROM timer WHERE session = ?1", values![session])?;
    Ok(put_off.map_or(0, |row| row.int(0)))
}

/// The session's agent is idle and nothing waits: the turn is given to it at once. This is what happens to most tells, so
/// it is one change of the session, and a look whether it was made: SQLite takes twice as long to change a row and return
/// it in one statement, and PostgreSQL gets both in one trip.
fn accept_idle(tx: &mut Tx<'_>, new: &NewTurn) -> Result<Option<Accepted>, StoreError> {
    let seq = event::next_number(tx)?;
    let (now, node) = (tx.wall_ms(), tx.node().clone());
    tx.run(
        "UPDATE session SET state = 'processing', state_seq = ?1, state_at = ?2, state_mark = iris_now(), used_at = ?2, running = ?3, begun = 1, \
         next_number = next_number + 1 WHERE from_party = ?4 AND to_team = ?5 AND state = 'idle' AND running IS NULL \
         AND queued = 0 AND owner = ?6 AND held_until <= iris_now() AND waiting IS NULL",
        values![seq, now, &new.id, &new.from, &new.to, &node],
    )?;
    let taken = tx.one(
        "SELECT id, epoch, next_number - 1 FROM session WHERE from_party = ?1 AND to_team = ?2 AND running = ?3",
        values![&new.from, &new.to, &new.id],
    )?;
    let Some(taken) = taken else { return Ok(None) };
    let (session, epoch, number) = (SessionId::new(taken.text(0)), taken.int(1), taken.int(2));
    let subject = Subject { team: Some(new.to.clone()), session: Some(session.clone()), turn: Some(new.id.clone()) };
    event::append(tx, &[Draft { subject, fact: Fact::Turn(TurnEvent::Started { number, origin: None }) }])?;
    insert(tx, new, &session, At { number, seq }, TurnState::Running)?;
    let work = Work { turn: new.id.clone(), session: session.clone(), epoch, body: new.body.clone(), before: None };
    Ok(Some(Accepted {
        turn: new.id.clone(),
        session,
        seq,
        position: 0,
        session_state: SessionState::Idle,
        is_held: false,
        start: Some(work),
    }))
}

/// A question that was found in a reply is answered by telling the agent again, if whoever does may answer. What Iris tells by
/// itself is no answer.
fn answer_by_telling(tx: &mut Tx<'_>, new: &NewTurn, session: &SessionRow) -> Result<(), StoreError> {
    if session.waiting.is_none() || new.origin.is_some() || new.delay_ms.is_some() {
        return Ok(());
    }
    let by = Actor { party: new.from.clone(), through: new.through.clone() };
    match new.voice {
        Voice::Answers => question::answer_by_tell(tx, session, &by, &new.body),
        Voice::Agent => question::supersede_by_tell(tx, session, &by, &new.id),
        Voice::Tells => Ok(()),
    }
}

fn find_repeated(tx: &mut Tx<'_>, new: &NewTurn) -> Result<Option<Accept>, StoreError> {
    let Some(key) = &new.key else { return Ok(None) };
    let Some(earlier) = find_by_key(tx, key)? else {
        let forgotten = reply::find_forgotten(tx, key)?;
        return Ok(forgotten.map(|(turn, told)| match told == digest(&new.from, &new.to, &new.body) {
            true => Accept::Forgotten { turn },
            false => Accept::KeyTaken { turn },
        }));
    };
    let session = session::find(tx, &earlier.session)?;
    let same = earlier.body == new.body && session.is_some_and(|s| s.from == new.from && s.to == new.to);
    Ok(Some(if same { Accept::Repeated(earlier) } else { Accept::KeyTaken { turn: earlier.id } }))
}

/// A tell in short, for when its words are gone.
pub(crate) fn digest(from: &Party, to: &TeamName, body: &str) -> String {
    let mut digest = Sha256::new();
    for part in [from.as_str(), to.as_str(), body] {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Where a turn stands: its number in its session, and the event that put it there. Turns wait in the order of these
/// events, which no clock can disturb.
#[derive(Clone, Copy)]
struct At {
    number: i64,
    seq: i64,
}

fn insert(tx: &mut Tx<'_>, new: &NewTurn, session: &SessionId, at: At, state: TurnState) -> Result<(), StoreError> {
    let now = tx.wall_ms();
    let running = state == TurnState::Running;
    tx.run(
        "INSERT INTO turn (id, session, number, state, body, key, attempts, place, accepted_at, started_at, cause, \
         depth, origin, detached) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        values![
            &new.id,
            session,
            at.number,
            state.as_str(),
            &new.body,
            new.key.as_ref(),
            i64::from(running),
            at.seq,
            now,
            running.then_some(now),
            new.cause.as_ref(),
            new.depth,
            new.origin,
            i64::from(new.detached),
        ],
    )?;
    Ok(())
}
