//! "(y/n)": what a sentence ends with that is to be answered with a yes or a no, also where it has no question mark.

/// Nothing else is written like these.
const PLAIN: &[&str] = &["y/n", "yes/no"];
/// These may be anything but in brackets: "s/n" is a serial number, too.
const BRACKETED: &[&str] = &[
    "j/n",
    "ja/nein",
    "ja/nee",
    "o/n",
    "oui/non",
    "s/n",
    "sí/no",
    "si/no",
    "sì/no",
    "sim/não",
    "да/нет",
    "д/н",
    "так/ні",
    "是/否",
    "是/不是",
    "是/不",
    "はい/いいえ",
    "예/아니오",
    "예/아니요",
    "네/아니오",
    "네/아니요",
    "a/n",
    "ano/ne",
    "t/n",
    "tak/nie",
    "e/h",
    "evet/hayır",
];
/// The longest marker with its brackets, spaces and marks.
const LONGEST: usize = 40;

/// Where the marker begins that the text ends with.
pub(super) fn find(text: &str) -> Option<usize> {
    let tail = &text[text.ceil_char_boundary(text.len().saturating_sub(LONGEST))..];
    if !tail.contains('/') {
        return None;
    }
    let inside = tail.trim_end_matches([' ', '?', '？', '.', '。', ':', '：', '>', '*', '_']);
    // An opening bracket may have been left out before, as the mark of a link that it could be.
    let closed = inside.strip_suffix([')', '）', ']', '］']);
    let inside = closed.unwrap_or(inside);
    let open = inside.rfind(['(', '（', '[', '［']).filter(|_| closed.is_some());
    let from = open.or_else(|| inside.rfind(' ').map(|at| at + 1)).unwrap_or(0);
    let spaced = |next: &char| !matches!(next, '(' | '（' | '[' | '［' | ' ' | '*' | '_');
    let word: String = inside[from..].chars().filter(spaced).flat_map(char::to_lowercase).collect();
    let known = PLAIN.contains(&word.as_str()) || (closed.is_some() && BRACKETED.contains(&word.as_str()));
    known.then(|| text.len() - tail.len() + from)
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn a_marker_is_found_at_the_end_only_and_in_many_languages() {
        for text in
            ["Go (y/n)", "Go [Y/n]", "Go Y/n]", "Go (yes/no)?", "Go yes/no", "Go y/n?", "Go (J / N):", "Go （是/否）"]
        {
            assert_eq!(find(text), Some(3), "{text}");
        }
        for text in ["Push", "Push (y/n) and go", "the S/N", "and/or", "a/n", "(and/or)", "src/yes/no", ""] {
            assert_eq!(find(text), None, "{text}");
        }
    }
}
