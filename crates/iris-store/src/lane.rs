//! Lanes: who serves a session, until when, and with which epoch.
//!
//! A node claims a lane when it starts an agent for it. The claim raises the epoch; every later write about that agent
//! carries it, so a node that was given up on can change nothing, and output of an old process is recognised as such.

pub mod branch;

use iris_core::event::{DaemonEvent, Draft, Fact, SessionEvent, StopCause, Subject};
use iris_core::id::{NodeId, SessionId, TurnId};
use iris_core::session::SessionState;
use iris_core::team::OnInterrupted;
use iris_core::time::ClockMark;

use crate::clock::Clock;
use crate::engine::{Access, Connection};
use crate::error::StoreError;
use crate::session::{self, SessionRow};
use crate::tx::{Batch, Tx, values};
use crate::{event, question, turn};

/// How long a node may be unheard of before others take its lanes.
pub const LEASE_MS: i64 = 15_000;

#[derive(Debug)]
pub struct Claim {
    pub epoch: i64,
    pub session: SessionRow,
    /// The conversation has gone on elsewhere since this node had it.
    pub is_behind: bool,
}

/// Takes a stopped session for a new agent. `None` if it has one, or has no work and none is wanted.
pub fn claim(tx: &mut Tx<'_>, id: &SessionId) -> Result<Option<Claim>, StoreError> {
    let Some(session) = session::lock(tx, id)? else { return Ok(None) };
    if session.state != SessionState::Stopped {
        return Ok(None);
    }
    let epoch = session.epoch + 1;
    let node = tx.node().clone();
    let is_behind = tx.is_postgres() && {
        branch::note_left(tx, id)?;
        branch::is_old(tx, &session)?
    };
    tx.run(
        "UPDATE session SET owner = ?1, lives_on = ?1, epoch = ?2, lease_until = iris_now() + ?3 WHERE id = ?4",
        values![&node, epoch, LEASE_MS, id],
    )?;
    session::enter(tx, &session, SessionState::Spawning, SessionEvent::Spawning { generation: epoch })?;
    Ok(Some(Claim { epoch, session, is_behind }))
}

/// A session and the epoch of the agent that serves it.
pub type Lane = (SessionId, i64);

/// Renews the leases of everything this node serves, and saves Iris's time with them. Returns what it serves: anything
/// else that it runs an agent for was given to another.
pub fn renew(tx: &mut Tx<'_>, mark: &ClockMark) -> Result<Vec<Lane>, StoreError> {
    let node = tx.node().clone();
    let renewed = tx.many(
        "UPDATE session SET lease_until = iris_now() + ?1 WHERE owner = ?2 AND state <> 'stopped' RETURNING id, epoch",
        values![LEASE_MS, &node],
    )?;
    if tx.is_postgres() {
        tx.run(
            "INSERT INTO node (id, alive_until) VALUES (?1, iris_now() + ?2) \
             ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until",
            values![&node, LEASE_MS],
        )?;
    }
    save_clock(tx, mark)?;
    Ok(renewed.iter().map(|row| (SessionId::new(row.text(0)), row.int(1))).collect())
}

/// Whether another node that is alive has the conversation of a session. It is left to that one: an agent here would know
/// nothing of what was said.
pub fn is_elsewhere(tx: &mut Tx<'_>, id: &SessionId) -> Result<bool, StoreError> {
    let node = tx.node().clone();
    let sql = "SELECT node.id FROM node JOIN session ON session.lives_on = node.id \
               WHERE session.id = ?1 AND node.id <> ?2 AND node.alive_until > iris_now()";
    Ok(tx.one(sql, values![id, &node])?.is_some())
}

/// Whoever served a session broke down, and its process is gone. Ends the turn that ran, or the one that an agent was being
/// started for: the next would break down by it again. `epoch` is that of the claim, if it came to one. Returns that turn.
pub fn break_down(
    tx: &mut Tx<'_>,
    id: &SessionId,
    epoch: Option<i64>,
    why: &str,
) -> Result<Option<TurnId>, StoreError> {
    let Some(epoch) = epoch else { return turn::fail_waiting(tx, id, why) };
    // An earlier try of this very write may have committed, though its answer was lost.
    if session::lock(tx, id)?.is_none_or(|session| session.state == SessionState::Stopped) {
        return Ok(None);
    }
    let session = session::lock_owned(tx, id, epoch)?;
    if let Some(running) = &session.running {
        turn::end_interrupted(tx, &session, running)?;
        tx.run("UPDATE session SET running = NULL WHERE id = ?1", values![id])?;
    }
    session::stopped(tx, id, epoch, StopCause::Broken, None, Some(why.to_owned()))?;
    match session.running {
        Some(running) => Ok(Some(running)),
        None if session.state == SessionState::Spawning => turn::fail_waiting(tx, id, why),
        None => Ok(None),
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    pub interrupted: i64,
    pub requeued: i64,
    pub sessions: i64,
}

/// Ends what a dead daemon left behind: sessions of this node's earlier life, and lanes whose lease has run out.
///
/// A turn that was running is interrupted, its outcome unknown. It is not run again, unless its team says so, or it brings
/// an answer that its agent has done nothing with yet.
pub fn recover(
    tx: &mut Tx<'_>,
    own: OwnLanes,
    on_interrupted: impl Fn(&SessionRow) -> OnInterrupted,
) -> Result<Recovery, StoreError> {
    let node = tx.node().clone();
    let rows = match own {
        // A file has one daemon at a time, under whatever name: nobody else can be serving anything in it.
        OwnLanes::FromEarlierLife { .. } if !tx.is_postgres() => {
            tx.many("SELECT id FROM session WHERE state <> 'stopped' ORDER BY id", &[])?
        }
        OwnLanes::FromEarlierLife { .. } => tx.many(
            "SELECT id FROM session WHERE state <> 'stopped' AND (owner = ?1 OR lease_until < iris_now()) ORDER BY id",
            values![&node],
        )?,
        OwnLanes::Mine => tx.many(
            "SELECT id FROM session WHERE state <> 'stopped' AND owner <> ?1 AND lease_until < iris_now() ORDER BY id",
            values![&node],
        )?,
    };
    let mut recovery = Recovery::default();
    for row in rows {
        let Some(session) = session::lock(tx, &SessionId::new(row.text(0)))? else { continue };
        recovery.sessions += 1;
        if let Some(running) = &session.running {
            if turn::tell_again(tx, &session, running)? {
                recovery.requeued += 1;
            } else if on_interrupted(&session) == OnInterrupted::Resume {
                turn::queue_again(tx, &session, running)?;
                recovery.requeued += 1;
            } else {
                turn::end_interrupted(tx, &session, running)?;
                recovery.interrupted += 1;
            }
        }
        let because = SessionEvent::Stopped { why: StopCause::Recovered, exit: None, reason: None };
        session::enter(tx, &session, SessionState::Stopped, because)?;
        tx.run(
            "UPDATE session SET owner = NULL, pid = NULL, running = NULL, background = 0, epoch = epoch + 1 \
             WHERE id = ?1",
            values![&session.id],
        )?;
        question::put_back(tx, &session.id)?;
    }
    let processes = match own {
        OwnLanes::FromEarlierLife { processes } => processes,
        OwnLanes::Mine => 0,
    };
    if recovery.sessions > 0 || processes > 0 {
        let Recovery { interrupted, requeued, sessions } = recovery;
        let fact = Fact::Daemon(DaemonEvent::Recovered { interrupted, requeued, sessions, processes });
        event::append(tx, &[Draft { subject: Subject::default(), fact }])?;
    }
    Ok(recovery)
}

/// Whether lanes in this node's own name are its own, or those of a daemon that died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnLanes {
    /// So many of its processes were still running, and were ended before.
    FromEarlierLife {
        processes: i64,
    },
    Mine,
}

const CLOCK: &str = "clock";

fn save_clock(tx: &mut Tx<'_>, mark: &ClockMark) -> Result<(), StoreError> {
    let name = format!("{CLOCK}/{}", tx.node());
    let json = serde_json::to_string(mark).expect("a mark is plain data");
    tx.run(
        "INSERT INTO setting (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        values![&name, &json],
    )?;
    Ok(())
}

/// Iris's time goes on from where the last daemon on this home left it.
pub(crate) fn resume_clock(connection: &mut Connection, clock: &Clock, node: &NodeId) -> Result<(), StoreError> {
    connection.begin(Access::Read)?;
    let mut batch = Batch::default();
    let mut tx = Tx::new(connection, clock, node, &mut batch);
    let name = format!("{CLOCK}/{node}");
    let saved = tx.one("SELECT value FROM setting WHERE name = ?1", values![&name])?;
    if let Some(mark) = saved.and_then(|row| serde_json::from_str::<ClockMark>(row.text(0)).ok()) {
        clock.resume(&mark);
    }
    connection.rollback()
}
