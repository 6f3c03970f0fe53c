//! `${VAR}` and `${VAR:-default}` in the config. `$${` is a `${` that is meant as it stands.
//!
//! The value of a variable is data: whatever is in it, it arrives as it is and as one value, never as a comment or as keys of
//! anything else; as keys or a list only where such are wanted. So it is first looked where in the YAML each variable stands, with a word in its place, and then filled in as
//! that place needs it: escaped in quotes, and put in quotes where it stands in none and is more than a plain word. A
//! default is text of the config's author and is put in as it is written, but for the variables that it names itself.

mod filled;
mod find;
mod parts;
mod quote;
mod read;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use filled::Edit;
pub use filled::Filled;
use find::{Found, Variable};
use read::Fill;

use super::place::{find_key_at, locate, locate_item};
use super::schema;

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{trouble}")]
pub struct ExpandError {
    pub line: usize,
    pub column: usize,
    trouble: Trouble,
}

impl ExpandError {
    /// The variable that the environment does not have, if it is that.
    pub fn missing(&self) -> Option<&str> {
        match &self.trouble {
            Trouble::Missing { name } => Some(name),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum Trouble {
    #[error("the environment has no {name}; set it, or write ${{{name}:-a default}}")]
    Missing { name: String },
    #[error("'${{' is never closed")]
    Open,
    #[error("'${{{inside}}}' names no variable; write ${{NAME}} or ${{NAME:-a default}}")]
    NoName { inside: String },
    #[error("{name} begins with a space or has control characters, and a text of several lines cannot; use quotes")]
    NotInABlock { name: String },
    #[error(
        "{name} is empty or more than a plain word, and the default it stands in is more than a text; use quotes outside"
    )]
    NotInADefault { name: String },
    #[error("defaults are nested too deeply here")]
    Deep,
}

pub fn expand(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Filled, ExpandError> {
    let found = find::find(text, variable);
    if found.variables.is_empty() {
        return Ok(Filled::unchanged(text));
    }
    let source: Vec<char> = found.masked.chars().collect();
    let mut edits = Vec::new();
    for event in Parser::new_from_str(&found.masked) {
        // What is wrong with it is told by whoever reads it.
        let Ok((event, span)) = event else { return Ok(Filled::new(text, edits, false)) };
        if let Event::Scalar(value, style, _, tag) = event {
            if let (ScalarStyle::Plain, None, Some(text)) =
                (style, tag, found.given_alone(&value).and_then(parts::in_brackets))
                && are_parts_wanted(&found.masked, &span)
            {
                let (start, end) = Scalar { value: &value, style, span, source: &source }.bounds();
                edits.push(Edit { start, end, text });
                continue;
            }
            fill_scalar(&found, &Scalar { value: &value, style, span, source: &source }, &mut edits)?;
        }
    }
    Ok(Filled::new(text, edits, true))
}

/// Whether a list or keys are to stand at a place.
fn are_parts_wanted(yaml: &str, span: &Span) -> bool {
    let spot = (span.start.line(), span.start.col() + 1);
    let Some(key) = find_key_at(yaml, spot) else { return false };
    // What is in a list is at its key, too, and is not what the key wants; a list may begin where its first item does.
    let is_item = locate_item(yaml, &key, 0) == Some(spot);
    !is_item && locate(yaml, &key) == Some(spot) && schema::wants_parts(&key)
}

/// A value or a key as it stands in the file, with a word in the place of each variable.
struct Scalar<'a> {
    value: &'a str,
    style: ScalarStyle,
    span: Span,
    source: &'a [char],
}

fn fill_scalar(found: &Found, scalar: &Scalar<'_>, edits: &mut Vec<Edit>) -> Result<(), ExpandError> {
    let variables = found.in_value(scalar.value);
    if let Some((variable, trouble)) =
        variables.iter().find_map(|found| found.trouble(scalar.style).map(|why| (found, why)))
    {
        return Err(ExpandError { line: variable.line, column: variable.column, trouble });
    }
    let whole = || found.fill_value(scalar.value);
    match scalar.style {
        ScalarStyle::Plain
            if variables.iter().any(|variable| !variable.is_plain_word()) || is_nothing(&whole(), &variables) =>
        {
            edits.push(scalar.in_quotes(&whole()));
        }
        ScalarStyle::SingleQuoted if variables.iter().any(|variable| variable.needs_escapes()) => {
            edits.push(scalar.in_quotes(&whole()));
        }
        // On a line of its own nothing would become the end of a paragraph.
        ScalarStyle::DoubleQuoted if variables.iter().any(|variable| variable.is_empty()) => {
            edits.push(scalar.in_quotes(&whole()));
        }
        style => edits.extend(variables.iter().map(|variable| variable.filled_in(style))),
    }
    Ok(())
}

/// A word that YAML takes for no value at all. One that a default says is meant.
fn is_nothing(value: &str, variables: &[&Variable]) -> bool {
    matches!(value, "null" | "Null" | "NULL" | "~")
        && variables.iter().any(|variable| matches!(variable.fill, Fill::Given(_)))
}

impl Scalar<'_> {
    /// On as many lines as before, so that what follows stays where it is.
    fn in_quotes(&self, value: &str) -> Edit {
        let (start, end) = self.bounds();
        let lines = self.source[start..end].iter().filter(|c| **c == '\n').count();
        let indent = self.span.start.col();
        let breaks = format!("\\\n{}", " ".repeat(indent)).repeat(lines);
        Edit { start, end, text: format!("\"{}{breaks}\"", quote::escaped(value)) }
    }

    /// Without the tag or the anchor before it, and without what the parser counts in behind a quote.
    fn bounds(&self) -> (usize, usize) {
        let (mut start, mut end) = (self.span.start.index(), self.span.end.index());
        while start < end && matches!(self.source[start], '!' | '&') {
            let word = self.source[start..end].iter().take_while(|c| !c.is_whitespace()).count();
            let space = self.source[start + word..end].iter().take_while(|c| c.is_whitespace()).count();
            start += word + space;
        }
        if self.style != ScalarStyle::Plain {
            end = start + quote::length(&self.source[start..end]);
        }
        (start, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, &str>) {
        let variable = |name: &str| match name {
            "PORT" => Some("1700".to_owned()),
            "EMPTY" => Some(String::new()),
            "TWO" => Some("a\nb".to_owned()),
            "SET_IN" => Some("  x".to_owned()),
            _ => None,
        };
        let found = expand(text, variable).map(|filled| filled.text);
        let found = found.map_err(|error| format!("{}:{}: {error}", error.line, error.column));
        assert_eq!(found.as_deref().map_err(String::as_str), expected, "{text}");
    }

    #[test]
    fn values_of_every_type_are_filled_in() {
        check("port: ${PORT}", Ok("port: 1700"));
        check("port: ${NONE:-1615}", Ok("port: 1615"));
        check("a: ${EMPTY:-x} ${PORT}", Ok("a: x 1700"));
        check("a: ${EMPTY}", Ok("a: \"\""));
        check("a: ${NONE:-}", Ok("a: "));
        check("a: ${NONE:-{}}\nb: ${NONE:-[x, y]}", Ok("a: {}\nb: [x, y]"));
        check("a: ${PORT:-{}}", Ok("a: 1700"));
        check("a: ${NONE:-#36f}\nb: ${NONE:-issue #4}", Ok("a: \"#36f\"\nb: \"issue #4\""));
        check("a: ${NONE:-x#y} ${NONE:-\"a # b\"} # c", Ok("a: x#y \"a # b\" # c"));
        check("# ${NONE} is not set\nb: 1", Ok("# ${NONE} is not set\nb: 1"));
        check("a: {} # ${NONE}", Ok("a: {} # ${NONE}"));
        check("a: $${PORT} ${PORT} $x $$", Ok("a: ${PORT} 1700 $x $$"));
        check("a: '$${' # $${NONE}", Ok("a: '${' # $${NONE}"));
        check("a: it's # ${NONE} or ${PORT} ${TWO} ${", Ok("a: it's # ${NONE} or ${PORT} ${TWO} ${"));
        check("a: |\n  # ${PORT}\n", Ok("a: |\n  # 1700\n"));
        check("a: 'x # ${NONE}'", Err("1:9: the environment has no NONE; set it, or write ${NONE:-a default}"));
        check(r#"a: "x\" # ${NONE}""#, Err("1:11: the environment has no NONE; set it, or write ${NONE:-a default}"));
        check("a: x#${NONE}", Err("1:6: the environment has no NONE; set it, or write ${NONE:-a default}"));
        check("a: 1\nb: ${NONE}", Err("2:4: the environment has no NONE; set it, or write ${NONE:-a default}"));
        check("a: ${PORT", Err("1:4: '${' is never closed"));
        check("a: { b: \"${PORT\" }", Err("1:10: '${' is never closed"));
        check("a: \"${}\"", Err("1:5: '${}' names no variable; write ${NAME} or ${NAME:-a default}"));
        check("a: ${my-port}", Err("1:4: '${my-port}' names no variable; write ${NAME} or ${NAME:-a default}"));
        check("a: ${TWO}", Ok("a: \"a\\nb\""));
        check(
            "a: |\n  ${SET_IN}\n",
            Err(
                "2:3: SET_IN begins with a space or has control characters, and a text of several lines cannot; use quotes",
            ),
        );
    }

    #[test]
    fn a_default_may_name_other_variables() {
        check("m: ${A:-${B:-opus}}", Ok("m: opus"));
        check("port: ${A:-${B:-${PORT}}}", Ok("port: 1700"));
        check("a: ${A:-${B:-[x, ${C:-y}]}}", Ok("a: [x, y]"));
        check("a: ${PORT:-${NONE}}", Ok("a: 1700"));
        check("a: ${A:-http://${B:-h}:${PORT}/x} # ${A:-${", Ok("a: http://h:1700/x # ${A:-${"));
        check("a: ${A:-${TWO}}", Ok("a: \"a\\nb\""));
        check("a: ${A:-${EMPTY}}", Ok("a: \"\""));
        check("a: ${A:-x ${TWO} y}", Ok("a: \"x a\\nb y\""));
        check("a: \"${A:-x ${SET_IN}}\"", Ok("a: \"x   x\""));
        check("a: ${A:-[${PORT}]}", Ok("a: [1700]"));
        check("a: ${A:-$${B}}", Ok("a: ${B}"));
        check("a: ${A:-x-${NONE}}", Err("1:11: the environment has no NONE; set it, or write ${NONE:-a default}"));
        check(
            "a: \"ä ${A:-${B:-${my-port}}}\"",
            Err("1:17: '${my-port}' names no variable; write ${NAME} or ${NAME:-a default}"),
        );
        check("a: ${A:-${B}", Err("1:4: '${' is never closed"));
        check(
            "a: ${A:-[${TWO}]}",
            Err(
                "1:10: TWO is empty or more than a plain word, and the default it stands in is more than a text; use quotes outside",
            ),
        );
        let deep = format!("a: {}x{}", "${A:-".repeat(100), "}".repeat(100));
        let error = expand(&deep, |_| None).expect_err("too deep");
        assert_eq!((error.line, error.to_string()), (1, "defaults are nested too deeply here".to_owned()));
    }

    /// What is hard to write in YAML, each for a reason of its own.
    const VALUES: [&str; 35] = [
        "two\nlines\n",
        "\n - a: b\n# c\n",
        "abc #def",
        "x, model: evil",
        "a: b",
        "a:",
        "- a",
        "[a]",
        "{a: b}",
        "}",
        "]",
        "say \"hi\"",
        "it's",
        "pa\\tss#1",
        "C:\\new",
        "pa\tss",
        "\tx\t",
        " x ",
        "  ",
        "",
        "null",
        "~",
        "&a",
        "*a",
        "!a",
        "|",
        ">",
        "%a",
        "@a",
        "`a`",
        "?",
        "${PORT}",
        "\u{1}\u{7f}\u{85}\u{2028}\r",
        "äöü 😀",
        "---",
    ];

    #[test]
    fn what_is_in_a_variable_arrives_as_it_is_wherever_it_stands() {
        for value in VALUES {
            let check = |text: &str, expected: serde_json::Value| {
                let filled = expand(text, |_| Some(value.to_owned())).expect("filled in").text;
                let read: Result<serde_json::Value, _> = serde_saphyr::from_str(&filled);
                assert_eq!(read.ok(), Some(expected), "{text} with {value:?}: {filled:?}");
            };
            use serde_json::json;
            let twice = format!("{value}{value}");
            let amid = format!("a {value} b");
            check("k: ${V}\nz: 1", json!({ "k": value, "z": 1 }));
            check("k: ${V} # why", json!({ "k": value }));
            check("k: a ${V} b # why", json!({ "k": amid }));
            check("k: ${V}${V}", json!({ "k": twice }));
            check("k: \"${V}\" # why", json!({ "k": value }));
            check("k: \"a ${V} b\"", json!({ "k": amid }));
            check("k: '${V}' # it's", json!({ "k": value }));
            check("k: 'it''s ${V}${V}' # why", json!({ "k": format!("it's {twice}") }));
            check(
                "k: { a: ${V}, b: [${V}, \"${V}\", '${V}'] }",
                json!({ "k": { "a": value, "b": [value, value, value] } }),
            );
            check("- ${V}\n- x\n", json!([value, "x"]));
            check("k: a\n  ${V}\n  b\nz: 1", json!({ "k": amid, "z": 1 }));
            check("k: \"a\n  ${V}\n  b\"\nz: 1", json!({ "k": amid, "z": 1 }));
            check("k: 'a\n  ${V}\n  b'\nz: 1", json!({ "k": amid, "z": 1 }));
            check("k: !!str ${V}\nz: &x ${V}", json!({ "k": value, "z": value }));
            check("\u{feff}k: ${V}\r\nz: ${V}\r\n", json!({ "k": value, "z": value }));
            check("k: \u{100000} ${V}", json!({ "k": format!("\u{100000} {value}") }));
            if !value.is_empty() && !value.starts_with(' ') && !quote::has_controls(value) {
                check("k: |\n  a\n  ${V}\n", json!({ "k": format!("a\n{value}\n") }));
            }
        }
    }

    #[test]
    fn a_list_or_keys_are_such_where_they_are_wanted() {
        let check = |text: &str, value: &str, expected: &str| {
            let filled = expand(text, |_| Some(value.to_owned())).expect("filled in").text;
            assert_eq!(filled, expected, "{text}");
        };
        let team = |line: &str| format!("teams:\n  a:\n    path: /a\n    {line}\n");
        check(&team("allowedTools: ${V} # why"), "[Bash, Read]", &team("allowedTools: [Bash, Read] # why"));
        check(&team("env: ${V:-{}}"), "{A: 1.10, B: yes}", &team("env: {A: 1.10, B: yes}"));
        check("teams: { a: { args: ${V} } }", "[a]", "teams: { a: { args: [a] } }");
        check("settings: ${V}", "{\n\"port\": 1}", "settings: {\"port\":1}");
        // A text is wanted, or is made sure of.
        for line in ["description: ${V}", "env: { A: ${V} }", "args: [${V}]", "args:\n    - ${V}", "args: !!str ${V}"] {
            check(&team(line), "[a]", &team(&line.replace("${V}", "\"[a]\"")));
        }
        check(&team("args: '${V}'"), "[a]", &team("args: '[a]'"));
        check(&team("args: x${V}"), "[a]", &team("args: \"x[a]\""));
        check(&team("args: ${V}"), "[a]\n    path: /b", &team("args: \"[a]\\n    path: /b\""));
    }

    #[test]
    fn a_place_behind_a_variable_is_the_one_in_the_file() {
        let check = |text: &str, now: &str, expected: (usize, usize)| {
            let filled = expand(text, |_| Some("it's \"long\"".to_owned())).expect("filled in");
            let at = filled.text.find(now).expect("it is there");
            let (line, column) = (
                filled.text[..at].matches('\n').count() + 1,
                filled.text[..at].chars().rev().take_while(|c| *c != '\n').count() + 1,
            );
            assert_eq!(filled.place_before((line, column)), expected, "{text}");
        };
        check("a: ${V}\nb: { c: ${V}, d: '${V}', wrong: 1 }", "wrong", (2, 26));
        check("a: ${V}, wrong", "\"it", (1, 4));
        check("a: b\n  ${V}\n  c # ä\nwrong: 1", "wrong", (4, 1));
        check("a: { b: ${V}, c: wrong }", "wrong", (1, 18));
        check("a: { b: 1 }", "1", (1, 9));
    }
}
