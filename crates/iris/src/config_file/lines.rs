//! The lines of config.yaml. Every line that is not in question stays as it is, down to how it ends.

use iris_engine::config;
use serde_json::Value;

use crate::failure::Failure;

pub struct Lines {
    /// Each without its newline, and with the carriage return before it if it has one.
    lines: Vec<String>,
    /// What is put before the newline of a new line.
    ending: &'static str,
    /// Some editors begin a file with a mark of its encoding, which stays and is no part of the first line.
    mark: &'static str,
}

const BYTE_ORDER_MARK: &str = "\u{feff}";

impl Lines {
    pub fn of(text: &str) -> Self {
        let (mark, text) = match text.strip_prefix(BYTE_ORDER_MARK) {
            Some(text) => (BYTE_ORDER_MARK, text),
            None => ("", text),
        };
        let ending = if text.split('\n').next().is_some_and(|line| line.ends_with('\r')) { "\r" } else { "" };
        let whole = text.strip_suffix('\n').unwrap_or(text);
        let lines = if text.is_empty() { Vec::new() } else { whole.split('\n').map(str::to_owned).collect() };
        Self { lines, ending, mark }
    }

    pub fn text(&self) -> String {
        self.mark.to_owned() + &self.lines.join("\n") + "\n"
    }

    /// Whether all of it is, as JSON is.
    pub fn is_in_braces(&self) -> bool {
        let first = self.lines.iter().find(|line| !matches!(Line::of(line), Line::Empty | Line::Comment(_)));
        first.is_some_and(|line| line.trim_start().starts_with('{'))
    }

    /// Whether a block can be given lines of its own, or has them.
    pub fn has_room(&self, block: &str) -> bool {
        Block::find(&self.lines, &self.kinds(), block).is_ok()
    }

    /// What each line is. What looks like a comment, or like a key, is neither within a text of several lines.
    fn kinds(&self) -> Vec<Line> {
        let texts = config::lines_of_texts(&self.text());
        let kind = |(at, line)| if texts.contains(&(at + 1)) { Line::OfText } else { Line::of(line) };
        self.lines.iter().map(String::as_str).enumerate().map(kind).collect()
    }

    /// Adds lines at the end of a block such as `teams`, which is made if there is none. `make` is told how far one level
    /// is indented.
    pub fn add(&mut self, block: &str, make: impl FnOnce(usize) -> Vec<String>) -> Result<(), Failure> {
        let ending = self.ending;
        let Some(found) = Block::find(&self.lines, &self.kinds(), block)? else {
            if !self.lines.is_empty() {
                self.lines.push(ending.to_owned());
            }
            self.lines.push(format!("{block}:{ending}"));
            self.lines.extend(make(2).into_iter().map(|line| format!("  {line}{ending}")));
            return Ok(());
        };
        if found.is_empty {
            self.set_head(found.head, "");
        }
        let outer = " ".repeat(found.indent);
        let new = make(found.indent).into_iter().map(|line| format!("{outer}{line}{ending}"));
        self.lines.splice(found.end..found.end, new);
        Ok(())
    }

    /// Removes an entry of a block with all its lines.
    pub fn remove(&mut self, block: &str, name: &str) -> Result<(), Failure> {
        let kinds = self.kinds();
        let Some(found) = Block::find(&self.lines, &kinds, block)? else { return Ok(()) };
        let is_entry = |at: &usize| {
            let key = self.lines[*at].trim_start().split(':').next().unwrap_or_default().trim();
            kinds[*at] == Line::Said(found.indent) && key.trim_matches(['"', '\'']) == name
        };
        let Some(start) = (found.head + 1..found.end).find(is_entry) else { return Ok(()) };
        // Comments that are as far out as the entry belong to what follows; those further in are its own.
        let is_own = |kind: &Line| match kind {
            Line::Said(indent) | Line::Comment(indent) => *indent > found.indent,
            Line::Empty | Line::OfText => true,
        };
        let length = kinds[start + 1..found.end].iter().take_while(|kind| is_own(kind)).count();
        let own = kinds[start..=start + length].iter().rposition(|kind| *kind != Line::Empty).unwrap_or(0);
        let above = self.about(&kinds, start, name);
        self.lines.drain(start - above..=start + own);
        let (before, after) = (&kinds[found.head + 1..start], &kinds[start + own + 1..found.end]);
        if !before.iter().chain(after).any(Line::says_something) {
            self.set_head(found.head, " {}");
        }
        Ok(())
    }

    /// How many lines directly above an entry are a comment about it. Only one that names it surely is: any other may be
    /// the heading of them all, or an entry that somebody took out for a while.
    fn about(&self, kinds: &[Line], start: usize, name: &str) -> usize {
        let is_comment =
            |kind: &&Line| matches!((kind, kinds[start]), (Line::Comment(at), Line::Said(indent)) if *at == indent);
        let above = kinds[..start].iter().rev().take_while(is_comment).count();
        let is_of_a_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let names_it = |line: &String| line.split(|c| !is_of_a_name(c)).any(|word| word == name);
        if self.lines[start - above..start].iter().any(names_it) { above } else { 0 }
    }

    /// The line `teams:` with another value; the comment behind it stays.
    fn set_head(&mut self, at: usize, value: &str) {
        let line = &self.lines[at];
        let behind = line.find(" #").unwrap_or_else(|| line.trim_end_matches('\r').len());
        let name = &line[..=line.find(':').unwrap_or(0)];
        self.lines[at] = format!("{name}{value}{}", &line[behind..]);
    }
}

/// Where a block such as the teams is in the file.
struct Block {
    /// The line `teams:`.
    head: usize,
    /// Behind the last line of the last entry.
    end: usize,
    indent: usize,
    is_empty: bool,
}

impl Block {
    fn find(lines: &[String], kinds: &[Line], name: &str) -> Result<Option<Self>, Failure> {
        let is_head = |at: &usize| kinds[*at] == Line::Said(0) && value_behind(&lines[*at], name).is_some();
        let Some(head) = (0..lines.len()).find(is_head) else { return Ok(None) };
        let value = value_behind(&lines[head], name).unwrap_or_default();
        let value = value.split(" #").next().unwrap_or_default().trim();
        if !matches!(value, "" | "{}" | "null" | "~") {
            let what = format!(
                "line {}: `{name}` {}, which cannot be changed without losing its form",
                head + 1,
                form_of(value)
            );
            return Err(Failure::invalid(what).hint(match value.chars().next() {
                Some('&' | '!') => format!("take the word behind `{name}:` out, or edit the file yourself"),
                _ => format!("write what is in it on lines of their own, below `{name}:`"),
            }));
        }
        let below = kinds[head + 1..].iter().take_while(|kind| **kind != Line::Said(0)).count();
        let below = &kinds[head + 1..=head + below];
        let indent = below.iter().find_map(|kind| if let Line::Said(indent) = kind { Some(*indent) } else { None });
        let Some(last) = below.iter().rposition(Line::says_something) else {
            return Ok(Some(Self { head, end: head + 1, indent: 2, is_empty: true }));
        };
        let indent = indent.unwrap_or(2);
        // A comment that is not further out than the entries is about one of them, and stays with it.
        let is_of_entry = |kind: &Line| matches!(kind, Line::Comment(at) if *at >= indent);
        let behind = below[last + 1..].iter().take_while(|kind| **kind == Line::Empty || is_of_entry(kind)).count();
        let end = below[..=last + behind].iter().rposition(|kind| *kind != Line::Empty).unwrap_or(last);
        Ok(Some(Self { head, end: head + 1 + end + 1, indent, is_empty: false }))
    }
}

/// What a line is, with how far it is indented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Empty,
    Comment(usize),
    Said(usize),
    /// A further line of a text that has several.
    OfText,
}

impl Line {
    fn of(line: &str) -> Self {
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        match text.trim() {
            "" => Self::Empty,
            text if text.starts_with('#') => Self::Comment(indent),
            _ => Self::Said(indent),
        }
    }

    fn says_something(&self) -> bool {
        matches!(self, Self::Said(_) | Self::OfText)
    }
}

/// What is behind `teams:` in a line that begins with it, in quotes or without.
fn value_behind<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let quote =
        line.chars().next().filter(|c| ['"', '\''].contains(c)).map_or("", |c| if c == '"' { "\"" } else { "'" });
    let rest = line.strip_prefix(quote)?.strip_prefix(name)?.strip_prefix(quote)?;
    rest.trim_start_matches(' ').strip_prefix(':')
}

fn form_of(value: &str) -> &'static str {
    match value.chars().next() {
        Some('&') => "has an anchor (&)",
        Some('*') => "stands for something else in the file (*)",
        Some('!') => "has a tag (!)",
        Some('[') => "is a list",
        Some('{') if value.ends_with('}') => "is written on one line",
        Some('{') => "is written in braces",
        _ => "is a text",
    }
}

/// JSON is YAML; plain words are written plainly. What YAML would read as something else is quoted, and what would be taken
/// for a variable of the environment is written so that it is none.
pub fn written(value: &Value) -> String {
    const WORDS: [&str; 10] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan"];
    let is_plain = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
            && text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
            && !WORDS.contains(&text.to_ascii_lowercase().as_str())
    };
    match value.as_str() {
        Some(text) if is_plain(text) => text.to_owned(),
        _ => value.to_string().replace("${", "\\u0024{"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn try_to_add(text: &str) -> Result<String, Failure> {
        let mut lines = Lines::of(text);
        let entry = |indent| {
            let inner = " ".repeat(indent);
            vec![
                "new:".to_owned(),
                format!("{inner}path: {}", written(&json!("/new"))),
                format!("{inner}description: {}", written(&json!("yes: it is"))),
            ]
        };
        lines.add("teams", entry).map(|()| lines.text())
    }

    fn added(text: &str) -> String {
        try_to_add(text).expect("it can be changed")
    }

    fn removed(text: &str, name: &str) -> String {
        let mut lines = Lines::of(text);
        lines.remove("teams", name).expect("it can be changed");
        lines.text()
    }

    const ENTRY: &str = "  new:\n    path: /new\n    description: \"yes: it is\"\n";

    #[test]
    fn a_team_is_added_where_teams_are_and_nothing_else_changes() {
        assert_eq!(added(""), format!("teams:\n{ENTRY}"));
        assert_eq!(added("# mine\nsettings: {}\n"), format!("# mine\nsettings: {{}}\n\nteams:\n{ENTRY}"));
        assert_eq!(added("teams: {} # none yet\n\n# more\n"), format!("teams: # none yet\n{ENTRY}\n# more\n"));
        let before = "teams:\n  a:\n    path: /a # here\n";
        let after = "\n# about settings\nsettings:\n  port: 1 # odd\n";
        assert_eq!(added(&format!("{before}{after}")), format!("{before}{ENTRY}{after}"));
        let wide = "teams:\n    a: { path: /a }\n";
        let entry = "    new:\n        path: /new\n        description: \"yes: it is\"\n";
        assert_eq!(added(wide), format!("{wide}{entry}"));
        let refused = |text: &str| try_to_add(text).expect_err("it cannot be changed").message;
        assert!(refused("teams: { a: { path: /a } }\n").contains("line 1: `teams` is written on one line"));
        assert!(refused("# x\nteams: &all\n  a: {}\n").contains("line 2: `teams` has an anchor (&)"));
        assert!(refused("teams: {\n a: {} }\n").contains("`teams` is written in braces"));
    }

    #[test]
    fn a_quoted_name_and_the_mark_of_an_encoding_stay() {
        assert_eq!(added("\"teams\": {} # none\n"), format!("\"teams\": # none\n{ENTRY}"));
        assert_eq!(removed("'teams' :\n  a: { path: /a }\n", "a"), "'teams' : {}\n");
        assert_eq!(added("\u{feff}teams: {}\n"), format!("\u{feff}teams:\n{ENTRY}"));
    }

    #[test]
    fn a_team_is_removed_with_its_lines_and_nothing_else() {
        let text =
            "teams:\n  # a is\n  a:\n    path: /a # here\n\n  # b is\n  b: { path: /b }\n  'c':\n    path: /c\n# end\n";
        let gone = |name: &str| removed(text, name);
        assert_eq!(gone("a"), "teams:\n\n  # b is\n  b: { path: /b }\n  'c':\n    path: /c\n# end\n");
        assert_eq!(gone("b"), "teams:\n  # a is\n  a:\n    path: /a # here\n\n  'c':\n    path: /c\n# end\n");
        assert_eq!(gone("c"), "teams:\n  # a is\n  a:\n    path: /a # here\n\n  # b is\n  b: { path: /b }\n# end\n");
        assert_eq!(removed("teams:\n  a:\n    path: /a\n", "a"), "teams: {}\n");
        assert_eq!(removed(&added("teams: {}\n"), "new"), "teams: {}\n");
    }

    #[test]
    fn a_text_of_several_lines_is_not_looked_into() {
        let key = "teams:\n  a:\n    env:\n      KEY: |\n        one\n        # two\n\n        new:\n";
        assert_eq!(added(key), format!("{key}{ENTRY}"));
        let with_b = format!("{key}  b: {{ path: /b }}\n");
        assert_eq!(removed(&with_b, "a"), "teams:\n  b: { path: /b }\n");
        assert_eq!(removed(key, "new"), key, "it is no team");
        let quoted = "teams:\n  a:\n    description: \"one\n      # two\n      three\"\n# end\n";
        assert_eq!(added(quoted), quoted.replace("# end\n", &format!("{ENTRY}# end\n")));
        // With `+` the empty lines behind it belong to it.
        let kept = "teams:\n  a:\n    description: |+\n      one\n\n\nsettings: {}\n";
        assert_eq!(added(kept), kept.replace("settings", &format!("{ENTRY}settings")));
    }

    #[test]
    fn a_comment_stays_with_what_it_is_about() {
        let text = "teams:\n  a:\n    path: /a\n    # more of a\n  # b: not yet\n\n# end\n";
        assert_eq!(added(text), text.replace("\n\n# end", &format!("\n{ENTRY}\n# end")));
        assert_eq!(removed(&added(text), "new"), text);
        assert_eq!(removed(text, "a"), "teams: {}\n  # b: not yet\n\n# end\n");
        let two = "teams:\n  # all that we have\n  a: { path: /a }\n  # about b,\n  # and more\n  b: { path: /b }\n";
        assert_eq!(removed(two, "a"), two.replace("  a: { path: /a }\n", ""));
        assert_eq!(removed(two, "b"), "teams:\n  # all that we have\n  a: { path: /a }\n");
    }

    #[test]
    fn comments_and_the_ends_of_lines_stay() {
        assert_eq!(removed("teams: # my teams\n  a: { path: /a }\n", "a"), "teams: {} # my teams\n");
        let text = "teams:\r\n  a:\r\n    path: /a\r\n\r\n# end\r\n";
        let entry = ENTRY.replace('\n', "\r\n");
        let with = format!("teams:\r\n  a:\r\n    path: /a\r\n{entry}\r\n# end\r\n");
        assert_eq!(added(text), with);
        assert_eq!(removed(&with, "new"), text);
        assert_eq!(removed(text, "a"), "teams: {}\r\n\r\n# end\r\n");
    }

    #[test]
    fn what_yaml_or_iris_would_read_as_something_else_is_quoted() {
        for (value, expected) in [
            ("/home/a", "/home/a"),
            ("null", "\"null\""),
            ("12", "\"12\""),
            ("/a b", "\"/a b\""),
            ("/a${HOME}b", "\"/a\\u0024{HOME}b\""),
        ] {
            assert_eq!(written(&json!(value)), expected);
        }
    }
}
