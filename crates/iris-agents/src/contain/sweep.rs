//! The weaker way: processes are known by marks in their environment, and by who started them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::{Duration, Instant};

use crate::process::{self, Process};

/// What a process carries if it belongs to an agent. Everything it starts inherits it.
#[derive(Clone, Debug)]
pub(super) struct Marks(pub Vec<String>);

/// How long it is tried to end what was found.
const LIMIT: Duration = Duration::from_secs(2);
const BETWEEN_LOOKS: Duration = Duration::from_millis(4);

impl Marks {
    pub fn are_on(&self, process: &Process) -> bool {
        process.carries(&self.0)
    }
}

/// Everything that is ours, and everything those started, whatever it looks like. Never this process.
pub(super) fn find(is_ours: impl Fn(&Process) -> bool) -> Vec<Process> {
    let own = std::process::id();
    let all: Vec<Process> =
        process::list().into_iter().filter(|one| one.is_alive() && u32::try_from(one.pid) != Ok(own)).collect();
    let ours = all.iter().filter(|one| is_ours(one)).map(|one| one.pid);
    with_descendants(&all, ours.collect())
}

/// The session of each: what is said of it, else what is said of whoever started it.
pub(super) fn sessions(
    family: &[Process],
    said: impl Fn(&Process) -> Option<String>,
) -> Vec<(Process, Option<String>)> {
    let mut known: HashMap<i32, String> = family.iter().filter_map(|one| Some((one.pid, said(one)?))).collect();
    loop {
        let before = known.len();
        for one in family {
            if let Some(session) = known.get(&one.parent).filter(|_| !known.contains_key(&one.pid)).cloned() {
                known.insert(one.pid, session);
            }
        }
        if known.len() == before {
            return family.iter().map(|one| (*one, known.get(&one.pid).cloned())).collect();
        }
    }
}

pub(super) fn with_descendants(all: &[Process], mut chosen: HashSet<i32>) -> Vec<Process> {
    // Until nobody new is found. Children often have higher numbers than their parents, so this is one or two rounds.
    loop {
        let before = chosen.len();
        for one in all {
            if chosen.contains(&one.parent) {
                chosen.insert(one.pid);
            }
        }
        if chosen.len() == before {
            return all.iter().filter(|one| chosen.contains(&one.pid)).copied().collect();
        }
    }
}

/// Ends what is found, and looks again until nothing is: a process may have started another while it was looked for.
pub(super) fn end_until_none(mut find: impl FnMut() -> Vec<Process>) -> BTreeSet<(i32, u64)> {
    let until = Instant::now() + LIMIT;
    let mut ended = BTreeSet::new();
    loop {
        let found = find();
        if found.is_empty() {
            return ended;
        }
        if Instant::now() > until {
            tracing::error!(processes = ?found, "these could not be ended");
            return ended;
        }
        for one in found {
            one.kill();
            ended.insert((one.pid, one.started));
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::State;

    fn family(family: &[(i32, i32)]) -> Vec<Process> {
        let one = |(pid, parent): &(i32, i32)| Process { pid: *pid, parent: *parent, started: 1, state: State::Alive };
        family.iter().map(one).collect()
    }

    fn check(members: &[(i32, i32)], chosen: &[i32], expected: &[i32]) {
        let all = family(members);
        let found: Vec<_> =
            with_descendants(&all, chosen.iter().copied().collect()).iter().map(|one| one.pid).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_family_is_found_in_whatever_order() {
        check(&[(2, 1), (3, 2), (4, 3), (5, 1)], &[2], &[2, 3, 4]);
        check(&[(4, 9), (5, 4), (9, 1), (7, 5)], &[9], &[4, 5, 9, 7]);
        check(&[(2, 1), (3, 1)], &[], &[]);
    }

    #[test]
    fn a_child_is_of_the_session_of_its_parents_unless_it_says_otherwise() {
        let all = family(&[(4, 3), (3, 2), (2, 1), (7, 2), (8, 7), (9, 1)]);
        let said = |one: &Process| match one.pid {
            2 => Some("a".to_owned()),
            7 => Some("b".to_owned()),
            _ => None,
        };
        let found = sessions(&all, said);
        let found: Vec<_> = found.iter().map(|(one, session)| (one.pid, session.as_deref())).collect();
        assert_eq!(found, [(4, Some("a")), (3, Some("a")), (2, Some("a")), (7, Some("b")), (8, Some("b")), (9, None)]);
    }
}
