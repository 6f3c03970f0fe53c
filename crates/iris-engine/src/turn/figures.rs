//! What can be counted about turns: how they ended, how long they took, what they cost. From the store, so that it is the
//! same however much was said since.

use std::collections::BTreeMap;

use iris_core::id::{SessionId, TurnId};
use iris_core::turn::Ending;
use iris_store::session::{Process, list_processes};
use iris_store::turn::{Ended, list_ended};
use iris_store::{StoreError, event, wall_ms};

use crate::engine::Engine;

/// What came of the turns that ended since a time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnFigures {
    /// Everything up to this event is counted in.
    pub event: i64,
    pub total: Count,
    pub median_ms: Option<i64>,
    pub longest_ms: Option<i64>,
    pub sessions: BTreeMap<SessionId, OfSession>,
    pub slots: Vec<Slot>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Count {
    pub ended: i64,
    /// Failed or terminated.
    pub bad: i64,
    pub cost_usd: f64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct OfSession {
    pub team: String,
    pub count: Count,
    /// What its process has spent, if there is one and its team says what one may spend.
    pub spent_usd: Option<f64>,
    pub last: Option<Last>,
}

/// How the newest turn of a session ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Last {
    pub turn: TurnId,
    pub at: i64,
    pub ending: Ending,
}

/// A piece of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slot {
    pub at: i64,
    pub count: Count,
    pub median_ms: Option<i64>,
    /// The slowest twentieth took at least so long.
    pub slow_ms: Option<i64>,
}

/// How the newest turn of a session ended is told for this long: what is older is history.
const LAST_MS: i64 = 24 * 3_600_000;
/// The shortest time that is cut into pieces, and the shortest piece: less is no picture.
const SHORTEST_MS: i64 = 3_600_000;
const SHORTEST_SLOT_MS: i64 = 60_000;

impl Engine {
    /// Of the turns that ended since then, by the clock on the wall; in so many equal pieces of time at most.
    pub async fn turn_figures(&self, since: i64, slots: i64) -> Result<TurnFigures, StoreError> {
        let config = self.inner.config();
        let now = wall_ms();
        let read = move |tx: &mut iris_store::Tx<'_>| {
            let has_budget =
                |process: &Process| config.teams.get(&process.team).is_some_and(|team| team.max_budget_usd.is_some());
            let mut processes = list_processes(tx)?;
            processes.retain(has_budget);
            let earliest = processes.iter().map(|process| process.started_at).min().unwrap_or(since);
            let newest = event::newest(tx)?;
            let ends = list_ended(tx, since.min(now - LAST_MS).min(earliest))?;
            Ok((ends, processes, newest))
        };
        let (ends, processes, newest) = self.inner.store.read(read).await?;
        Ok(TurnFigures { event: newest, ..count(&ends, &processes, since, now, slots) })
    }
}

fn count(ends: &[Ended], processes: &[Process], since: i64, now: i64, slots: i64) -> TurnFigures {
    let mut figures = TurnFigures::default();
    for process in processes {
        let session = OfSession { team: process.team.to_string(), spent_usd: Some(0.0), ..OfSession::default() };
        figures.sessions.insert(process.session.clone(), session);
    }
    let started: BTreeMap<_, _> = processes.iter().map(|process| (&process.session, process.started_at)).collect();
    for end in ends {
        let session = figures.sessions.entry(end.session.clone()).or_default();
        session.team.clone_from(&end.team);
        session.last = Some(Last { turn: end.turn.clone(), at: end.at, ending: end.how.ending.clone() });
        if let Some(spent) = session.spent_usd.as_mut()
            && started.get(&end.session).is_some_and(|started| end.at >= *started)
        {
            *spent += end.how.cost_usd;
        }
        if end.at >= since {
            session.count.add(end);
            figures.total.add(end);
        }
    }
    let wanted = &ends[ends.partition_point(|end| end.at < since)..];
    let times = times(wanted);
    figures.median_ms = part(&times, 50);
    figures.longest_ms = times.last().copied();
    figures.slots = cut(wanted, now, slots);
    figures
}

impl Count {
    fn add(&mut self, end: &Ended) {
        self.ended += 1;
        self.bad += i64::from(matches!(end.how.ending, Ending::Failed { .. } | Ending::Terminated { .. }));
        self.cost_usd += end.how.cost_usd;
    }
}

/// Equal pieces of time that cover everything.
fn cut(ends: &[Ended], now: i64, most: i64) -> Vec<Slot> {
    if most < 1 {
        return Vec::new();
    }
    let first = ends.first().map_or(now, |end| end.at).min(now - SHORTEST_MS);
    let width = ((now - first) / most + 1).max(SHORTEST_SLOT_MS);
    let pieces = (now - first) / width + 1;
    let start = now + 1 - width * pieces;
    let mut rest = ends;
    let slot = |piece: i64| {
        let at = start + piece * width;
        // The clock on the wall may have been put back: what is later than now is in the last one.
        let is_last = piece == pieces - 1;
        let (inside, later) = rest.split_at(rest.partition_point(|end| is_last || end.at < at + width));
        rest = later;
        let (mut count, times) = (Count::default(), times(inside));
        inside.iter().for_each(|end| count.add(end));
        Slot { at, count, median_ms: part(&times, 50), slow_ms: part(&times, 95) }
    };
    (0..pieces).map(slot).collect()
}

fn times(ends: &[Ended]) -> Vec<i64> {
    let mut times: Vec<i64> = ends.iter().map(|end| end.how.duration_ms).collect();
    times.sort_unstable();
    times
}

/// The value below which so many of a hundred lie.
fn part(sorted: &[i64], percent: usize) -> Option<i64> {
    sorted.get((sorted.len() * percent / 100).min(sorted.len().saturating_sub(1))).copied()
}

#[cfg(test)]
mod tests {
    use iris_core::event::TurnFinished;

    use super::*;

    const DAY: i64 = 24 * 3_600_000;
    const NOW: i64 = 100 * DAY;

    fn end(session: &str, at: i64, ending: Ending, cost_usd: f64) -> Ended {
        let how = TurnFinished { ending, duration_ms: at % 100, cost_usd };
        let (session, turn) = (SessionId::new(session), TurnId::new(format!("t{at}")));
        Ended { seq: at, at, team: "alpha".to_owned(), session, turn, how }
    }

    fn failed() -> Ending {
        Ending::Failed { error: "no".to_owned() }
    }

    #[test]
    fn what_is_older_says_only_how_the_last_turn_ended() {
        let ends = [end("a", NOW - 2000, failed(), 1.0), end("b", NOW - 500, Ending::Completed, 0.25)];
        let figures = count(&ends, &[], NOW - 1000, NOW, 0);
        assert_eq!(figures.total, Count { ended: 1, bad: 0, cost_usd: 0.25 });
        let old = &figures.sessions[&SessionId::new("a")];
        assert_eq!((old.count.ended, old.last.as_ref().map(|last| &last.ending)), (0, Some(&failed())));
    }

    #[test]
    fn a_process_has_spent_what_ended_since_its_start_however_long_that_is_ago() {
        let process = |session: &str, started_at| Process {
            session: SessionId::new(session),
            team: "alpha".parse().expect("a name"),
            started_at,
        };
        let ends =
            [end("a", 10, Ending::Completed, 1.0), end("a", 20, failed(), 2.0), end("b", 30, Ending::Completed, 4.0)];
        let figures = count(&ends, &[process("a", 20), process("c", 20)], NOW, NOW, 0);
        let spent = |session: &str| figures.sessions[&SessionId::new(session)].spent_usd;
        assert_eq!((spent("a"), spent("b"), spent("c")), (Some(2.0), None, Some(0.0)));
    }

    #[test]
    fn pieces_of_time_lose_nothing() {
        let ends: Vec<_> = (0..100).map(|number| end("a", NOW - DAY + number * 60_000, failed(), 0.5)).collect();
        let pieces = cut(&ends, NOW, 48);
        assert!(pieces.len() <= 48, "{}", pieces.len());
        assert_eq!(pieces.iter().map(|piece| piece.count.bad).sum::<i64>(), 100);
        assert!(pieces.windows(2).all(|pair| pair[0].at < pair[1].at));
        let late = [end("a", NOW + DAY, failed(), 0.5)];
        assert_eq!(cut(&late, NOW, 48).last().map(|piece| piece.count.ended), Some(1), "by another clock");
        assert_eq!(cut(&[], NOW, 48).len(), 48, "an hour, with nothing in it");
    }
}
