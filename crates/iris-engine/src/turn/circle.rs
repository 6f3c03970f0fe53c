//! Agents that ask agents. A chain of tells has a limited length, and a circle of agents that wait for each other is found
//! before it is closed.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use iris_core::id::TurnId;
use iris_store::{StoreError, Tx, session, turn};

use super::tell::{Patience, Tell, TellError};
use crate::engine::Engine;

/// Which turns wait for which: an agent at work on the first has told the second and waits for its end.
#[derive(Clone, Default)]
pub(crate) struct Waits(Arc<Mutex<HashMap<TurnId, Vec<TurnId>>>>);

/// Taken back when it is dropped.
pub(crate) struct Waiting {
    waits: Waits,
    from: TurnId,
    to: TurnId,
}

impl Waits {
    fn add(&self, from: &TurnId, to: &TurnId) -> Waiting {
        self.lock().entry(from.clone()).or_default().push(to.clone());
        Waiting { waits: self.clone(), from: from.clone(), to: to.clone() }
    }

    fn all(&self) -> HashMap<TurnId, Vec<TurnId>> {
        self.lock().clone()
    }

    /// Whether the turn's agent waits for another.
    pub fn waits(&self, turn: &TurnId) -> bool {
        self.lock().contains_key(turn)
    }

    /// Whether an agent waits for the turn.
    pub fn is_waited_for(&self, turn: &TurnId) -> bool {
        self.lock().values().flatten().any(|told| told == turn)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<TurnId, Vec<TurnId>>> {
        self.0.lock().expect("nothing panics while it holds the waits")
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut waits = self.waits.lock();
        if let Some(told) = waits.get_mut(&self.from) {
            told.retain(|turn| *turn != self.to);
            if told.is_empty() {
                waits.remove(&self.from);
            }
        }
    }
}

impl Engine {
    /// How deep in a chain of tells this one is.
    pub(super) async fn depth_of(&self, tell: &Tell) -> Result<i64, TellError> {
        let Some(within) = tell.within.clone() else { return Ok(0) };
        let caller = self.inner.store.read(move |tx| turn::find(tx, &within)).await?;
        let depth = caller.map_or(0, |caller| caller.depth) + 1;
        let limit = i64::from(self.inner.config().settings.max_tell_depth);
        if depth > limit { Err(TellError::TooDeep { depth, limit }) } else { Ok(depth) }
    }

    /// Notes that an agent waits for the turn it has told. If that closes a circle, the turn is withdrawn again.
    pub(super) async fn begin_waiting(&self, tell: &Tell, told: &TurnId) -> Result<Option<Waiting>, TellError> {
        let begun = self.join_waiting(tell, told).await;
        if let Err(TellError::Circle { .. }) = &begun
            && let Err(error) = self.cancel_turn(told, None).await
        {
            tracing::warn!(turn = %told, %error, "a tell that would have waited for itself could not be withdrawn");
        }
        begun
    }

    /// The same for a turn that was told before, and that others wait for: it stays. Each notes first and looks then, so of
    /// two that close a circle at once at least one sees it.
    pub(super) async fn join_waiting(&self, tell: &Tell, told: &TurnId) -> Result<Option<Waiting>, TellError> {
        let waits = tell.patience != Patience::None || tell.follower.is_some();
        let Some(caller) = tell.within.clone().filter(|_| waits) else { return Ok(None) };
        let waiting = self.inner.waits.add(&caller, told);
        let (waits, start, goal) = (self.inner.waits.all(), told.clone(), caller);
        let circle = self.inner.store.read(move |tx| find_circle(tx, &waits, &start, &goal)).await?;
        match (circle, &tell.follower) {
            (Some(path), _) => Err(TellError::Circle { to: tell.to.clone(), path }),
            (None, Some(follower)) if tell.patience == Patience::None => {
                self.inner.followers.hold(follower, waiting);
                Ok(None)
            }
            (None, _) => Ok(Some(waiting)),
        }
    }
}

/// The way from a turn to another over everything that one waits for, in the names of the teams; `None` if there is none.
fn find_circle(
    tx: &mut Tx<'_>,
    waits: &HashMap<TurnId, Vec<TurnId>>,
    start: &TurnId,
    goal: &TurnId,
) -> Result<Option<Vec<String>>, StoreError> {
    let mut seen = HashSet::new();
    let mut ways = vec![vec![start.clone()]];
    while let Some(way) = ways.pop() {
        let Some(here) = way.last().filter(|here| seen.insert((*here).clone())) else { continue };
        if here == goal {
            return way.iter().map(|turn| name(tx, turn)).collect::<Result<_, _>>().map(Some);
        }
        let queued_behind = turn::waits_for(tx, here)?;
        for next in waits.get(here).into_iter().flatten().chain(&queued_behind) {
            ways.push(way.iter().cloned().chain([next.clone()]).collect());
        }
    }
    Ok(None)
}

/// Who works on a turn, and for whom.
fn name(tx: &mut Tx<'_>, id: &TurnId) -> Result<String, StoreError> {
    let Some(row) = turn::find(tx, id)? else { return Ok(id.to_string()) };
    let session = session::find(tx, &row.session)?;
    Ok(session.map_or_else(|| id.to_string(), |session| format!("{} (asked by {})", session.to, session.from)))
}

/// A turn that waits behind another of its own session is one link with it.
pub(super) fn chain(path: &[String]) -> String {
    let links: Vec<&str> = path.chunk_by(|one, next| one == next).map(|same| same[0].as_str()).collect();
    format!("it would wait for you for ever. Each of these waits for the next: {}", links.join(" -> "))
}
