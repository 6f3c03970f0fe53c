//! A variable that stands for a list or for keys: `allowedTools: ${TOOLS}` with `[Bash, Read]` in it. Only where such a
//! thing is wanted is it one, and only if it is whole by itself: it changes nothing but the value it stands for.

use saphyr_parser::{Event, Parser};

/// The text in the one line that it is put into, if it is a list or keys, in brackets.
pub fn in_brackets(text: &str) -> Option<String> {
    let text = text.trim();
    if !text.starts_with(['[', '{']) {
        return None;
    }
    if text.contains('\n') {
        // How the lines of YAML are set in matters where they come to stand. Those of JSON are one line as well.
        return serde_json::from_str(text).ok().map(|value: serde_json::Value| value.to_string());
    }
    let length = text.chars().count();
    let (mut depth, mut end) = (0_usize, 0);
    for event in Parser::new_from_str(text) {
        let (event, span) = event.ok()?;
        match event {
            // Another part of the file may mean something by that name.
            Event::Scalar(_, _, 1.., _) | Event::SequenceStart(1.., _) | Event::MappingStart(1.., _) => return None,
            Event::SequenceStart(..) | Event::MappingStart(..) => depth += 1,
            Event::SequenceEnd | Event::MappingEnd => {
                depth -= 1;
                end = if depth == 0 { span.start.index() + 1 } else { end };
            }
            _ => {}
        }
    }
    (end == length).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_whole_by_itself_is_taken() {
        for whole in ["[a, b]", "{A: b, C: [d, '}']}", "[]", " [a] "] {
            assert_eq!(in_brackets(whole).as_deref(), Some(whole.trim()));
        }
        assert_eq!(in_brackets("{\n  \"a\": [\n 1 ]\n}\n").as_deref(), Some("{\"a\":[1]}"));
        for other in [
            "a",
            "- a",
            "a: b",
            "[a",
            "[a]]",
            "[a], b",
            "[a] # b ]",
            "[&x a]",
            "[*x]",
            "{a: b}\nc: {}",
            "[a]\n---\n[b]",
        ] {
            assert_eq!(in_brackets(other), None, "{other}");
        }
    }
}
