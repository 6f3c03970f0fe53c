//! What would be done, in a line: from the action itself, not from what the agent says about it. As in the dashboard
//! (dashboard/src/question/deed.ts).

use iris_api::call::Meaning;
use iris_api::question::{Action, Question};

use super::text;

/// ``Run `make all` and 2 more lines?`` in so many cells. What is no action, or of a tool that is not known, asks in its
/// own words.
pub fn line(question: &Question, room: usize) -> String {
    found(question).map_or_else(|| text::headline(&question.question, room), |deed| deed.line(room))
}

/// The same where there is room for all that is asked.
pub fn whole(question: &Question) -> String {
    found(question).map_or_else(|| question.question.clone(), |deed| deed.line(usize::MAX))
}

/// More than so much of it is left to the exact action, which is shown whole.
const LONGEST: usize = 120;
/// Less of what is done than this says nothing.
const LEAST: usize = 12;

/// What tools do that go by one thing, with whether that is a path.
const VERBS: [(&str, &str, bool); 9] = [
    ("shell", "Run", false),
    ("changes", "Edit", true),
    ("writes", "Write", true),
    ("reads", "Read", true),
    ("lists", "List", true),
    ("finds", "Find", false),
    ("searches", "Search for", false),
    ("fetches", "Fetch", false),
    ("searches_web", "Search the web for", false),
];

/// In its parts, so that what the agent wrote can be cut without our words.
struct Deed {
    verb: &'static str,
    what: String,
    more: String,
}

impl Deed {
    fn line(&self, room: usize) -> String {
        let around = text::cells(self.verb) + text::cells(&self.more) + " ``?".len();
        let (verb, more) = (self.verb, &self.more);
        // That there is more than this line is said as long as there is room for it.
        let left = room.saturating_sub(around).max(LEAST);
        text::cut(&format!("{verb} `{}`{more}?", text::cut(&self.what, left)), room)
    }
}

fn found(question: &Question) -> Option<Deed> {
    question.action.as_ref().and_then(deed)
}

fn deed(action: &Action) -> Option<Deed> {
    let Meaning { nature, about, served, .. } = &action.meaning;
    if let Some(served) = served {
        return Some(Deed { verb: "Use", what: first(&served.tool), more: format!(" of {}", first(&served.server)) });
    }
    let (_, verb, is_path) = VERBS.into_iter().find(|(known, ..)| known == nature)?;
    let about = about.as_deref().map(str::trim).filter(|about| !about.is_empty())?;
    let what = if is_path { within(&action.folder, about) } else { about };
    let more = match what.lines().count().saturating_sub(1) {
        0 => String::new(),
        1 => " and 1 more line".to_owned(),
        lines => format!(" and {lines} more lines"),
    };
    Some(Deed { verb, what: first(what), more })
}

/// The first line, harmless.
fn first(text: &str) -> String {
    text::cut(text::shown(text).lines().next().unwrap_or_default(), LONGEST)
}

/// A path in the team's folder is named from there; one that leads out of it is named whole.
fn within<'a>(folder: &str, path: &'a str) -> &'a str {
    let inside = path.strip_prefix(folder).filter(|_| !folder.is_empty()).and_then(|rest| rest.strip_prefix('/'));
    inside.filter(|inside| !inside.split('/').any(|step| step == "..")).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::stage::question;
    use super::*;

    fn of(meaning: Value, room: usize) -> String {
        let action = json!({
            "tool": "Tool", "meaning": meaning, "input": {"command": "nothing at all"}, "shown": "",
            "folder": "/home/ada/web", "digest": "d",
        });
        line(&question("q", json!({"question": "May it?", "action": action})), room)
    }

    fn run(command: &str, room: usize) -> String {
        of(json!({"nature": "shell", "about": command}), room)
    }

    #[test]
    fn a_deed_is_said_by_what_it_goes_by() {
        assert_eq!(run(" make all ", 80), "Run `make all`?");
        assert_eq!(run("cat <<E\na\nE", 80), "Run `cat <<E` and 2 more lines?");
        assert_eq!(run("a\nb", 80), "Run `a` and 1 more line?");
        assert_eq!(of(json!({"nature": "searches", "about": "x.*", "place": "src"}), 80), "Search for `x.*`?");
        let served = json!({"nature": "unknown", "served": {"server": "git", "tool": "push__all"}});
        assert_eq!(of(served, 80), "Use `push__all` of git?");
    }

    #[test]
    fn a_path_is_named_from_the_folder_unless_it_leads_out() {
        let edit = |path: &str| of(json!({"nature": "changes", "about": path}), 80);
        assert_eq!(edit("/home/ada/web/src/a.ts"), "Edit `src/a.ts`?");
        assert_eq!(edit("/home/ada/web/../b"), "Edit `/home/ada/web/../b`?");
        assert_eq!(edit("/home/ada/website/a"), "Edit `/home/ada/website/a`?");
    }

    #[test]
    fn what_is_not_known_asks_in_its_own_words() {
        for meaning in [json!({"nature": "shell"}), json!({"nature": "shell", "about": " "})] {
            assert_eq!(of(meaning, 80), "May it?");
        }
        assert_eq!(of(json!({"nature": "unknown", "about": "x"}), 80), "May it?");
        assert_eq!(line(&question("q", json!({"question": "So?"})), 80), "So?");
    }

    #[test]
    fn what_is_cut_still_says_that_there_is_more() {
        let long = format!("{}\nrm -rf /", "x".repeat(90));
        let line = run(&long, 40);
        assert_eq!((line.as_str(), text::cells(&line)), ("Run `xxxxxxxxxxxxxxxx…` and 1 more line?", 40));
        assert!(text::cells(&run(&long, 20)) <= 20);
        assert_eq!(run(&long, 0), "");
    }

    #[test]
    fn nothing_in_it_acts_on_the_terminal() {
        assert_eq!(run("a\u{1b}[2J\rb", 80), "Run `a\\u{1b}[2J\\rb`?");
    }
}
