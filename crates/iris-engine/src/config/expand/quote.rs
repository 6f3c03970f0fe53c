//! What a text is in YAML: as it is, or in double quotes.

/// Numbers, truths, names and paths of the plainest kind. They are the same in YAML with quotes or without, but for what
/// they can be taken for: a port must not be a text.
pub fn is_plain_word(value: &str) -> bool {
    let mut chars = value.chars();
    let begins = match chars.next() {
        Some('-' | '+') => chars.next().is_some_and(|c| c.is_ascii_digit() || c == '.'),
        Some(c) => c.is_ascii_alphanumeric() || "/_.".contains(c),
        None => false,
    };
    begins && value.chars().all(|c| c.is_ascii_alphanumeric() || "/_.-+@%=".contains(c))
}

/// Words that are the same in quotes and without, and that are no part of a list or of keys.
pub fn is_plain_text(value: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || " /_.-+@%=:~$()".contains(c);
    value.chars().all(is_plain) && !value.contains(": ") && !value.ends_with(':')
}

/// What YAML does not take, or takes for the end of a line.
pub fn has_controls(value: &str) -> bool {
    value.chars().any(|c| is_control(c) && c != '\t')
}

fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// How long what is in quotes is, with its quotes. More may follow it.
pub fn length(quoted: &[char]) -> usize {
    let mut at = 1;
    while at < quoted.len() {
        at += match (quoted[0], quoted[at]) {
            ('"', '\\') => 2,
            ('\'', '\'') if quoted.get(at + 1) == Some(&'\'') => 2,
            (open, c) if c == open => return at + 1,
            _ => 1,
        };
    }
    quoted.len()
}

/// For double quotes. Spaces at its ends might be at the end of a line, where they are lost.
pub fn escaped(value: &str) -> String {
    let inner = value.trim_matches(' ');
    let (before, after) = match value.find(inner) {
        Some(_) if inner.is_empty() => (value.len(), 0),
        at => (at.unwrap_or_default(), value.len() - at.unwrap_or_default() - inner.len()),
    };
    let mut escaped = "\\x20".repeat(before);
    for c in inner.chars() {
        match c {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '\t' => escaped.push_str("\\t"),
            '\n' => escaped.push_str("\\n"),
            c if is_control(c) => escaped.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => escaped.push(c),
        }
    }
    escaped + &"\\x20".repeat(after)
}
