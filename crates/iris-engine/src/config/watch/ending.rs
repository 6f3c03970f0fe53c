//! Whether a text may be only what was written so far, judged by what was in the file before. That a file is not open to be
//! written any more says little: whoever wrote it may have been killed, or writes in several steps.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::config::expand::expand;
use crate::config::load::parse_unfilled;
use crate::config::place::outline;

/// Whether it is what it was, cut off in the middle of a line.
pub(super) fn is_cut_off(text: &str, before: &str) -> bool {
    let rest = before.strip_prefix(text).unwrap_or_default();
    !rest.is_empty() && !rest.starts_with(['\r', '\n']) && !text.ends_with('\n')
}

/// Whether its last line is not ended, as every line was before. What ends with the bracket that it begins with is whole.
pub(super) fn is_unended(text: &str, before: &str) -> bool {
    let is_in_braces = text.trim_start().starts_with('{') && text.trim_end().ends_with('}');
    before.ends_with('\n') && !text.ends_with('\n') && before.trim_end() != text && !is_in_braces
}

/// Why more may be about to be written. Whoever takes something out of the middle leaves the end as it was.
pub(super) fn may_go_on(text: &str, before: &str) -> Option<String> {
    if !text.ends_with('\n') && text.lines().last() != before.lines().last() {
        return Some("its last line is not ended".to_owned());
    }
    let (now, before) = (filled(text), filled(before));
    let (keys, keys_before) = (outline(&now), outline(&before));
    if keys.last() != keys_before.last() && !is_renamed(&keys, &keys_before) {
        let known: BTreeSet<&String> = keys.iter().collect();
        let missing = keys_before.iter().find(|key| !known.contains(key))?;
        return Some(format!("`{missing}` is not in it any more"));
    }
    let last = keys.last()?;
    let is_shorter = is_shorter(text_of(&now, last)?.trim_end(), text_of(&before, last)?.trim_end());
    is_shorter.then(|| format!("`{last}` is shorter than it was"))
}

/// Whether all that was there is, in its place, some of it by another name: as where a team was given one.
fn is_renamed(keys: &[String], before: &[String]) -> bool {
    let (known, known_before): (BTreeSet<&String>, BTreeSet<&String>) =
        (keys.iter().collect(), before.iter().collect());
    let is_same = |(now, old): (&String, &String)| {
        now == old || (!known.contains(old) && !known_before.contains(now) && is_but_one_name(now, old))
    };
    keys.len() == before.len() && keys.iter().zip(before).all(is_same)
}

fn is_but_one_name(now: &str, old: &str) -> bool {
    let (now, old): (Vec<&str>, Vec<&str>) = (now.split('.').collect(), old.split('.').collect());
    now.len() == old.len() && now.iter().zip(&old).filter(|(now, old)| now != old).count() == 1
}

/// Whether lines, or words, are missing at the end of a text.
fn is_shorter(text: &str, before: &str) -> bool {
    before.strip_prefix(text).is_some_and(|rest| rest.starts_with(char::is_whitespace))
}

fn filled(text: &str) -> String {
    expand(text, |name| std::env::var(name).ok()).map_or_else(|_| text.to_owned(), |filled| filled.text)
}

fn text_of(yaml: &str, key: &str) -> Option<String> {
    let values = parse_unfilled(yaml)?;
    let found = key.split('.').try_fold(&values, |value, name| match value {
        Value::Array(items) => items.get(name.parse::<usize>().ok()?),
        _ => value.get(name),
    });
    found?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_that_stops_within_a_line_is_no_config() {
        let before = "settings:\n  maxProcesses: 40\nteams: {}\n";
        for cut in ["settings:\n  maxProcesses: 4", "set", "settings:\n  maxProcesses: 40\nteams: {"] {
            assert!(is_cut_off(cut, before), "{cut}");
        }
        // Whole lines may be all that is meant, and so may another text.
        for meant in
            [before, before.trim_end(), "settings:\n  maxProcesses: 40", "settings:\n", "settings:\n  maxProcesses: 5"]
        {
            assert!(!is_cut_off(meant, before), "{meant}");
        }
    }

    #[test]
    fn a_line_that_is_not_ended_where_every_line_was_is_cut_off() {
        let before = "settings:\n  maxProcesses: 40\n";
        for cut in ["# mine\nsettings:\n  maxProcesses: 4", "settings:\n  maxProcesses: 41"] {
            assert!(is_unended(cut, before), "{cut}");
            assert!(!is_unended(cut, before.trim_end()) && may_go_on(cut, before.trim_end()).is_some(), "{cut}");
        }
        for whole in [before, before.trim_end(), "{ settings: {} }", "settings:\n  maxProcesses: 4\n"] {
            assert!(!is_unended(whole, before), "{whole}");
        }
        assert_eq!(may_go_on("# mine\na: 1\nb: 2", "a: 1\nb: 2"), None, "it ends as it did");
    }

    #[test]
    fn what_is_missing_at_the_end_may_be_about_to_be_written() {
        let check = |text: &str, before: &str, missing: &str| {
            assert_eq!(may_go_on(text, before).as_deref().unwrap_or("nothing"), missing, "{text}");
        };
        let before = "teams:\n  a: { path: /a }\n  b:\n    path: /b\n    args: [x, y]\n";
        check("teams:\n  a: { path: /a }\n", before, "`teams.b` is not in it any more");
        check("# mine\nteams:\n  a: { path: /other }\n", before, "`teams.b` is not in it any more");
        check("teams:\n  c: { path: /c }\n  b:\n    path: /b\n", before, "`teams.a` is not in it any more");
        check(
            "teams:\n  a: { path: /a }\n  b:\n    path: /b\n    args: [x]\n",
            before,
            "`teams.b.args.1` is not in it any more",
        );
        // What ends as it did was written to its end, and so was what has all that it had.
        check(before, before, "nothing");
        check("teams:\n  b:\n    path: /b\n    args: [x, z]\n", before, "nothing");
        check(&format!("{before}  c: {{ path: /c }}\nsettings: {{ port: 1 }}\n"), before, "nothing");
        // A team was given another name; or one was added, and the last is still to come.
        let two = "teams:\n  a: { path: /a }\n  b: { path: /b }\n";
        check("teams:\n  a: { path: /a }\n  c: { path: /b }\n", two, "nothing");
        check("teams:\n  c: { path: /c }\n  a: { path: /a }\n", two, "`teams.b` is not in it any more");
        let long = "a: 1\nb: |\n  one\n  two\n";
        check("a: 2\nb: |\n  one\n", long, "`b` is shorter than it was");
        check("a: 2\nb: |\n  one\n  three\n", long, "nothing");
        check("a: 2\n", "a: ${HOME}\nb: 1\n", "`b` is not in it any more");
    }
}
