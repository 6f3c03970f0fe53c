//! What the CLI's tools do and what their fields are. Nobody outside this folder knows a tool of its by name.

use iris_core::call::{Call, Change, Meaning, Note, NoteState, ServedTool, ToolNature};
use iris_core::duration::Millis;
use serde_json::Value;

use super::{ask, tools};

/// The tool by which it asks people.
pub(super) const ASK_USER: &str = "AskUserQuestion";
/// The tool by which it asks leave to carry out a plan.
pub(super) const EXIT_PLAN: &str = "ExitPlanMode";
const PLAN: &str = "plan";

/// Each tool with the one field that it goes by. An agent may send others along, which decide nothing.
const TOOLS: [(&str, ToolNature, &str); 14] = [
    ("Bash", ToolNature::Shell, "command"),
    ("Read", ToolNature::Reads, "file_path"),
    ("NotebookRead", ToolNature::Reads, "notebook_path"),
    ("LS", ToolNature::Lists, "path"),
    ("Glob", ToolNature::Finds, "pattern"),
    ("Grep", ToolNature::Searches, "pattern"),
    ("ToolSearch", ToolNature::Searches, "query"),
    ("WebFetch", ToolNature::Fetches, "url"),
    ("WebSearch", ToolNature::SearchesWeb, "query"),
    ("Edit", ToolNature::Changes, "file_path"),
    ("MultiEdit", ToolNature::Changes, "file_path"),
    ("NotebookEdit", ToolNature::Changes, "notebook_path"),
    ("Write", ToolNature::Writes, "file_path"),
    ("TodoRead", ToolNature::Looks, ""),
];

/// What says most of the input of a tool that is not known, in this order.
const TELLING: [&str; 9] =
    ["command", "file_path", "path", "pattern", "query", "url", "description", "prompt", "skill"];

/// Fields by which the model comments on a command, whatever tool runs it.
const COMMENTS: [&str; 2] = ["description", "timeout"];

/// How long a command may run, unless the call says otherwise, and how long at most.
const COMMAND_TIME: u64 = 120_000;
const LONGEST_COMMAND: u64 = 600_000;
/// How long a sub-agent may write on one answer, of which nothing is said before it is whole: as long as the CLI waits for a
/// model that falls silent.
const LONGEST_ANSWER: u64 = 300_000;

/// How long a call that is waited for may go on without a word, as far as that is known.
pub(super) fn may_take(call: &Call) -> Option<Millis> {
    let input: Value = serde_json::from_str(call.input.get()).unwrap_or_default();
    if input["run_in_background"] == true {
        return None;
    }
    match call.meaning.nature {
        ToolNature::Shell => Some(Millis(input["timeout"].as_u64().unwrap_or(COMMAND_TIME).min(LONGEST_COMMAND))),
        ToolNature::Delegates => Some(Millis(LONGEST_ANSWER)),
        _ => None,
    }
}

/// What a call of a tool means, by its name and its input.
pub(crate) fn of(tool: &str, input: &Value) -> Meaning {
    let asides: &[&str] = match tool {
        // Each conversation has its own file for the same plan.
        EXIT_PLAN => &["planFilePath"],
        _ if input["command"].is_string() => &COMMENTS,
        _ => &[],
    };
    Meaning { asides, ..told(tool, input) }
}

fn told(tool: &str, input: &Value) -> Meaning {
    if let Some((_, nature, field)) = TOOLS.into_iter().find(|(name, ..)| *name == tool) {
        let about = text(input, field);
        let looks_for = matches!(nature, ToolNature::Finds | ToolNature::Searches);
        let place = if looks_for { text(input, "path") } else { None };
        let (changes, covers) = changes(tool, input).unwrap_or_default();
        return Meaning { about, place, changes, covers, ..nature.into() };
    }
    match tool {
        EXIT_PLAN => Meaning { about: text(input, PLAN), covers: vec![PLAN.to_owned()], ..ToolNature::Plans.into() },
        "Task" | "Agent" => Meaning {
            to: text(input, "subagent_type").or_else(|| text(input, "agent_type")),
            about: text(input, "description").or_else(|| text(input, "prompt")),
            ..ToolNature::Delegates.into()
        },
        "SendMessage" => Meaning {
            to: text(input, "recipient").or_else(|| text(input, "to")),
            about: text(input, "content").or_else(|| text(input, "message")),
            ..ToolNature::Tells.into()
        },
        "TodoWrite" => notes(input).unwrap_or_else(|| unknown(input)),
        ASK_USER => match ask::questions(input) {
            Some(asked) => {
                let asks = asked.into_iter().map(Into::into).collect();
                Meaning { covers: vec!["questions".to_owned()], ..Meaning::of_asks(asks) }
            }
            None => unknown(input),
        },
        _ => served(tool, input).unwrap_or_else(|| unknown(input)),
    }
}

fn unknown(input: &Value) -> Meaning {
    Meaning { about: TELLING.iter().find_map(|field| text(input, field)), ..Meaning::default() }
}

/// A field that says something.
fn text(input: &Value, field: &str) -> Option<String> {
    input[field].as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

/// `mcp__<server>__<tool>`: a tool of a server of tools, Iris's own among them.
fn served(name: &str, input: &Value) -> Option<Meaning> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    let own = if server == tools::SERVER { Meaning::of_own(tool, input) } else { None };
    let served = ServedTool { server: server.to_owned(), tool: tool.to_owned() };
    Some(Meaning { served: Some(served), ..own.unwrap_or_else(|| unknown(input)) })
}

/// The changes that a call makes, with the fields that say them. Nothing if they are not what they should be: then they are
/// shown as they are.
fn changes(tool: &str, input: &Value) -> Option<(Vec<Change>, Vec<String>)> {
    let whole = |value: &Value| value.as_str().map(str::to_owned);
    let path = whole(&input["file_path"])?;
    let edit = |edit: &Value| {
        let (before, after) = (whole(&edit["old_string"])?, whole(&edit["new_string"])?);
        Some(Change { path: path.clone(), before: Some(before), after })
    };
    let (changes, fields): (_, &[&str]) = match tool {
        "Edit" => (vec![edit(input)?], &["file_path", "old_string", "new_string"]),
        "Write" => {
            let after = whole(&input["content"])?;
            (vec![Change { path: path.clone(), before: None, after }], &["file_path", "content"])
        }
        "MultiEdit" => {
            let edits = input["edits"].as_array()?;
            // What else an edit says is not in the changes.
            let is_told = edits.iter().all(|edit| edit.as_object().is_some_and(|fields| fields.len() == 2));
            let fields: &[&str] = if is_told { &["file_path", "edits"] } else { &["file_path"] };
            (edits.iter().map(edit).collect::<Option<_>>()?, fields)
        }
        _ => return None,
    };
    Some((changes, fields.iter().map(|&field| field.to_owned()).collect()))
}

fn notes(input: &Value) -> Option<Meaning> {
    let note = |todo: &Value| {
        let state = match todo["status"].as_str() {
            Some("completed") => NoteState::Done,
            Some("in_progress") => NoteState::Doing,
            _ => NoteState::Open,
        };
        Note { text: todo["content"].as_str().unwrap_or_default().to_owned(), state }
    };
    let notes = input["todos"].as_array()?.iter().map(note).collect();
    Some(Meaning { covers: vec!["todos".to_owned()], ..Meaning::of_notes(notes) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(tool: &str, input: &Value, nature: ToolNature, about: Option<&str>) {
        let meaning = of(tool, input);
        assert_eq!((meaning.nature, meaning.about.as_deref()), (nature, about), "{tool} {input}");
    }

    #[test]
    fn a_tool_goes_by_one_field() {
        check("Bash", &json!({"command": "ls", "description": "x"}), ToolNature::Shell, Some("ls"));
        check("Edit", &json!({"file_path": "a", "command": "x"}), ToolNature::Changes, Some("a"));
        check("Grep", &json!({"path": "src", "pattern": "x.*"}), ToolNature::Searches, Some("x.*"));
        check("WebSearch", &json!({"query": "iris"}), ToolNature::SearchesWeb, Some("iris"));
        for input in [json!({"command": 7, "description": "x"}), json!({"command": " "}), json!([" "]), json!(null)] {
            check("Bash", &input, ToolNature::Shell, None);
        }
        check(EXIT_PLAN, &json!({"plan": "x"}), ToolNature::Plans, Some("x"));
        check("Unheard", &json!({"query": "q", "command": "c"}), ToolNature::Unknown, Some("c"));
    }

    #[test]
    fn what_changes_nothing_of_a_deed_is_an_aside() {
        let asides = |tool: &str, input: Value| of(tool, &input).asides;
        assert_eq!(asides("Bash", json!({"command": "ls", "description": "x"})), COMMENTS);
        assert_eq!(asides("mcp__host__run", json!({"command": "ls", "description": "x"})), COMMENTS);
        assert_eq!(asides(EXIT_PLAN, json!({"plan": "x"})), ["planFilePath"]);
        assert!(asides("Write", json!({"file_path": "a", "description": "x"})).is_empty());
    }

    #[test]
    fn what_looks_for_something_says_where() {
        assert_eq!(of("Grep", &json!({"pattern": "x", "path": "src"})).place.as_deref(), Some("src"));
        assert_eq!(of("LS", &json!({"path": "src"})).place, None);
    }

    #[test]
    fn changes_hold_all_that_the_fields_say() {
        let change = |before: Option<&str>, after: &str| Change {
            path: "a.rs".to_owned(),
            before: before.map(str::to_owned),
            after: after.to_owned(),
        };
        let check = |tool: &str, input: Value, changes: &[Change], covers: &[&str]| {
            let meaning = of(tool, &input);
            assert_eq!(meaning.changes, changes, "{input}");
            assert_eq!(meaning.covers, covers, "{input}");
        };
        let edit = json!({"file_path": "a.rs", "old_string": "x", "new_string": "", "replace_all": true});
        check("Edit", edit, &[change(Some("x"), "")], &["file_path", "old_string", "new_string"]);
        let write = json!({"file_path": "a.rs", "content": "x", "path": "b"});
        check("Write", write, &[change(None, "x")], &["file_path", "content"]);
        let one = json!({"old_string": "x", "new_string": "y"});
        let all = json!({"old_string": "z", "new_string": "w", "replace_all": true});
        let two = [change(Some("x"), "y"), change(Some("z"), "w")];
        check("MultiEdit", json!({"file_path": "a.rs", "edits": [one]}), &two[..1], &["file_path", "edits"]);
        check("MultiEdit", json!({"file_path": "a.rs", "edits": [one, all]}), &two, &["file_path"]);
        check("Edit", json!({"file_path": "a.rs", "old_string": 7, "new_string": "y"}), &[], &[]);
        check("Write", json!({"content": "x"}), &[], &[]);
    }

    #[test]
    fn sub_agents_and_messages_name_whom_they_are_for() {
        let task = of("Task", &json!({"subagent_type": "explorer", "description": "dig", "prompt": "Dig!"}));
        assert_eq!((task.nature, task.to.as_deref()), (ToolNature::Delegates, Some("explorer")));
        assert_eq!(task.about.as_deref(), Some("dig"));
        let told = of("mcp__iris__team_tell", &json!({"toTeam": "beacon", "message": "hello"}));
        assert_eq!((told.nature, told.to.as_deref()), (ToolNature::Tells, Some("beacon")));
        assert_eq!(told.served.map(|served| served.tool).as_deref(), Some("team_tell"));
    }

    #[test]
    fn of_another_server_only_the_name_is_known() {
        let asked = of("mcp__other__ask_question", &json!({"question": "Why?"}));
        assert_eq!((asked.nature, asked.asks.len()), (ToolNature::Unknown, 0));
        let served = of("mcp__git__push__all", &json!({})).served.expect("a server");
        assert_eq!((served.server.as_str(), served.tool.as_str()), ("git", "push__all"));
    }

    #[test]
    fn questions_and_notes_are_told_whole_and_in_a_line() {
        let asked = of(ASK_USER, &json!({"questions": [{"question": "Which?", "options": [{"label": "Red"}]}]}));
        assert_eq!((asked.nature, asked.about.as_deref()), (ToolNature::Asks, Some("Which?")));
        assert_eq!(asked.asks[0].options, ["Red"]);
        let todo =
            json!({"todos": [{"content": "a", "status": "completed"}, {"content": "b", "status": "in_progress"}]});
        check("TodoWrite", &todo, ToolNature::Notes, Some("1 of 2 done · b"));
        check("TodoWrite", &json!({"todos": [null, 7]}), ToolNature::Notes, Some("0 of 2 done"));
        for tool in ["TodoWrite", ASK_USER] {
            check(tool, &json!({"questions": [null]}), ToolNature::Unknown, None);
        }
    }
}
