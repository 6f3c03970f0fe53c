//! Whoever tells without waiting, and follows the turn by its events, waits for it all the same: for as long as a stream of
//! its is open. When the connection is lost that is forgotten, though it may come back.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::circle::Waiting;
use crate::engine::Engine;

/// Those that have a stream open, by the names they gave themselves, and what they wait for.
#[derive(Clone, Default)]
pub(crate) struct Followers(Arc<Mutex<HashMap<String, Follower>>>);

#[derive(Default)]
struct Follower {
    streams: usize,
    waits: Vec<Waiting>,
}

/// An open stream of a follower.
pub struct Following {
    followers: Followers,
    name: String,
}

impl Engine {
    /// Somebody follows what it tells under this name, until this is dropped.
    pub fn follow(&self, name: &str) -> Following {
        let followers = self.inner.followers.clone();
        followers.lock().entry(name.to_owned()).or_default().streams += 1;
        Following { followers, name: name.to_owned() }
    }
}

impl Followers {
    /// Notes what a follower waits for, if it is there.
    pub fn hold(&self, name: &str, waiting: Waiting) {
        if let Some(follower) = self.lock().get_mut(name) {
            follower.waits.push(waiting);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Follower>> {
        self.0.lock().expect("nothing panics while it holds the followers")
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let mut followers = self.followers.lock();
        if let Some(follower) = followers.get_mut(&self.name) {
            follower.streams -= 1;
            if follower.streams == 0 {
                followers.remove(&self.name);
            }
        }
    }
}
