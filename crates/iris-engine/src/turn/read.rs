//! Reading turns and what was said in them: the cache, which survives everything.

use iris_core::event::Recorded;
use iris_core::id::{SessionId, TurnId};
use iris_store::turn::TurnRow;
use iris_store::{StoreError, event, turn};

use crate::engine::Engine;

impl Engine {
    pub async fn find_turn(&self, id: &TurnId) -> Result<Option<TurnRow>, StoreError> {
        let id = id.clone();
        self.inner.store.read(move |tx| turn::find(tx, &id)).await
    }

    /// A page of a session's turns, oldest first.
    pub async fn list_turns(&self, session: &SessionId, after: i64, limit: i64) -> Result<Vec<TurnRow>, StoreError> {
        let session = session.clone();
        self.inner.store.read(move |tx| turn::list(tx, &session, after, limit)).await
    }

    /// A page of what was said in a turn, oldest first.
    pub async fn list_messages(&self, turn: &TurnId, after: i64, limit: i64) -> Result<Vec<Recorded>, StoreError> {
        let turn = turn.clone();
        self.inner.store.read(move |tx| event::list_messages(tx, &turn, after, limit)).await
    }
}
