//! Sessions that ask too much. Whoever asks is told each time, people at most once a minute, whatever the door.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use iris_core::id::SessionId;
use tokio::time::Instant;

const SAID_EVERY: Duration = Duration::from_secs(60);

/// When it was last said of which.
#[derive(Default)]
pub(crate) struct Limited(Mutex<HashMap<SessionId, Instant>>);

impl Limited {
    /// Whether people are to be told now; then it counts as said.
    pub(crate) fn is_to_be_said(&self, session: &SessionId) -> bool {
        let mut said = self.0.lock().expect("nothing panics while it holds what was said");
        said.retain(|_, at| at.elapsed() < SAID_EVERY);
        if said.contains_key(session) {
            return false;
        }
        said.insert(session.clone(), Instant::now());
        true
    }
}
