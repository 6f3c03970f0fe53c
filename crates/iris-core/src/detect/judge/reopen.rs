//! Whether a sentence that closes politely asks after all before it ends.

use crate::detect::lexicon::{Cue, Cues, Hit, Marked, is_anything};
use crate::detect::page::Page;

/// "Is that clear, or shall I go through a second one?", "What's next — shall I commit?": the last clause has a name for it.
pub(super) fn asks_after_closing(page: &Page, marked: &Marked, index: usize) -> bool {
    let closing = Cues::of(&[Cue::Closer, Cue::Idle]);
    let Some(closed) = marked.first(index, closing) else { return false };
    let end = page.sentences[index].said.end;
    let open = closing.with(Cue::Else);
    let asks = |hit: &&Hit| {
        let after = &page.said[hit.end..end];
        hit.cue == Cue::Leave
            && hit.start >= closed.end
            && begins_a_clause(&page.said[closed.end..hit.start])
            && !is_anything(after)
            && !marked.hits(index).iter().any(|other| open.has(other.cue) && other.end > hit.start)
    };
    marked.hits(index).iter().any(|hit| asks(&hit))
}

/// After a comma or a dash, with nothing but an "or" before it.
fn begins_a_clause(between: &str) -> bool {
    const ORS: &[&str] = &["", "or", "oder", "ou", "o", "oppure", "или", "还是", "還是", "nebo", "そ", "아니면"];
    let stop = between.rfind([',', ';', '—', '–', '，', ':']).or_else(|| between.rfind(" - ").map(|at| at + 1));
    stop.is_some_and(|at| {
        let rest = between[at..].trim_start_matches([',', ';', '—', '–', '，', ':', '-', ' ']);
        ORS.contains(&rest.trim_end_matches([' ', '¿']))
    })
}
