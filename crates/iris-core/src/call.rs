//! A call of a tool, what it means and what came back of it, in words that hold for every kind of agent.

mod own;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::agent::AskedQuestion;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Call {
    /// The agent's own name for it, by which its result is known.
    pub id: String,
    /// The tool, as the agent names it.
    pub name: String,
    /// What it is called with, as the agent wrote it.
    pub input: Box<RawValue>,
    pub meaning: Meaning,
}

/// What came back of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallResult {
    /// The id of the call.
    pub call: String,
    /// Absent where it is the text of the message: what is long is not kept twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

/// What a tool of an agent does. Whoever speaks with that kind of agent says it: its tools' names mean something only there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolNature {
    /// A shell runs its `command`. A field of that name says nothing about what any other tool does.
    Shell,
    /// It only looks, at nothing that can be named.
    Looks,
    /// It only looks, into a file.
    Reads,
    /// It only looks, into a folder.
    Lists,
    /// It only looks, where its `pattern` says.
    Finds,
    /// It only looks, for what its pattern says.
    Searches,
    /// It fetches what is at an address.
    Fetches,
    SearchesWeb,
    /// It changes one file, in places.
    Changes,
    /// It writes one file, whole.
    Writes,
    /// It asks leave to carry out a plan, which it is about.
    Plans,
    /// It starts a sub-agent, which speaks under the call.
    Delegates,
    /// It speaks to another agent.
    Tells,
    /// It asks a person.
    Asks,
    /// It notes what is to be done.
    Notes,
    #[default]
    Unknown,
}

impl ToolNature {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Looks => "looks",
            Self::Reads => "reads",
            Self::Lists => "lists",
            Self::Finds => "finds",
            Self::Searches => "searches",
            Self::Fetches => "fetches",
            Self::SearchesWeb => "searches_web",
            Self::Changes => "changes",
            Self::Writes => "writes",
            Self::Plans => "plans",
            Self::Delegates => "delegates",
            Self::Tells => "tells",
            Self::Asks => "asks",
            Self::Notes => "notes",
            Self::Unknown => "unknown",
        }
    }
}

/// What a call comes to, as far as its tool is known. Whoever speaks with that kind of agent says it, from the input and
/// from nothing else, so that nobody else needs to know how its tools are called and what their fields are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Meaning {
    pub nature: ToolNature,
    /// What it goes by, in the agent's words: the command, the path, the pattern, what is said or asked. Of a tool that is
    /// not known, what of its input says most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Where it looks, beside what it looks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Whom it speaks to, or what kind of sub-agent it starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The server of tools that it is of, and its name there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub served: Option<ServedTool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<CallQuestion>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// The fields of the input that are told by `changes`, whole, or by `asks` or `notes`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub covers: Vec<String>,
    /// The fields by which the agent comments on the call, or which differ each time: what is done is the same without
    /// them. Known while it is asked for, and not kept.
    #[serde(skip)]
    pub asides: &'static [&'static str],
}

impl From<ToolNature> for Meaning {
    fn from(nature: ToolNature) -> Self {
        Self { nature, ..Self::default() }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedTool {
    pub server: String,
    pub tool: String,
}

/// A change to a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub path: String,
    /// What is replaced. Absent where the file is written whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    pub after: String,
}

/// What a call asks of people, for later: while it waits for an answer, it is a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallQuestion {
    pub question: String,
    /// What can be chosen, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

impl From<AskedQuestion> for CallQuestion {
    fn from(asked: AskedQuestion) -> Self {
        let options = asked.options.into_iter().map(|option| option.label).collect();
        Self { question: asked.question, options }
    }
}

/// A thing to be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    pub text: String,
    pub state: NoteState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NoteState {
    Done,
    Doing,
    Open,
}

impl NoteState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Doing => "doing",
            Self::Open => "open",
        }
    }
}

/// Several things in one line.
const BETWEEN: &str = " · ";

impl Meaning {
    /// It asks people, in these words.
    pub fn of_asks(asks: Vec<CallQuestion>) -> Self {
        let about = asks.iter().map(|asked| asked.question.as_str()).collect::<Vec<_>>().join(BETWEEN);
        Self { nature: ToolNature::Asks, about: Some(about), asks, ..Self::default() }
    }

    /// It notes what is to be done.
    pub fn of_notes(notes: Vec<Note>) -> Self {
        let in_state = |state| notes.iter().filter(move |note| note.state == state);
        let done = format!("{} of {} done", in_state(NoteState::Done).count(), notes.len());
        let doing = in_state(NoteState::Doing).map(|note| note.text.as_str());
        let about = std::iter::once(done.as_str()).chain(doing).collect::<Vec<_>>().join(BETWEEN);
        Self { nature: ToolNature::Notes, about: Some(about), notes, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nature_has_one_name() {
        use ToolNature::{
            Asks, Changes, Delegates, Fetches, Finds, Lists, Looks, Notes, Plans, Reads, Searches, SearchesWeb, Shell,
            Tells, Unknown, Writes,
        };
        let all = [
            Shell,
            Looks,
            Reads,
            Lists,
            Finds,
            Searches,
            Fetches,
            SearchesWeb,
            Changes,
            Writes,
            Plans,
            Delegates,
            Tells,
            Asks,
            Notes,
            Unknown,
        ];
        for nature in all {
            assert_eq!(serde_json::to_value(nature).expect("plain data"), nature.as_str());
        }
    }

    #[test]
    fn what_is_to_be_done_is_counted() {
        let note = |text: &str, state| Note { text: text.to_owned(), state };
        let notes = [note("a", NoteState::Done), note("b", NoteState::Doing), note("c", NoteState::Open)];
        assert_eq!(Meaning::of_notes(notes.to_vec()).about.as_deref(), Some("1 of 3 done · b"));
        assert_eq!(Meaning::of_notes(Vec::new()).about.as_deref(), Some("0 of 0 done"));
    }
}
