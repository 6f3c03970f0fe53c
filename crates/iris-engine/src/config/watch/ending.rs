//! Whether a text may be only what was written so far, judged by what was in the file before. That a file is not open to be
//! written any more says little: whoever wrote it may have been killed, or writes in several steps.

use std::collections::BTreeSet;

use crate::config::expand::expand;
use crate::config::place::outline;

/// Whether it is what it was, cut off in the middle of a line.
pub(super) fn is_cut_off(text: &str, before: &str) -> bool {
    let rest = before.strip_prefix(text).unwrap_or_default();
    !rest.is_empty() && !rest.starts_with(['\r', '\n']) && !text.ends_with('\n')
}

/// Why more may be about to be written. Whoever takes something out of the middle leaves the end as it was.
pub(super) fn may_go_on(text: &str, before: &str) -> Option<String> {
    if is_unended(text) && text.lines().last() != before.lines().last() {
        return Some("its last line is not ended".to_owned());
    }
    let (now, before) = (Outline::of(text), Outline::of(before));
    if now.keys.last() == before.keys.last() && now.end == before.end {
        return None;
    }
    if !is_renamed(&now.keys, &before.keys) {
        let known: BTreeSet<&String> = now.keys.iter().collect();
        if let Some(missing) = before.keys.iter().find(|key| !known.contains(key)) {
            return Some(format!("`{missing}` is not in it any more"));
        }
    }
    let is_shorter = now.keys.last() == before.keys.last() && now.end.len() < before.end.len();
    is_shorter.then(|| format!("`{}` is shorter than it was", now.keys.last().map_or("", String::as_str)))
}

/// What ends with the bracket that it begins with is whole.
fn is_unended(text: &str) -> bool {
    let is_in_braces = text.trim_start().starts_with('{') && text.trim_end().ends_with('}');
    !text.ends_with('\n') && !is_in_braces
}

struct Outline {
    keys: Vec<String>,
    /// The lines from the last key on that say something.
    end: Vec<String>,
}

impl Outline {
    fn of(text: &str) -> Self {
        let text = filled(text);
        let keys = outline(&text);
        let last = keys.last().map_or(1, |(_, line)| *line);
        let says_something = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        let end = text.lines().skip(last - 1).filter(says_something).map(|line| line.trim_end().to_owned()).collect();
        Self { keys: keys.into_iter().map(|(key, _)| key).collect(), end }
    }
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

fn filled(text: &str) -> String {
    expand(text, |name| std::env::var(name).ok()).map_or_else(|_| text.to_owned(), |filled| filled.text)
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
    fn a_line_that_is_not_ended_may_go_on() {
        let before = "settings:\n  maxProcesses: 40\n";
        for unended in ["# mine\nsettings:\n  maxProcesses: 4", "settings:\n  maxProcesses: 41"] {
            for before in [before, before.trim_end()] {
                assert_eq!(may_go_on(unended, before).as_deref(), Some("its last line is not ended"), "{unended}");
            }
        }
        for whole in [before, before.trim_end(), "{ settings: { maxProcesses: 4 } }", "settings:\n  maxProcesses: 4\n"]
        {
            assert_eq!(may_go_on(whole, before), None, "{whole}");
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
        check("teams:\n  b:\n    path: /b\n    args: [x, y]\n", before, "nothing");
        check("teams:\n  b:\n    path: /b\n    args: [x, z]\n", before, "`teams.a` is not in it any more");
        check(&format!("{before}  c: {{ path: /c }}\nsettings: {{ port: 1 }}\n"), before, "nothing");
        // A team was given another name; or one was added, and the last is still to come.
        let two = "teams:\n  a: { path: /a }\n  b: { path: /b }\n";
        check("teams:\n  a: { path: /a }\n  c: { path: /b }\n", two, "nothing");
        check("teams:\n  c: { path: /c }\n  a: { path: /a }\n", two, "`teams.b` is not in it any more");
        let long = "a: 1\nb: |\n  one\n  two\n";
        check("a: 2\nb: |\n  one\n", long, "`b` is shorter than it was");
        check("a: 2\nb: |\n  other\n", long, "`b` is shorter than it was");
        check("a: 2\nb: one\n", "a: 1\nb: one\n  two\n", "`b` is shorter than it was");
        check("a: 2\nb: |\n  one\n  three\n", long, "nothing");
        check("a: 2\nb: one\n", "a: 2\nb: one two # or three\n\n# the end\n", "nothing");
        check("a: 2\n", "a: ${HOME}\nb: 1\n", "`b` is not in it any more");
    }
}
