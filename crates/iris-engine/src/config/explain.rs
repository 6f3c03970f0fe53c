//! What is wrong with a text that is no config, in our words: which key it is about, what must be there, what was meant.

use saphyr_parser::Parser;

use super::place::{Spot, find_key_at, locate, locate_name};
use super::schema;

/// Where it is, as far as that is known, and what is wrong.
pub(super) fn explain(yaml: &str, error: &serde_saphyr::Error) -> (Option<Spot>, String) {
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let spot = error.location().map(|found| (number(found.line()), number(found.column())));
    let said = said(error);
    let said = said.as_str();
    if said.contains("quoted scalar") {
        return (find_open_quote(yaml).or(spot), "this quote is never closed".to_owned());
    }
    if said.starts_with("unclosed bracket") && has_value_in_comment(yaml) {
        let what = "this bracket is never closed: behind ` #` everything is a comment, up to the end of the line; write such \
                    a value in quotes";
        return (spot, what.to_owned());
    }
    if let Some(what) = explain_unknown(said).or_else(|| explain_form(said)) {
        return (spot, what);
    }
    match explain_value(said) {
        Some(what) => {
            let key = spot.and_then(|spot| find_key_at(yaml, spot));
            // It is the value that is wrong, also where the reader points at its key.
            let is_at_name = key.as_ref().is_some_and(|key| locate_name(yaml, key) == spot);
            let spot = key.as_ref().filter(|_| is_at_name).and_then(|key| locate(yaml, key)).or(spot);
            (spot, key.map_or_else(|| format!("here {what}"), |key| format!("{key}: {what}")))
        }
        None => (spot, said.to_owned()),
    }
}

/// Whether something that looks like a colour stands where a value should.
fn has_value_in_comment(yaml: &str) -> bool {
    yaml.split(": #").skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

/// What is wrong, without its place: the text was ours.
pub(super) fn explain_said(error: &serde_saphyr::Error) -> String {
    let said = said(error);
    explain_unknown(&said).or_else(|| explain_form(&said)).or_else(|| explain_value(&said)).unwrap_or(said)
}

fn said(error: &serde_saphyr::Error) -> String {
    let said = error.without_snippet().to_string();
    let said = said.rfind(" at line ").map_or(said.as_str(), |end| &said[..end]);
    said.split(", set DuplicateKeyPolicy").next().unwrap_or(said).to_owned()
}

/// With a guess at what was meant.
fn explain_unknown(said: &str) -> Option<String> {
    let quoted = |text: &str| text.split('`').nth(1).map(str::to_owned);
    for (begin, noun) in [("unknown field ", "key"), ("unknown variant ", "value")] {
        let Some(rest) = said.strip_prefix(begin) else { continue };
        let (given, (_, known)) = (quoted(rest)?, rest.split_once("expected ")?);
        let known = known.trim_start_matches("one of ");
        let known: Vec<_> = known.split(", ").map(|name| name.trim_matches('`')).collect();
        return Some(match closest(&given, &known) {
            Some(meant) => format!("`{given}` is no {noun} here; did you mean `{meant}`?"),
            // So nothing is read.
            None if given == "~" => format!("the {noun} is missing here; there are {}", known.join(", ")),
            None => match schema::section_of(&given).filter(|_| noun == "key") {
                Some(section) => format!("`{given}` is no key here; there is `{section}.{given}`"),
                None => format!("`{given}` is no {noun} here; there are {}", known.join(", ")),
            },
        });
    }
    None
}

/// What people write who know the thing by another name.
const OTHER_WORDS: [(&str, &str); 4] =
    [("maxAgents", "maxProcesses"), ("httpPort", "port"), ("timeout", "responseTimeout"), ("cwd", "path")];

/// The name that may be meant, if one is alike.
pub fn closest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    const ALIKE: f64 = 0.8;
    if let Some((_, meant)) = OTHER_WORDS.iter().find(|(word, _)| word.eq_ignore_ascii_case(given)) {
        return known.iter().find(|name| *name == meant).copied();
    }
    let alike = |name: &&str| strsim::jaro_winkler(&given.to_lowercase(), &name.to_lowercase());
    let best = known.iter().max_by(|a, b| alike(a).total_cmp(&alike(b)))?;
    // Two letters that changed places count for much in a short word; in one of two they make another.
    let is_slip =
        |name: &&&str| given.len() > 2 && strsim::osa_distance(&given.to_lowercase(), &name.to_lowercase()) == 1;
    if alike(best) >= ALIKE { Some(best) } else { known.iter().find(is_slip).copied() }
}

fn explain_form(said: &str) -> Option<String> {
    let what = match said {
        "expected mapping start" => "here must be keys with values, such as `name: value`".to_owned(),
        "expected sequence start" => "here must be a list, such as [one, two]".to_owned(),
        said if said.starts_with("tabs disallowed") => "YAML is indented with spaces, and this is a tab".to_owned(),
        said if said.starts_with("mapping values are not allowed") => {
            "no key can begin here: keys that belong together are indented alike, and a value with `: ` in it needs quotes"
                .to_owned()
        }
        "unclosed quote" => "this quote is never closed".to_owned(),
        said if said.starts_with("unclosed bracket") => "this bracket is never closed".to_owned(),
        said if said.starts_with("multiple YAML documents") => {
            "a second document begins here, after `---`; a config is one".to_owned()
        }
        said => match (said.strip_prefix("missing field "), said.strip_prefix("duplicate mapping key: ")) {
            (Some(field), _) => format!("the key {field} is missing"),
            (_, Some(key)) => format!("the key `{key}` is here a second time"),
            (None, None) => return None,
        },
    };
    Some(what)
}

/// What a value must be. The key is said before it.
fn explain_value(said: &str) -> Option<String> {
    let whole = |from: u64, to: u64| Some(format!("must be a whole number from {from} to {to}"));
    match said {
        "invalid u16" => whole(0, u16::MAX.into()),
        "invalid u32" => whole(0, u32::MAX.into()),
        // Those that are counted so are counts of what there has to be.
        "invalid u64" | "invalid usize" => Some("must be a whole number, and at least 1".to_owned()),
        "invalid boolean" => Some("must be true or false".to_owned()),
        "invalid floating point" => Some("must be a number".to_owned()),
        said if said.starts_with("externally tagged enum expected") => Some("must be one word".to_owned()),
        "expected string scalar" => Some("must be a text".to_owned()),
        said if said.starts_with("cannot deserialize null into string") => {
            Some("must be a text; an empty one is written \"\"".to_owned())
        }
        said if said.starts_with("invalid type: ") || said.starts_with("invalid value: ") => {
            let (_, expected) = said.split_once(", expected ")?;
            match expected {
                "a nonzero u32" => whole(1, u32::MAX.into()),
                expected => Some(format!("must be {expected}")),
            }
        }
        _ => None,
    }
}

/// The reader notices only where a text cannot go on, which is lines later. The quote is behind the last thing it could
/// read.
fn find_open_quote(yaml: &str) -> Option<Spot> {
    let spans = Parser::new_from_str(yaml).map_while(Result::ok).map(|(_, span)| span.end);
    let (line, column) = spans.last().map_or((1, 0), |end| (end.line(), end.col()));
    let mut skip = column;
    for (index, text) in yaml.lines().enumerate().skip(line.saturating_sub(1)) {
        let found = text.chars().enumerate().skip(skip).find(|(_, c)| matches!(c, '"' | '\''));
        if let Some((at, _)) = found {
            return Some((index + 1, at + 1));
        }
        skip = 0;
    }
    None
}
