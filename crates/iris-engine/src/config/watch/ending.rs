//! Whether a text may be only what was written so far, judged by what was in the file before. That a file is not open to be
//! written any more says little: whoever wrote it may have been killed, or writes in several steps.

use crate::config::expand::expand;
use crate::config::place::outline;

/// Why more may be about to be written: it stops where what was there before went on. From what only lost its last key, or
/// lost its last teams, somebody took them out; what ends with something new, or has its end in a new comment, was ended so.
pub(super) fn may_go_on(text: &str, before: &str) -> Option<String> {
    let is_part = is_part(text, before);
    if is_commented_out(text, before) {
        return None;
    }
    if ends_in_new(text, before) || !is_part && is_broken_off(text, before) {
        return Some("its last line is not ended".to_owned());
    }
    let is_ended = is_ended(text) || is_part || !before.ends_with('\n');
    let (now, before) = (Outline::of(text), Outline::of(before));
    let known = |(key, _): &(String, usize)| before.keys.iter().find(|(other, _)| other == key);
    // Where its last line is not ended either, what is new at its end says nothing.
    let (last, line) = if is_ended { known(now.keys.last()?)? } else { now.keys.iter().rev().find_map(known)? };
    // As in `teams: {}`, which nothing can follow that would belong to it.
    let outside = if text.trim_end().ends_with(['}', ']']) { format!("{last}.") } else { "\n".to_owned() };
    let is_below = |(key, other): &&(String, usize)| other > line && !key.starts_with(&outside);
    let below: Vec<&String> = before.keys.iter().filter(is_below).map(|(key, _)| key).collect();
    let Some(missing) = below.first() else {
        let is_shorter = !is_part && now.end.len() < before.end.len() && before.end.starts_with(&now.end);
        return is_shorter.then(|| format!("`{last}` is shorter than it was"));
    };
    let is_last = || {
        below
            .iter()
            .all(|key| key.strip_prefix(missing.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
    };
    let has_team = || now.keys.iter().any(|(key, _)| is_team(key));
    if is_ended && (is_team(missing) && has_team() || is_part && *missing != "teams" && is_last()) {
        return None;
    }
    let is_gone = |key: &&String| now.keys.iter().all(|(known, _)| known != *key);
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

/// Whether its last line is a comment, whole, and a new one.
fn is_commented_out(text: &str, before: &str) -> bool {
    let last = text.lines().last().unwrap_or_default();
    text.ends_with('\n') && last.trim_start().starts_with('#') && before.lines().all(|line| line != last)
}

/// Whether it ends within what was a line.
fn is_broken_off(text: &str, before: &str) -> bool {
    let last = text.lines().last().unwrap_or_default();
    !is_ended(text) && before.lines().any(|line| line.len() > last.len() && line.starts_with(last))
}

/// Whether its last line is a new one and not ended, where the last was: it may be any half, as 3 of `30s`, or one folder of a path.
fn ends_in_new(text: &str, before: &str) -> bool {
    before.ends_with('\n') && !is_ended(text) && before.lines().all(|line| text.lines().last() != Some(line))
}

/// Whether its last line is ended. What ends with the bracket that it begins with is whole.
fn is_ended(text: &str) -> bool {
    text.ends_with('\n') || text.trim_start().starts_with('{') && text.trim_end().ends_with('}')
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
    use std::path::Path;

    use super::*;
    use crate::config::load;

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
            "settings:\n  maxProcesses: 4\n",
            "{ settings: { maxProcesses: 4 } }",
            "# mine\nsettings:\n  maxProcesses: 40",
        ] {
            check(whole, before, "nothing");
        }
        // Nobody knows where what is new would have ended.
        for new in ["settings:\n  maxProcesses: 41", "settings:\n  maxProcesses: 40\n  maxQueue: 4"] {
            check(new, before, "its last line is not ended");
            check(new, before.trim_end(), "nothing");
        }
    }

    #[test]
    fn what_was_taken_out_is_not_waited_for() {
        let before = "# mine\nteams:\n  a: { path: /a }\n  b:\n    path: /b\n    args: [x, y]\n";
        for text in [
            "# mine\nteams:\n  a: { path: /a }\n",
            "# mine\nteams:\n  a: { path: /a }",
            "teams:\n  b:\n    path: /b\n",
            "teams: {}\n",
        ] {
            check(text, before, "nothing");
        }
        check("teams: {}", before.trim_end(), "nothing");
        // With something else, too: a team has another name, one is new, one is elsewhere.
        let two = "teams:\n  a: { path: /a }\n  b: { path: /b }\n";
        check("teams:\n  a: { path: /a }\n  c: { path: /b }\n", two, "nothing");
        check("teams:\n  c: { path: /c }\n  a: { path: /a }\n", two, "nothing");
        check("teams:\n  a: { path: /other }\n", two, "nothing");
        let in_braces = "a: 1\nteams: { a: { path: /a }, b: { path: /b, model: c } }\n";
        check("a: 2\nteams: { a: { path: /a }, b: { path: /b } }\n", in_braces, "nothing");
        check("a: 2\nteams: { a: { path: /a } }\n", in_braces, "nothing");
        let out = before.replace("    args", "    # args");
        check(&out, before, "nothing");
        check(&out.replace("/b", "/c"), before, "nothing");
        check(out.trim_end(), before, "its last line is not ended");
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

    /// Wherever a new version is cut: what is a config and would be taken ends with a whole team.
    #[test]
    fn of_a_file_that_is_cut_off_only_whole_teams_are_taken() {
        let before = "settings:\n  maxQueue: 100\nteams:\n  a:\n    path: /a\n    model: opus\n    env:\n      A: one\n  b:\n    path: /b\n    args: [one, two]\n  c:\n    path: /c\n    idleTimeout: 30m\n";
        let check = |new: &str, taken: &[&str]| {
            let is_config = |cut: &&str| load::parse(Path::new("config.yaml"), cut, |_| None).is_ok();
            let is_taken = |cut: &&str| is_config(cut) && may_go_on(cut, before).is_none();
            let cuts = (1..new.len() - 1).map(|end| &new[..end]);
            let ends = cuts.filter(is_taken).filter_map(|cut| cut.split_inclusive('\n').next_back());
            assert_eq!(ends.map(str::trim_start).collect::<Vec<_>>(), taken, "{new}");
        };
        let ends = ["A: one\n", "args: [one, two]\n"];
        check(&before.replace("maxQueue: 100", "maxQueue: 120"), &ends);
        check(&before.replace("/a", "/other"), &ends);
        check(
            &before.replace("  c:\n", "  d:\n    path: /d\n  c:\n"),
            &["A: one", ends[0], "args: [one, two]", ends[1], "path: /d\n"],
        );
        check(
            &format!("{before}  d:\n    path: /d/e\n"),
            &[
                "A: one",
                ends[0],
                "args: [one, two]",
                ends[1],
                "path: /c",
                "path: /c\n",
                "idleTimeout: 30m",
                "idleTimeout: 30m\n",
            ],
        );
    }
}
