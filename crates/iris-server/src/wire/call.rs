//! Calls of tools on the wire.

use iris_api::call;
use iris_core::call::{Call, CallQuestion, CallResult, Change, Meaning, Note, ServedTool};

pub(crate) fn call(found: Call) -> call::Call {
    let Call { id, name, input, meaning: found } = found;
    call::Call { id, name, input, meaning: meaning(found) }
}

pub(crate) fn result(found: CallResult) -> call::CallResult {
    let CallResult { call, text, is_error } = found;
    call::CallResult { call, text, is_error }
}

pub(crate) fn meaning(found: Meaning) -> call::Meaning {
    let Meaning { nature, about, place, to, served, changes, asks, notes, covers, asides: _ } = found;
    let change = |Change { path, before, after }| call::Change { path, before, after };
    let asked = |CallQuestion { question, options }| call::CallQuestion { question, options };
    let note = |Note { text, state }| call::Note { text, state: state.as_str().to_owned() };
    call::Meaning {
        nature: nature.as_str().to_owned(),
        about,
        place,
        to,
        served: served.map(|ServedTool { server, tool }| call::ServedTool { server, tool }),
        changes: changes.into_iter().map(change).collect(),
        asks: asks.into_iter().map(asked).collect(),
        notes: notes.into_iter().map(note).collect(),
        covers,
    }
}

#[cfg(test)]
mod tests {
    use iris_core::call::{NoteState, ToolNature};
    use iris_core::event::{MESSAGE, Recorded, Subject};
    use iris_core::message::{Heard, MessageType};
    use serde_json::Value;
    use serde_json::value::RawValue;

    use super::*;

    /// Whoever reads messages and follows events reads both alike.
    #[test]
    fn a_message_has_the_form_that_it_has_in_its_event() {
        let word = |text: &str| text.to_owned();
        let meaning = Meaning {
            nature: ToolNature::SearchesWeb,
            about: Some(word("about")),
            place: Some(word("place")),
            to: Some(word("to")),
            served: Some(ServedTool { server: word("git"), tool: word("push") }),
            changes: vec![Change { path: word("a"), before: Some(word("b")), after: word("c") }],
            asks: vec![CallQuestion { question: word("Which?"), options: vec![word("Red")] }],
            notes: vec![Note { text: word("paint"), state: NoteState::Doing }],
            covers: vec![word("file")],
            asides: &[],
        };
        let input = RawValue::from_string(word(r#"{"n":1}"#)).expect("JSON");
        let heard = Heard {
            parent: Some(word("c0")),
            calls: vec![Call { id: word("c1"), name: word("Tool"), input, meaning }],
            results: vec![CallResult { call: word("c0"), text: Some(word("ok")), is_error: true }],
            noise: true,
            model: Some(word("opus")),
            line: Some(word("{}")),
            ..Heard::new(MessageType::ToolUse, Some(word("Tool")))
        };
        let body = heard.to_json();
        let kept: Value = serde_json::from_str(&body).expect("JSON");
        let event = Recorded { seq: 1, at: 2, kind: MESSAGE.into(), subject: Subject::default(), body: body.into() };
        let told = serde_json::to_string(&super::super::message(&event)).expect("plain data");
        let mut told: Value = serde_json::from_str(&told).expect("JSON");
        told.as_object_mut().expect("an object").retain(|name, _| name != "seq" && name != "at");
        assert_eq!(told, kept);
    }
}
