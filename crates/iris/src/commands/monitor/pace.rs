//! Which reads are wanted and which are under way: none twice at once, none too often, not too many together.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokio::time::Instant;

use super::wish::Read;

#[derive(Debug, Default)]
pub struct Pace {
    /// Each with the time before which it is not read.
    wanted: BTreeMap<Read, Instant>,
    under_way: BTreeSet<Read>,
    done_at: BTreeMap<Read, Instant>,
}

/// What changes more often than this is read only so often.
const APART: Duration = Duration::from_millis(100);
/// After something went wrong that may pass.
const AGAIN: Duration = Duration::from_secs(1);
const MOST_AT_ONCE: usize = 4;

impl Pace {
    pub fn want(&mut self, read: Read, now: Instant) {
        let not_before = self.done_at.get(&read).map_or(now, |done| *done + APART);
        self.wanted.entry(read).or_insert(not_before);
    }

    pub fn want_again(&mut self, read: Read, now: Instant) {
        self.wanted.entry(read).or_insert(now + AGAIN);
    }

    pub fn done(&mut self, read: &Read, now: Instant) {
        self.under_way.remove(read);
        self.done_at.retain(|_, done| now < *done + APART);
        self.done_at.insert(read.clone(), now);
    }

    /// What is to be read now. It counts as under way.
    pub fn start(&mut self, now: Instant) -> Vec<Read> {
        let mut started = Vec::new();
        while self.under_way.len() < MOST_AT_ONCE {
            let Some(read) =
                self.wanted.iter().find(|(read, at)| **at <= now && self.may(read)).map(|(read, _)| read.clone())
            else {
                break;
            };
            self.wanted.remove(&read);
            self.under_way.insert(read.clone());
            started.push(read);
        }
        started
    }

    /// A list that is under way may be older than what would be read of one of its items.
    fn may(&self, read: &Read) -> bool {
        let waits_for_list = matches!(read, Read::Session(_)) && self.under_way.contains(&Read::Sessions);
        !waits_for_list && !self.under_way.contains(read)
    }

    /// When there may be something to start. None: not before something is done.
    pub fn next_at(&self) -> Option<Instant> {
        if self.under_way.len() >= MOST_AT_ONCE {
            return None;
        }
        self.wanted.iter().filter(|(read, _)| self.may(read)).map(|(_, at)| *at).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_is_made_once_and_again_only_after_a_while() {
        let (mut pace, now) = (Pace::default(), Instant::now());
        pace.want(Read::Teams, now);
        pace.want(Read::Teams, now);
        assert_eq!(pace.start(now), [Read::Teams]);
        pace.want(Read::Teams, now);
        assert_eq!((pace.start(now), pace.next_at()), (vec![], None), "it is under way");
        pace.done(&Read::Teams, now);
        assert_eq!(pace.start(now), [Read::Teams], "it was wanted since it began");
        pace.done(&Read::Teams, now);
        pace.want(Read::Teams, now);
        assert_eq!((pace.start(now), pace.next_at()), (vec![], Some(now + APART)));
        assert_eq!(pace.start(now + APART), [Read::Teams]);
    }

    #[test]
    fn not_too_many_at_once_and_no_item_beside_its_list() {
        let (mut pace, now) = (Pace::default(), Instant::now());
        (0..9).for_each(|number| pace.want(Read::Turn(number.to_string()), now));
        assert_eq!(pace.start(now).len(), MOST_AT_ONCE);
        let mut pace = Pace::default();
        pace.want(Read::Sessions, now);
        pace.start(now);
        pace.want(Read::Session("a".to_owned()), now);
        assert_eq!(pace.start(now), []);
        pace.done(&Read::Sessions, now);
        assert_eq!(pace.start(now), [Read::Session("a".to_owned())]);
    }
}
