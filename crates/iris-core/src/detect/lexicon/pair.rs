//! What two phrases mean together: "the spec" and "does not cover" are a gap, whatever stands between them.
//!
//! A language has many words for each of the two, and more ways to join them than anybody would list.

use super::Hit;
use super::cue::{Cue, Cues};

/// How far apart they may stand, in bytes.
const NEAR: usize = 90;
/// "Please start the two services with the commands above, wait until both are up, and tell me …"
const FAR: usize = 160;
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

const PAIRS: [Pair; 16] = [
    Pair { first: Cue::Source, second: Cue::Silent, means: Cue::Gap, turned: true, near: NEAR },
    Pair { first: Cue::Await, second: Cue::Yes, means: Cue::Confirm, turned: true, near: NEAR },
    Pair { first: Cue::Do, second: Cue::Sake, means: Cue::Request, turned: false, near: NEAR },
    Pair { first: Cue::Evidence, second: Cue::Shows, means: Cue::Shown, turned: false, near: NEAR },
    Pair { first: Cue::Tell, second: Cue::WhichOne, means: Cue::Pick, turned: false, near: BESIDE },
    Pair { first: Cue::Further, second: Cue::Need, means: Cue::Request, turned: true, near: NEAR },
    Pair { first: Cue::Once, second: Cue::Back, means: Cue::Request, turned: false, near: FAR },
    Pair { first: Cue::Fine, second: Cue::Step, means: Cue::Agreed, turned: false, near: NEAR },
    Pair { first: Cue::Object, second: Cue::Back, means: Cue::Request, turned: false, near: NEAR },
    Pair { first: Cue::GoOn, second: Cue::Sending, means: Cue::Request, turned: false, near: BESIDE },
    Pair { first: Cue::Say, second: Cue::Permit, means: Cue::Confirm, turned: false, near: BESIDE },
    Pair { first: Cue::Hold, second: Cue::Until, means: Cue::Confirm, turned: true, near: NEAR },
    Pair { first: Cue::Unable, second: Cue::Stuck, means: Cue::Wait, turned: true, near: NEAR },
    Pair { first: Cue::Must, second: Cue::Unable, means: Cue::Request, turned: true, near: NEAR },
    Pair { first: Cue::Unsettled, second: Cue::Silent, means: Cue::Request, turned: false, near: NEAR },
    Pair { first: Cue::Theirs, second: Cue::Step, means: Cue::Request, turned: false, near: NEAR },
];

/// "I can't renew it from here. Somebody with access has to.": the halves of this one may stand in two sentences.
pub(super) fn across(before: Cues, hits: &[Hit]) -> Option<Hit> {
    let half = hits.iter().find(|hit| {
        (matches!(hit.cue, Cue::Must | Cue::Stuck) && before.has(Cue::Unable))
            || (hit.cue == Cue::Unable && before.has(Cue::Must))
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
            (pair.turned || first.start <= second.start)
                && to.start <= from.end + pair.near
                && !hits.iter().any(|hit| is_offered(hit, second))
                && (pair.turned || !hits.iter().any(|hit| comes_between(hit, from, to)))
        };
        let second = |first: &Hit| of(pair.second).find(|second| fits(&first, second)).copied();
        let (first, second) = of(pair.first).find_map(|first| Some((*first, second(first)?)))?;
        Some(Hit { cue: pair.means, start: first.start.min(second.start), end: first.end.max(second.end) })
    })
}

/// "Restart it, and if it fails, tell me": what is told then may never be.
fn comes_between(hit: &Hit, first: &Hit, second: &Hit) -> bool {
    let may_be = matches!(hit.cue, Cue::Condition | Cue::Offer | Cue::Closer);
    // "Let me know" alone only says that it is told; "let me know if" says that it may never be.
    let is_longer = hit.start == second.start && hit.end > second.end;
    may_be && first.end <= hit.start && (hit.start < second.start || is_longer)
}

/// "Say the word if …": what looks like a half is a part of an offer.
fn is_offered(hit: &Hit, half: &Hit) -> bool {
    hit.cue == Cue::Offer && hit.start < half.start && half.end <= hit.end
}
