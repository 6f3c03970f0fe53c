//! JSON as it was meant, byte for byte as long as what was written, so that a place in one is the same place in the other.

use serde_json::Value;

#[derive(Debug, Default)]
pub(super) struct Tidy {
    pub text: String,
    /// Where the first value that was opened is closed.
    pub closed_at: Option<usize>,
    /// The brackets that are missing at the end. None if a string is.
    pub missing: Option<String>,
}

/// Quotes of any kind, also within a text; the words of Python; the marks of a quotation before a line.
pub(super) fn read(body: &str) -> Tidy {
    read_until(body, |_| false)
}

/// The same up to where the first value is closed.
pub(super) fn read_value(body: &str) -> Tidy {
    read_until(body, |tidy| tidy.closed_at.is_some())
}

fn read_until(body: &str, is_enough: impl Fn(&Tidy) -> bool) -> Tidy {
    let mut tidy = Tidy::default();
    let mut open = Vec::new();
    let mut quote = None;
    let mut rest = body;
    while let Some(sign) = rest.chars().next().filter(|_| !is_enough(&tidy)) {
        let length = match quote {
            Some(opened) => in_string(opened, sign, rest, &mut quote, &mut tidy.text),
            None => between(sign, rest, &mut quote, &mut tidy.text),
        };
        if quote.is_none() && length == 1 {
            match sign {
                '{' => open.push('}'),
                '[' => open.push(']'),
                '}' | ']' => {
                    open.pop();
                    if open.is_empty() && tidy.closed_at.is_none() {
                        tidy.closed_at = Some(body.len() - rest.len() + 1);
                    }
                }
                _ => {}
            }
        }
        rest = &rest[length..];
    }
    tidy.missing = quote.is_none().then(|| open.iter().rev().collect());
    tidy
}

/// A quote within a text is kept as a sign that JSON has no use for.
pub(super) fn restore(value: &mut Value) {
    match value {
        Value::String(text) => *text = restored(text),
        Value::Array(list) => list.iter_mut().for_each(restore),
        Value::Object(fields) => fields.values_mut().for_each(restore),
        _ => {}
    }
}

pub(super) fn restored(text: &str) -> String {
    text.replace(DOUBLE, "\"").replace(SINGLE, "'")
}

const DOUBLE: char = '\u{2}';
const SINGLE: char = '\u{7}';

/// Copies what stands there between strings, and says how long it is.
fn between(sign: char, rest: &str, quote: &mut Option<char>, text: &mut String) -> usize {
    const WORDS: [(&str, &str); 3] = [("True", "true"), ("False", "false"), ("None", "null")];
    if let Some((python, json)) = WORDS.iter().find(|(python, _)| rest.starts_with(python)) {
        text.push_str(json);
        return python.len();
    }
    let comment = match rest.get(..2) {
        Some("//") => rest.find('\n'),
        Some("/*") => rest.find("*/").map(|end| end + 2),
        _ => Some(0),
    };
    let comment = comment.unwrap_or(rest.len());
    if comment > 0 {
        text.push_str(&rest[..comment]);
        return comment;
    }
    match sign {
        '"' | '\'' => text.push(sign),
        '`' => text.push('"'),
        '“' | '”' | '„' => text.push_str("  \""),
        '>' if text.rsplit('\n').next().is_some_and(|line| line.trim().is_empty()) => text.push(' '),
        _ => text.push(sign),
    }
    *quote = matches!(sign, '"' | '\'' | '`' | '“' | '”' | '„').then_some(sign);
    sign.len_utf8()
}

/// The same within a string. It ends with a quote after which JSON goes on.
fn in_string(opened: char, sign: char, rest: &str, quote: &mut Option<char>, text: &mut String) -> usize {
    let is_curly = |sign: char| matches!(sign, '“' | '”' | '„');
    if sign == '\\' {
        let length = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
        text.push_str(&rest[..length]);
        return length;
    }
    let closes = sign == opened || (is_curly(opened) && (is_curly(sign) || sign == '"'));
    let after = rest[sign.len_utf8()..].trim_start_matches([' ', '\t', '\r']);
    if closes && (after.is_empty() || after.starts_with([',', ':', '}', ']', '\n', '/'])) {
        *quote = None;
        text.push(if opened == '\'' { '\'' } else { '"' });
        (1..sign.len_utf8()).for_each(|_| text.push(' '));
        return sign.len_utf8();
    }
    text.push(match sign {
        '"' => DOUBLE,
        '\'' if opened == '\'' => SINGLE,
        _ => sign,
    });
    sign.len_utf8()
}
