//! Sessions: found, listed, moved from state to state. A session's row is also its lane (see lane.rs).

use iris_core::actor::Actor;
use iris_core::agent::AgentExit;
use iris_core::event::{Draft, Fact, Recorded, SessionEvent, StopCause, Subject};
use iris_core::id::{JobId, Party, SessionId, TurnId};
use iris_core::session::SessionState;
use iris_core::team::TeamName;

use crate::clock::age_ms;
use crate::error::StoreError;
use crate::tx::{Row, Tx, values};
use crate::{event, lane, question, reply, turn};

#[derive(Clone, Debug)]
pub struct SessionRow {
    pub id: SessionId,
    pub from: Party,
    pub to: TeamName,
    pub state: SessionState,
    /// The event this state came from, and when that was.
    pub state_seq: i64,
    pub state_at: i64,
    /// For how long it has been so, whatever the wall clock did meanwhile.
    pub state_age_ms: i64,
    pub owner: Option<String>,
    pub epoch: i64,
    pub pid: Option<i64>,
    pub running: Option<TurnId>,
    pub queued: i64,
    pub next_number: i64,
    /// The agent has been told something in this conversation, so it can be resumed.
    pub begun: bool,
    pub created_at: i64,
    pub used_at: i64,
    /// How many tasks its agent has going between turns.
    pub background: i64,
    /// The session whose conversation this one began with.
    pub fork_of: Option<SessionId>,
    /// A limit was reached: nothing is started before then, by the clock on the wall.
    pub held_until: Option<i64>,
    pub held_why: Option<String>,
    /// What its agent waits for a person to say: `input` or `approval`.
    pub waiting: Option<String>,
    pub job: Option<JobId>,
}

/// What there is to say of a session beside its row.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The event its state came from. None if that was forgotten.
    pub source: Option<Recorded>,
    /// The newest thing its agent said or did in the turn that runs.
    pub last: Option<Recorded>,
    /// How many of its turns are put off to a later time.
    pub scheduled: i64,
}

/// For each of these sessions what there is to say beside its row.
pub fn see(tx: &mut Tx<'_>, rows: &[SessionRow]) -> Result<Vec<Seen>, StoreError> {
    let mut see = |row: &SessionRow| {
        let source = event::find(tx, row.state_seq)?;
        let last = match &row.running {
            Some(turn) => event::list_messages_before(tx, turn, i64::MAX, 1)?.pop(),
            None => None,
        };
        let scheduled = turn::count_scheduled(tx, &row.id)?;
        Ok(Seen { source, last, scheduled })
    };
    rows.iter().map(&mut see).collect()
}

macro_rules! session_columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, from_party, to_team, state, state_seq, state_at, owner, epoch, pid, running, queued, ",
            "next_number, begun, created_at, used_at, background, fork_of, held_at, held_why, waiting, job, ",
            "iris_now() - state_mark FROM session ",
            $rest
        )
    };
}

impl SessionRow {
    /// A limit was reached: nothing is started before it is lifted.
    pub fn is_held(&self) -> bool {
        self.held_until.is_some()
    }

    fn read(row: &Row) -> Result<Self, StoreError> {
        Ok(Self {
            id: SessionId::new(row.text(0)),
            from: Party::new(row.text(1)),
            to: row.parsed(2)?,
            state: row.parsed(3)?,
            state_seq: row.int(4),
            state_at: row.int(5),
            owner: row.maybe_text(6).map(str::to_owned),
            epoch: row.int(7),
            pid: row.maybe_int(8),
            running: row.maybe_text(9).map(TurnId::new),
            queued: row.int(10),
            next_number: row.int(11),
            begun: row.int(12) != 0,
            created_at: row.int(13),
            used_at: row.int(14),
            background: row.int(15),
            fork_of: row.maybe_text(16).map(SessionId::new),
            held_until: row.maybe_int(17),
            held_why: row.maybe_text(18).map(str::to_owned),
            waiting: row.maybe_text(19).map(str::to_owned),
            job: row.maybe_text(20).map(JobId::new),
            state_age_ms: age_ms(row.maybe_int(21), row.int(5)),
        })
    }

    /// An agent that works in the background takes tells, but is not idle.
    pub fn shown_state(&self) -> SessionState {
        match self.state {
            SessionState::Idle if self.background > 0 => SessionState::Processing,
            state => state,
        }
    }

    /// The state as people see it: an agent that waits for somebody is neither at work nor idle.
    pub fn shown(&self) -> String {
        match &self.waiting {
            Some(what) => format!("waiting_for_{what}"),
            None => self.shown_state().to_string(),
        }
    }

    pub fn subject(&self) -> Subject {
        Subject { team: Some(self.to.clone()), session: Some(self.id.clone()), turn: None }
    }
}

pub fn find(tx: &mut Tx<'_>, id: &SessionId) -> Result<Option<SessionRow>, StoreError> {
    tx.one(session_columns!("WHERE id = ?1"), values![id])?.as_ref().map(SessionRow::read).transpose()
}

pub fn find_pair(tx: &mut Tx<'_>, from: &Party, to: &TeamName) -> Result<Option<SessionRow>, StoreError> {
    let sql = session_columns!("WHERE from_party = ?1 AND to_team = ?2");
    tx.one(sql, values![from, to])?.as_ref().map(SessionRow::read).transpose()
}

/// A page of sessions in the order of their ids, optionally of one team.
pub fn list(tx: &mut Tx<'_>, team: Option<&TeamName>, after: &str, limit: i64) -> Result<Vec<SessionRow>, StoreError> {
    let rows = match team {
        Some(team) => {
            let sql = session_columns!("WHERE to_team = ?1 AND id > ?2 ORDER BY id LIMIT ?3");
            tx.many(sql, values![team, after, limit])?
        }
        None => tx.many(session_columns!("WHERE id > ?1 ORDER BY id LIMIT ?2"), values![after, limit])?,
    };
    rows.iter().map(SessionRow::read).collect()
}

/// Sessions that this node serves and that are not stopped.
pub fn list_owned(tx: &mut Tx<'_>) -> Result<Vec<SessionRow>, StoreError> {
    let sql = session_columns!("WHERE owner = ?1 AND state <> 'stopped' ORDER BY id");
    let node = tx.node().clone();
    tx.many(sql, values![&node])?.iter().map(SessionRow::read).collect()
}

/// Sessions that have work and no agent, wherever their conversation is.
pub fn list_wanting_agent(tx: &mut Tx<'_>) -> Result<Vec<SessionRow>, StoreError> {
    let sql =
        session_columns!("WHERE queued > 0 AND state = 'stopped' AND held_until <= iris_now() ORDER BY used_at, id");
    tx.many(sql, &[])?.iter().map(SessionRow::read).collect()
}

/// The row of a session, locked until the transaction ends. On SQLite there is one writer, so it is locked anyway.
pub(crate) fn lock(tx: &mut Tx<'_>, id: &SessionId) -> Result<Option<SessionRow>, StoreError> {
    let sql =
        if tx.is_postgres() { session_columns!("WHERE id = ?1 FOR UPDATE") } else { session_columns!("WHERE id = ?1") };
    tx.one(sql, values![id])?.as_ref().map(SessionRow::read).transpose()
}

/// The session, if this node still serves it with this epoch. A node that was given up on stops here.
pub(crate) fn lock_owned(tx: &mut Tx<'_>, id: &SessionId, epoch: i64) -> Result<SessionRow, StoreError> {
    match lock(tx, id)? {
        Some(session) if session.epoch == epoch && session.owner.as_deref() == Some(tx.node().as_str()) => Ok(session),
        _ => Err(StoreError::Fenced),
    }
}

/// The session of a pair, made if there is none, locked.
pub fn find_or_create(
    tx: &mut Tx<'_>,
    from: &Party,
    to: &TeamName,
    fresh: &SessionId,
) -> Result<SessionRow, StoreError> {
    let sql = if tx.is_postgres() {
        session_columns!("WHERE from_party = ?1 AND to_team = ?2 FOR UPDATE")
    } else {
        session_columns!("WHERE from_party = ?1 AND to_team = ?2")
    };
    if let Some(row) = tx.one(sql, values![from, to])? {
        return SessionRow::read(&row);
    }
    let subject = Subject { team: Some(to.clone()), session: Some(fresh.clone()), turn: None };
    let fact = Fact::Session(SessionEvent::Created { from: from.clone(), to: to.clone() });
    let seq = event::append(tx, &[Draft { subject, fact }])?;
    let now = tx.wall_ms();
    tx.run(
        "INSERT INTO session (id, from_party, to_team, state, state_seq, state_at, state_mark, lease_until, epoch, queued, \
         next_number, begun, created_at, used_at) VALUES (?1, ?2, ?3, 'stopped', ?4, ?5, iris_now(), 0, 0, 0, 1, 0, ?5, ?5)",
        values![fresh, from, to, seq, now],
    )?;
    lock(tx, fresh)?.ok_or_else(|| StoreError::Sql("a session vanished while it was made".to_owned()))
}

/// Which process serves the session, so that it can be found should the daemon die.
pub fn note_process(tx: &mut Tx<'_>, id: &SessionId, epoch: i64, pid: u32) -> Result<(), StoreError> {
    lock_owned(tx, id, epoch)?;
    let now = tx.wall_ms();
    tx.run("UPDATE session SET pid = ?1, process_at = ?2 WHERE id = ?3", values![i64::from(pid), now, id])
}

/// A process that serves a session, and since when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    pub session: SessionId,
    pub team: TeamName,
    pub started_at: i64,
}

/// The processes that serve sessions now, wherever they run.
pub fn list_processes(tx: &mut Tx<'_>) -> Result<Vec<Process>, StoreError> {
    let sql =
        "SELECT id, to_team, process_at FROM session WHERE pid IS NOT NULL AND process_at IS NOT NULL ORDER BY id";
    let read =
        |row: &Row| Ok(Process { session: SessionId::new(row.text(0)), team: row.parsed(1)?, started_at: row.int(2) });
    tx.many(sql, &[])?.iter().map(read).collect()
}

/// Moves an agent towards its end. `None` if the session is not in one of the states from which that is allowed, for
/// instance because a tell came first.
pub fn begin_stop(
    tx: &mut Tx<'_>,
    id: &SessionId,
    epoch: i64,
    allowed: &[SessionState],
    why: StopCause,
) -> Result<bool, StoreError> {
    let session = lock_owned(tx, id, epoch)?;
    if session.state == SessionState::Terminating {
        return Ok(true);
    }
    if !allowed.contains(&session.state) {
        return Ok(false);
    }
    enter(tx, &session, SessionState::Terminating, SessionEvent::Terminating { why, reason: None })?;
    Ok(true)
}

/// The agent is given up on before it was ready, and its process is still to be ended. Whether this is new.
pub fn start_failed(tx: &mut Tx<'_>, id: &SessionId, epoch: i64, reason: &str) -> Result<bool, StoreError> {
    let session = lock_owned(tx, id, epoch)?;
    if session.state != SessionState::Spawning {
        // An earlier try of this very write did commit, though its answer was lost.
        return Ok(false);
    }
    let because = SessionEvent::Terminating { why: StopCause::StartFailed, reason: Some(reason.to_owned()) };
    enter(tx, &session, SessionState::Terminating, because)?;
    Ok(true)
}

/// The process is gone. What ran in it must have been ended before.
pub fn stopped(
    tx: &mut Tx<'_>,
    id: &SessionId,
    epoch: i64,
    why: StopCause,
    exit: Option<AgentExit>,
    reason: Option<String>,
) -> Result<SessionRow, StoreError> {
    let session = lock_owned(tx, id, epoch)?;
    enter(tx, &session, SessionState::Stopped, SessionEvent::Stopped { why, exit, reason })?;
    tx.run("UPDATE session SET owner = NULL, pid = NULL, background = 0 WHERE id = ?1", values![id])?;
    question::put_back(tx, id)?;
    Ok(session)
}

/// Writes down what an agent does between turns.
pub fn note_background(tx: &mut Tx<'_>, id: &SessionId, epoch: i64, tasks: &[String]) -> Result<(), StoreError> {
    let session = lock_owned(tx, id, epoch)?;
    let count = i64::try_from(tasks.len()).unwrap_or(i64::MAX);
    let fact = Fact::Session(SessionEvent::Background { tasks: tasks.to_vec() });
    let seq = event::append(tx, &[Draft { subject: session.subject(), fact }])?;
    let now = tx.wall_ms();
    tx.run("UPDATE session SET background = ?1 WHERE id = ?2", values![count, id])?;
    // Idle means that nothing goes on; when that changes, so does since when.
    if session.state == SessionState::Idle && (count == 0) != (session.background == 0) {
        tx.run(
            "UPDATE session SET state_seq = ?1, state_at = ?2, state_mark = iris_now() WHERE id = ?3",
            values![seq, now, id],
        )?;
    }
    Ok(())
}

/// Sessions whose limit has been lifted, which may go on now.
pub fn release_held(tx: &mut Tx<'_>) -> Result<Vec<SessionId>, StoreError> {
    let mut released = Vec::new();
    for row in tx.many(session_columns!("WHERE held_until > 0 AND held_until <= iris_now() ORDER BY id"), &[])? {
        let session = SessionRow::read(&row)?;
        release(tx, &session)?;
        released.push(session.id);
    }
    Ok(released)
}

/// Somebody knows that the limit of a session is lifted before its time. Whether it had one.
pub fn release_now(tx: &mut Tx<'_>, id: &SessionId) -> Result<bool, StoreError> {
    let Some(session) = lock(tx, id)?.filter(SessionRow::is_held) else { return Ok(false) };
    release(tx, &session)?;
    Ok(true)
}

fn release(tx: &mut Tx<'_>, session: &SessionRow) -> Result<(), StoreError> {
    let fact = Fact::Session(SessionEvent::Released { held_ms: session.state_age_ms });
    event::append(tx, &[Draft { subject: session.subject(), fact }])?;
    tx.run("UPDATE session SET held_until = 0, held_at = NULL, held_why = NULL WHERE id = ?1", values![&session.id])
}

/// The agent knows nothing of what was said before and begins anew. How many turns it has forgotten.
pub fn begin_anew(tx: &mut Tx<'_>, id: &SessionId, epoch: i64) -> Result<i64, StoreError> {
    let session = lock_owned(tx, id, epoch)?;
    lane::branch::forget_own(tx, id)?;
    let sql = "SELECT count(*) FROM turn WHERE session = ?1 AND attempts > 0 AND finished_at IS NOT NULL";
    let turns = tx.one(sql, values![id])?.map_or(0, |row| row.int(0));
    if turns > 0 {
        let fact = Fact::Session(SessionEvent::BeganAnew { turns });
        event::append(tx, &[Draft { subject: session.subject(), fact }])?;
    }
    Ok(turns)
}

/// Whether any session's limit has been lifted.
pub fn any_to_release(tx: &mut Tx<'_>) -> Result<bool, StoreError> {
    let sql = "SELECT id FROM session WHERE held_until > 0 AND held_until <= iris_now() LIMIT 1";
    Ok(tx.one(sql, &[])?.is_some())
}

/// Makes a session that begins with all that was said in another, or with what that one is to begin with. `None` if the pair
/// has one already.
pub fn fork(
    tx: &mut Tx<'_>,
    origin: &SessionRow,
    from: &Party,
    fresh: &SessionId,
) -> Result<Option<SessionRow>, StoreError> {
    if find_pair(tx, from, &origin.to)?.is_some() {
        return Ok(None);
    }
    find_or_create(tx, from, &origin.to, fresh)?;
    let copied = origin.fork_of.as_ref().filter(|_| !origin.begun).unwrap_or(&origin.id);
    tx.run(
        "UPDATE session SET fork_of = ?1, lives_on = (SELECT lives_on FROM session WHERE id = ?2) WHERE id = ?3",
        values![copied, &origin.id, fresh],
    )?;
    lock(tx, fresh)
}

/// Writes the event and the state that comes from it.
pub(crate) fn enter(
    tx: &mut Tx<'_>,
    session: &SessionRow,
    state: SessionState,
    because: SessionEvent,
) -> Result<(), StoreError> {
    if !session.state.may_become(state) {
        return Err(StoreError::Sql(format!("a session that is {} cannot become {state}", session.state)));
    }
    let seq = event::append(tx, &[Draft { subject: session.subject(), fact: Fact::Session(because) }])?;
    let now = tx.wall_ms();
    tx.run(
        "UPDATE session SET state = ?1, state_seq = ?2, state_at = ?3, state_mark = iris_now() WHERE id = ?4",
        values![state.as_str(), seq, now, &session.id],
    )?;
    Ok(())
}

/// Says in the log that a session waits for a place in the pool.
pub fn note_waiting(tx: &mut Tx<'_>, id: &SessionId, because: &SessionEvent) -> Result<(), StoreError> {
    if let Some(session) = find(tx, id)? {
        event::append(tx, &[Draft { subject: session.subject(), fact: Fact::Session(because.clone()) }])?;
    }
    Ok(())
}

#[derive(Debug, PartialEq, Eq)]
pub enum Removal {
    Done {
        turns: i64,
    },
    NotFound,
    /// It has an agent or waiting work.
    InUse {
        from: Party,
        to: TeamName,
    },
}

/// Forgets what was said in a session's finished turns. The conversation itself is the agent's and goes on.
pub fn clear_cache(tx: &mut Tx<'_>, id: &SessionId, by: &Actor) -> Result<Removal, StoreError> {
    let Some(session) = lock(tx, id)? else { return Ok(Removal::NotFound) };
    let turns = forget_finished_turns(tx, &session)?;
    let fact = Fact::Session(SessionEvent::CacheCleared { turns, by: by.clone() });
    event::append(tx, &[Draft { subject: session.subject(), fact }])?;
    Ok(Removal::Done { turns })
}

/// What becomes of the record of a session that is deleted: what happened when, what was asked, who decided what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    Kept,
    Forgotten,
}

/// Forgets a session altogether. The next tell between the pair starts a new conversation. The log keeps that there was
/// one, how its turns ended, and what was asked and decided: an audit needs those.
pub fn delete(tx: &mut Tx<'_>, id: &SessionId, by: &Actor, record: Record) -> Result<Removal, StoreError> {
    let Some(session) = lock(tx, id)? else { return Ok(Removal::NotFound) };
    let scheduled = tx.one("SELECT turn FROM timer WHERE session = ?1", values![id])?;
    if session.state != SessionState::Stopped || session.queued > 0 || scheduled.is_some() {
        return Ok(Removal::InUse { from: session.from, to: session.to });
    }
    question::cancel_of_session(tx, id, "its session was deleted")?;
    let turns = forget_finished_turns(tx, &session)?;
    tx.run("DELETE FROM branch WHERE session = ?1", values![id])?;
    tx.run("DELETE FROM session WHERE id = ?1", values![id])?;
    if record == Record::Forgotten {
        for sql in [
            // Before what they were made from: they would go on to answer in its place.
            "DELETE FROM rule WHERE question IN (SELECT id FROM question WHERE session = ?1)",
            "DELETE FROM question WHERE session = ?1",
            "DELETE FROM job WHERE session = ?1",
            "DELETE FROM event WHERE session = ?1",
        ] {
            tx.run(sql, values![id])?;
        }
    }
    let (from, to) = (session.from.clone(), session.to.clone());
    let fact = Fact::Session(SessionEvent::Deleted { from, to, by: by.clone() });
    event::append(tx, &[Draft { subject: session.subject(), fact }])?;
    Ok(Removal::Done { turns })
}

/// Whose conversations nobody needs any more, now that a session is deleted: its own, and that of a deleted one it was to
/// begin with.
pub fn list_unneeded(
    tx: &mut Tx<'_>,
    id: &SessionId,
    fork_of: Option<&SessionId>,
) -> Result<Vec<SessionId>, StoreError> {
    let mut unneeded = Vec::new();
    for id in [Some(id), fork_of].into_iter().flatten() {
        if find(tx, id)?.is_none() && !is_yet_to_be_copied(tx, id)? {
            unneeded.push(id.clone());
        }
    }
    Ok(unneeded)
}

/// Whether a session is to begin with what was said in this one and has not begun yet. Only then it is copied.
fn is_yet_to_be_copied(tx: &mut Tx<'_>, id: &SessionId) -> Result<bool, StoreError> {
    let sql = "SELECT id FROM session WHERE fork_of = ?1 AND begun = 0 LIMIT 1";
    Ok(tx.one(sql, values![id])?.is_some())
}

fn forget_finished_turns(tx: &mut Tx<'_>, session: &SessionRow) -> Result<i64, StoreError> {
    let sql = "SELECT id, key, CASE WHEN key IS NULL THEN NULL ELSE body END FROM turn \
               WHERE session = ?1 AND state NOT IN ('scheduled', 'queued', 'running')";
    let finished = tx.many(sql, values![&session.id])?;
    for turn in &finished {
        if let (Some(key), Some(body)) = (turn.maybe_text(1), turn.maybe_text(2)) {
            let told = turn::digest(&session.from, &session.to, body);
            reply::leave_behind(tx, key, &told, &TurnId::new(turn.text(0)))?;
        }
        event::delete_messages(tx, turn.text(0))?;
        tx.run("DELETE FROM turn WHERE id = ?1", values![turn.text(0)])?;
    }
    Ok(i64::try_from(finished.len()).unwrap_or(i64::MAX))
}
