//! Parts of config.yaml that are written in braces, as JSON is: `teams: { a: { path: /a } }`.
//!
//! Not understood in every detail: what comes of it is read as a config before it is used.

use iris_engine::config;
use serde_json::Value;

use super::Key;

/// Puts an entry right behind the brace of a block such as `teams`. Nothing if the block is not in braces.
pub fn add(text: &str, block: &str, entry: &str) -> Option<String> {
    if let Some(at) = brace(text, block) {
        return Some(behind(text, at, entry));
    }
    let root = brace(text, "").filter(|_| config::place_of(text, block).is_none())?;
    Some(behind(text, root, &format!("\"{block}\": {{{entry}}}")))
}

/// Takes an entry out of a block. Nothing if the block is not in braces, or the entry is not found.
pub fn remove(text: &str, block: &str, name: &str) -> Option<String> {
    let open = brace(text, block)?;
    let start = offset(text, config::place_of(text, &format!("{block}.{name}"))?)?;
    let end = start + end_of_entry(&text[start..])?;
    let (before, after) = (&text[..start], &text[end..]);
    // The comma behind it goes with it; behind the last one there is none, and the one before it goes.
    let (before, after) = match after.strip_prefix(',') {
        Some(after) => (before, after.strip_prefix(' ').unwrap_or(after)),
        None => (before.trim_end().strip_suffix(',').unwrap_or(before), after),
    };
    // A line of its own goes whole.
    let is_own_line =
        before.trim_end_matches(' ').ends_with('\n') && after.trim_start_matches(['\r', ' ']).starts_with('\n');
    let before = if is_own_line { before.trim_end_matches(' ').trim_end_matches(['\r', '\n']) } else { before };
    (before.len() > open).then(|| format!("{before}{after}"))
}

/// A team as it is written in braces.
pub fn team(name: &str, keys: &[Key]) -> String {
    let keys: Vec<_> = keys.iter().map(|(key, value)| key_in_braces(key, value)).collect();
    format!("{}: {{{}}}", serde_json::json!(name), keys.join(", "))
}

/// The values of `env` stay as they were written, variables and all.
pub fn key_in_braces(key: &str, value: &Value) -> String {
    let value = value.to_string();
    let value = if key == "env" { value } else { value.replace("${", "\\u0024{") };
    format!("\"{key}\": {value}")
}

/// Where the brace is that a block begins with.
fn brace(text: &str, block: &str) -> Option<usize> {
    let at = offset(text, config::value_place_of(text, block)?)?;
    text[at..].starts_with('{').then_some(at)
}

fn behind(text: &str, brace: usize, entry: &str) -> String {
    let (before, after) = text.split_at(brace + 1);
    let next = after.trim_start();
    if next.starts_with('}') {
        return format!("{before} {entry} {next}");
    }
    // In front of the next entry, as that one is.
    let space = &after[..after.len() - next.len()];
    format!("{before}{space}{entry},{}{next}", if space.is_empty() { " " } else { space })
}

fn offset(text: &str, (line, column): (usize, usize)) -> Option<usize> {
    let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let within = text.get(start..)?.char_indices().map(|(at, _)| at).nth(column - 1)?;
    Some(start + within)
}

/// How far an entry goes: to the comma behind it, or to the brace that closes what it is in.
fn end_of_entry(text: &str) -> Option<usize> {
    let (mut depth, mut quote, mut is_escaped) = (0_usize, None, false);
    for (at, c) in text.char_indices() {
        match quote {
            Some('"') if is_escaped => is_escaped = false,
            Some('"') if c == '\\' => is_escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None => match c {
                '"' | '\'' => quote = Some(c),
                '{' | '[' => depth += 1,
                '}' | ']' if depth == 0 => return Some(text[..at].trim_end().len()),
                '}' | ']' => depth -= 1,
                ',' if depth == 0 => return Some(at),
                // A comment may say anything, also what looks like the end.
                '#' => return None,
                _ => {}
            },
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: &str = "\"new\": {\"path\": \"/n\"}";

    #[test]
    fn an_entry_is_put_behind_the_brace_and_taken_out_again() {
        for (before, after) in [
            ("teams: {}\n", "teams: { \"new\": {\"path\": \"/n\"} }\n"),
            ("teams: { a: { path: /a } } # all\n", "teams: { \"new\": {\"path\": \"/n\"}, a: { path: /a } } # all\n"),
            (
                "{\"teams\":{\"a\":{\"path\":\"/a\"}}}",
                "{\"teams\":{\"new\": {\"path\": \"/n\"}, \"a\":{\"path\":\"/a\"}}}",
            ),
            (
                "{\n  \"teams\": {\n    \"a\": { \"path\": \"/a\" }\n  }\n}\n",
                "{\n  \"teams\": {\n    \"new\": {\"path\": \"/n\"},\n    \"a\": { \"path\": \"/a\" }\n  }\n}\n",
            ),
        ] {
            assert_eq!(add(before, "teams", NEW).as_deref(), Some(after));
            let gone = remove(after, "teams", "new").expect("taken out");
            assert_eq!(gone.replace("{  }", "{}"), before);
        }
        let root = add("{\"settings\": {}}", "teams", NEW).expect("added");
        assert_eq!(root, "{\"teams\": {\"new\": {\"path\": \"/n\"}}, \"settings\": {}}");
        assert_eq!(add("teams:\n  a: { path: /a }\n", "teams", NEW), None);
        assert_eq!(add("settings: {}\n", "teams", NEW), None);
    }

    #[test]
    fn the_last_one_takes_the_comma_before_it_and_a_comment_is_not_guessed_at() {
        let gone = |text: &str, name: &str| remove(text, "teams", name);
        let text = "teams: { a: { path: '/a,}' }, b: { path: /b } }\n";
        assert_eq!(gone(text, "b").as_deref(), Some("teams: { a: { path: '/a,}' } }\n"));
        assert_eq!(gone(text, "a").as_deref(), Some("teams: { b: { path: /b } }\n"));
        assert_eq!(gone("teams: { a: { path: /a } # }\n }\n", "a"), None);
        assert_eq!(gone("teams:\n  a: { path: /a }\n", "a"), None);
    }
}
