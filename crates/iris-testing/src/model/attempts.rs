//! How often a script has got in the way already: a client that tries again sends the same call again.

use std::collections::HashMap;
use std::sync::Mutex;

use super::script::{Cue, Place};
use super::step::HindranceKind;

#[derive(Default)]
pub struct Attempts {
    used: Mutex<HashMap<Spot, u32>>,
}

/// One hindrance of one script of one session.
#[derive(PartialEq, Eq, Hash)]
struct Spot {
    session: Option<String>,
    place: Place,
    index: usize,
}

/// More scripts with hindrances than any test has. Beyond it all are forgotten, and old ones would begin again.
const KEPT: usize = 10_000;

impl Attempts {
    /// What goes wrong with this attempt, if anything; it is counted.
    pub fn next_hindrance(&self, session: Option<&str>, cue: &Cue, is_stream: bool) -> Option<HindranceKind> {
        let mut used = self.used.lock().expect("nothing panics while it counts");
        if used.len() >= KEPT {
            used.clear();
        }
        for (index, hindrance) in cue.hindrances.iter().enumerate() {
            if hindrance.kind.needs_stream() && !is_stream {
                continue;
            }
            let spot = Spot { session: session.map(str::to_owned), place: cue.place.clone(), index };
            let used = used.entry(spot).or_default();
            if hindrance.times.is_none_or(|times| *used < times) {
                *used += 1;
                return Some(hindrance.kind.clone());
            }
        }
        None
    }
}
