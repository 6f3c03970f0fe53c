//! What two phrases mean together: "the spec" and "does not cover" are a gap, whatever stands between them.
//!
//! A language has many words for each of the two, and more ways to join them than anybody would list.

use super::Hit;
use super::cue::{Cue, Cues};

/// How far apart they may stand, in bytes.
const NEAR: usize = 90;
/// In the same breath: "tell me with which", not "tell me if …, which".
const BESIDE: usize = 24;

struct Pair {
    first: Cue,
    second: Cue,
    means: Cue,
    /// In either order.
    turned: bool,
    near: usize,
}

const PAIRS: [Pair; 7] = [
    Pair { first: Cue::Source, second: Cue::Silent, means: Cue::Gap, turned: true, near: NEAR },
    Pair { first: Cue::Await, second: Cue::Yes, means: Cue::Confirm, turned: true, near: NEAR },
    Pair { first: Cue::Do, second: Cue::Sake, means: Cue::Request, turned: false, near: NEAR },
    Pair { first: Cue::Evidence, second: Cue::Shows, means: Cue::Shown, turned: false, near: NEAR },
    Pair { first: Cue::Tell, second: Cue::WhichOne, means: Cue::Pick, turned: false, near: BESIDE },
    Pair { first: Cue::Further, second: Cue::Need, means: Cue::Request, turned: true, near: NEAR },
    Pair { first: Cue::Must, second: Cue::Unable, means: Cue::Request, turned: true, near: NEAR },
];

/// "I can't renew it from here. Somebody with access has to.": the halves of this one may stand in two sentences.
pub(super) fn across(before: Cues, hits: &[Hit]) -> Option<Hit> {
    let half = hits.iter().find(|hit| {
        (hit.cue == Cue::Must && before.has(Cue::Unable)) || (hit.cue == Cue::Unable && before.has(Cue::Must))
    });
    half.map(|hit| Hit { cue: Cue::Request, ..*hit })
}

/// What the phrases of a sentence mean in pairs. They are given from left to right.
pub(super) fn find(hits: &[Hit], cues: Cues) -> impl Iterator<Item = Hit> {
    let there = PAIRS.iter().filter(move |pair| cues.has(pair.first) && cues.has(pair.second));
    there.filter_map(|pair| {
        let of = |cue| hits.iter().filter(move |hit| hit.cue == cue);
        let fits = |first: &&Hit, second: &&Hit| {
            let (from, to) = if second.start < first.start { (second, first) } else { (first, second) };
            (pair.turned || first.start <= second.start) && to.start <= from.end + pair.near
        };
        let second = |first: &Hit| of(pair.second).find(|second| fits(&first, second)).copied();
        let (first, second) = of(pair.first).find_map(|first| Some((*first, second(first)?)))?;
        Some(Hit { cue: pair.means, start: first.start.min(second.start), end: first.end.max(second.end) })
    })
}
