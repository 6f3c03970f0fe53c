//! Whether a text may be only what was written so far, judged by what was in the file before. That a file is not open to be
//! written any more says little: whoever wrote it may have been killed, or writes in several steps.

use crate::config::expand::expand;
use crate::config::place::outline;

/// Whether it is what it was, cut off in the middle of a line.
pub(super) fn is_cut_off(text: &str, before: &str) -> bool {
    let rest = before.strip_prefix(text).unwrap_or_default();
    !rest.is_empty() && !rest.starts_with(['\r', '\n']) && !text.ends_with('\n')
}

/// Why more may be about to be written: it stops where what was there before went on, and is no mere part of that. From what
/// only lost some lines, or its last teams, somebody took them out; what ends with something new was ended so.
pub(super) fn may_go_on(text: &str, before: &str) -> Option<String> {
    if is_part(text, before) {
        return None;
    }
    if is_broken_off(text, before) {
        return Some("its last line is not ended".to_owned());
    }
    let (now, before) = (Outline::of(text), Outline::of(before));
    let (last, _) = now.keys.last()?;
    let (_, line) = before.keys.iter().find(|(key, _)| key == last)?;
    // As in `teams: {}`, which nothing can follow that would belong to it.
    let within = if text.trim_end().ends_with(['}', ']']) { format!("{last}.") } else { "\n".to_owned() };
    let is_below = |(key, other): &&(String, usize)| other > line && !key.starts_with(&within);
    let below: Vec<&String> = before.keys.iter().filter(is_below).map(|(key, _)| key).collect();
    let Some(missing) = below.first() else {
        let is_shorter = now.end.len() < before.end.len() && before.end.starts_with(&now.end);
        return is_shorter.then(|| format!("`{last}` is shorter than it was"));
    };
    let is_gone = |key: &&String| now.keys.iter().all(|(known, _)| known != *key);
    if is_team(missing) && now.keys.iter().any(|(key, _)| is_team(key)) {
        return None;
    }
    below.iter().all(is_gone).then(|| format!("`{missing}` is not in it any more"))
}

/// Of the places where a file may be cut, few are between two teams.
fn is_team(key: &str) -> bool {
    key.strip_prefix("teams.").is_some_and(|name| !name.contains('.'))
}

/// Whether each of its lines was there, in this order.
fn is_part(text: &str, before: &str) -> bool {
    let mut before = before.lines();
    text.lines().all(|line| before.any(|other| other == line))
}

/// Whether it ends within what was a line. What ends with the bracket that it begins with is whole.
fn is_broken_off(text: &str, before: &str) -> bool {
    let is_in_braces = text.trim_start().starts_with('{') && text.trim_end().ends_with('}');
    if text.ends_with('\n') || is_in_braces {
        return false;
    }
    let last = text.lines().last().unwrap_or_default();
    before.lines().any(|line| line.len() > last.len() && line.starts_with(last))
}

struct Outline {
    /// With their lines.
    keys: Vec<(String, usize)>,
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
        Self { keys, end }
    }
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

    fn check(text: &str, before: &str, missing: &str) {
        assert_eq!(may_go_on(text, before).as_deref().unwrap_or("nothing"), missing, "{text}");
    }

    #[test]
    fn a_line_that_is_broken_off_may_go_on() {
        let before = "settings:\n  maxProcesses: 40\n";
        check("# mine\nsettings:\n  maxProcesses: 4", before, "its last line is not ended");
        check("# mine\nsettings:\n  maxProcesses: 4", before.trim_end(), "its last line is not ended");
        for whole in [
            before,
            before.trim_end(),
            "settings:\n  maxProcesses: 41",
            "settings:\n  maxProcesses: 4\n",
            "{ settings: { maxProcesses: 4 } }",
            "# mine\nsettings:\n  maxProcesses: 40",
        ] {
            check(whole, before, "nothing");
        }
        check("a: 2\nb: 3\nc: 4", "a: 1\nb: 2\n", "nothing");
    }

    #[test]
    fn what_was_taken_out_is_not_waited_for() {
        let before = "# mine\nteams:\n  a: { path: /a }\n  b:\n    path: /b\n    args: [x, y]\n";
        for text in [
            "# mine\nteams:\n  a: { path: /a }\n",
            "# mine\nteams:\n  a: { path: /a }",
            "teams:\n  b:\n    path: /b\n",
            "teams: {}\n",
            "teams: {}",
        ] {
            check(text, before, "nothing");
        }
        // With something else, too: a team has another name, one is new, one is elsewhere.
        let two = "teams:\n  a: { path: /a }\n  b: { path: /b }\n";
        check("teams:\n  a: { path: /a }\n  c: { path: /b }\n", two, "nothing");
        check("teams:\n  c: { path: /c }\n  a: { path: /a }\n", two, "nothing");
        check("teams:\n  a: { path: /other }\n", two, "nothing");
        let in_braces = "a: 1\nteams: { a: { path: /a }, b: { path: /b, model: c } }\n";
        check("a: 2\nteams: { a: { path: /a }, b: { path: /b } }\n", in_braces, "nothing");
        check("a: 2\nteams: { a: { path: /a } }\n", in_braces, "nothing");
    }

    #[test]
    fn what_stops_where_it_went_on_may_be_about_to_be_written() {
        let before = "teams:\n  a: { path: /a }\n  b:\n    path: /b\n    args: [x, y]\n";
        check(
            "# mine\nteams:\n  a: { path: /a }\n  b:\n    path: /b\n",
            before,
            "`teams.b.args` is not in it any more",
        );
        check("teams:\n  c: { path: /c }\n  b:\n    path: /b\n", before, "`teams.b.args` is not in it any more");
        check("a: 2\n", &format!("a: 1\n{before}"), "`teams` is not in it any more");
        // What ends otherwise was ended so, and so was what has all that it had.
        check("teams:\n  b:\n    path: /b\n    args: [x, z]\n", before, "nothing");
        check("teams:\n  a: { path: /a }\n  b:\n    path: /b\n    args: [x]\n", before, "nothing");
        check("settings: { port: 1 }\nteams:\n  d: { path: /d }\n", before, "nothing");
        check(&format!("{before}  c: {{ path: /c }}\nsettings: {{ port: 1 }}\n"), before, "nothing");
        let long = "a: 1\nb: |\n  one\n  two\n";
        check("a: 2\nb: |\n  one\n", long, "`b` is shorter than it was");
        check("a: 2\nb: |\n  other\n", long, "nothing");
        check("a: 2\nb: one\n", "a: 1\nb: one\n  two\n", "`b` is shorter than it was");
        check("a: 2\nb: |\n  one\n  three\n", long, "nothing");
        check("a: 2\nb: one\n", "a: 2\nb: one two # or three\n\n# the end\n", "nothing");
        check("a: 2\n", "a: ${HOME}\nb: 1\n", "`b` is not in it any more");
    }
}
