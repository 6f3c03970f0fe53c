//! Branches of a conversation: what the program of an agent has of one that went on at another node, where what is said is
//! kept by another program. Only nodes on one PostgreSQL have any.

use iris_core::event::{Draft, Fact, SessionEvent};
use iris_core::id::{NodeId, SessionId};

use crate::error::StoreError;
use crate::event;
use crate::session::{self, SessionRow};
use crate::tx::{Tx, values};

/// A node claims a session that another served so far: what that one has of it ends here. Of a node that could not start an
/// agent since it came back, it ended before.
pub(super) fn note_left(tx: &mut Tx<'_>, session: &SessionId) -> Result<(), StoreError> {
    let (node, now) = (tx.node().clone(), tx.wall_ms());
    tx.run(
        "INSERT INTO branch (session, node, left_at) \
         SELECT id, lives_on, ?1 FROM session WHERE id = ?2 AND begun = 1 AND lives_on <> ?3 ON CONFLICT DO NOTHING",
        values![now, session, &node],
    )
}

/// Whether this node's part of a conversation may have ended before the conversation did.
pub(super) fn is_old(tx: &mut Tx<'_>, session: &SessionRow) -> Result<bool, StoreError> {
    let node = tx.node().clone();
    let sql = "SELECT node FROM branch WHERE session = ?1 AND node = ?2";
    Ok(tx.one(sql, values![origin(session), &node])?.is_some())
}

/// A copy begins with what is there of the other.
fn origin(session: &SessionRow) -> &SessionId {
    session.fork_of.as_ref().filter(|_| !session.begun).unwrap_or(&session.id)
}

/// What ran at other nodes since a conversation left this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missed {
    pub turns: i64,
    pub nodes: Vec<NodeId>,
}

/// The agent goes on from where this node's part of the conversation ended. From here on that is the conversation. Whether
/// others' turns are in it is not known: nodes may share the folder in which the program keeps it.
pub fn go_on_from_old(tx: &mut Tx<'_>, id: &SessionId, epoch: i64) -> Result<Option<Missed>, StoreError> {
    let session = session::lock_owned(tx, id, epoch)?;
    let (node, of) = (tx.node().clone(), origin(&session).clone());
    let sql = "SELECT left_at FROM branch WHERE session = ?1 AND node = ?2";
    let Some(left_at) = tx.one(sql, values![&of, &node])?.map(|row| row.int(0)) else { return Ok(None) };
    let sql = "SELECT count(*) FROM turn WHERE session = ?1 AND attempts > 0 AND finished_at > ?2";
    let turns = tx.one(sql, values![&of, left_at])?.map_or(0, |row| row.int(0));
    let sql = "SELECT node FROM branch WHERE session = ?1 AND node <> ?2 AND left_at > ?3 ORDER BY left_at";
    let nodes = tx.many(sql, values![&of, &node, left_at])?.iter().map(|row| NodeId::new(row.text(0))).collect();
    forget_own(tx, id)?;
    if turns == 0 {
        return Ok(None);
    }
    let missed = Missed { turns, nodes };
    let fact = Fact::Session(SessionEvent::FellBehind { turns, nodes: missed.nodes.clone() });
    event::append(tx, &[Draft { subject: session.subject(), fact }])?;
    Ok(Some(missed))
}

pub(crate) fn forget_own(tx: &mut Tx<'_>, id: &SessionId) -> Result<(), StoreError> {
    let node = tx.node().clone();
    tx.run("DELETE FROM branch WHERE session = ?1 AND node = ?2", values![id, &node])
}
