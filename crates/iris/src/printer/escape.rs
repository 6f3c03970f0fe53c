//! Making visible what a terminal would act on or hide: control characters, direction marks, characters of no width.

use std::fmt::Write;

use iris_core::visible::acts;
pub use iris_core::visible::visible as for_terminal;

/// For JSON on a terminal: such characters can only stand inside its strings, where JSON has its own way to write them.
pub fn in_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for c in json.chars() {
        if acts(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                write!(shown, "\\u{unit:04x}").expect("writing to a string cannot fail");
            }
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_stays_json() {
        let json = serde_json::to_string("a\u{1b}\u{202e}\u{7f}\u{e0041}\n").expect("a string");
        let shown = in_json(&json);
        assert_eq!(shown, r#""a\u001b\u202e\u007f\udb40\udc41\n""#);
        let back: String = serde_json::from_str(&shown).expect("still JSON");
        assert_eq!(back, "a\u{1b}\u{202e}\u{7f}\u{e0041}\n");
    }
}
