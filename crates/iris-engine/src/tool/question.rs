//! The tool that asks a person, for clients outside: an agent that Iris does not run waits here for its answer. A call that
//! was cut and is made again finds its question.

use iris_core::agent::{ToolEffect, ToolSpec};
use iris_core::id::JobId;
use iris_core::question::{AskRequest, tool_answer};
use iris_store::question::QuestionRow;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::ASK;
use super::answer::{Refusal, one_of};
use super::call::{Answer, Caller, read_arguments};
use super::spec::{object, text};
use crate::engine::Engine;
use crate::question::QuestionError;

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: ASK,
        title: "Ask a person",
        description: "Ask the person you work for. Use it when you need information or a decision to go on, or want to \
                      know a preference; not for what you can find out yourself. The types blocking, choice, approval \
                      and error_recovery wait for the answer, however long it takes; clarifying (or non_blocking), \
                      confirming, preference, educational and celebratory return at once, and you go on with your \
                      default. One sentence, and options where there are some.",
        input: object(&["question", "type"], arguments()),
        output: json!({
            "type": "object",
            "properties": {
                "questionId": { "type": "string" },
                "status": { "type": "string", "enum": ["answered", "open"] },
                "by": { "type": "string", "description": "Who answered." },
                "response": { "type": "object", "properties": {
                    "type": { "type": "string" },
                    "value": { "anyOf": [{ "type": "string" }, { "type": "boolean" }, texts(), { "type": "object" }] },
                    "text": { "anyOf": one_of(&["string", "null"]) },
                } },
                "default": { "anyOf": one_of(&["string", "null"]), "description": "What holds until somebody answers." },
                "note": { "type": "string" },
            },
            "required": ["questionId", "status"],
        }),
        effect: ToolEffect::Settles,
    }
}

/// Clients outside have no pipe that says what they work on.
pub(super) fn spec_for_clients() -> ToolSpec {
    let mut spec = spec();
    spec.input["properties"]["job"] = text("The job in which you ask. Needed unless you speak for a team.");
    spec
}

fn arguments() -> Value {
    json!({
        "question": text("The question, in one sentence."),
        "type": { "type": "string", "enum": ["blocking", "non_blocking", "clarifying", "confirming", "educational",
                  "celebratory", "preference", "approval", "choice", "error_recovery"] },
        "responseType": { "type": "string", "enum": ["text", "choice", "boolean", "approval"] },
        "options": { "type": "array", "maxItems": 50, "items": { "type": "object", "properties": {
            "id": text("By which it may be answered, too."),
            "label": text("What the person sees."),
            "value": { "anyOf": one_of(&["string", "boolean", "number"]),
                       "description": "What you get, as text; the label if left out." },
            "description": text("What it would mean."),
            "implications": text("What follows from it, if that is more to say."),
            "recommended": { "type": "boolean" },
        }, "required": ["label"] } },
        "context": { "anyOf": one_of(&["string", "object"]),
                     "description": "Why you ask: what the person needs to know to decide." },
        "timeoutMinutes": { "type": "number", "minimum": 5, "maximum": 1440,
                            "description": "How long somebody has to answer." },
        "defaultResponse": { "anyOf": [{ "type": "string" }, { "type": "boolean" }, { "type": "number" }, texts(),
                             { "type": "object" }],
                             "description": "What holds if nobody answers in time." },
        "onDeadline": { "type": "string", "enum": ["default", "fail", "wait"] },
        "allowFreeText": { "type": "boolean", "description": "Take words of the person's own beside the options." },
        "key": text("The same key never asks twice."),
    })
}

/// Of a question that takes several options.
fn texts() -> Value {
    json!({ "type": "array", "items": { "type": "string" } })
}

pub(super) async fn ask(engine: &Engine, caller: &Caller, arguments: &RawValue) -> Answer {
    let mut given: Value = read_arguments(ASK, arguments)?;
    let job = given.as_object_mut().and_then(|given| given.remove("job"));
    let job = job.and_then(|job| job.as_str().map(JobId::new));
    let given = to_raw_value(&given).expect("JSON stays JSON");
    let request: AskRequest = read_arguments(ASK, &given)?;
    let opened = engine.ask_from_outside(&caller.party, job, &caller.keys, &request).await.map_err(refused)?;
    if !opened.blocks && opened.answer.is_none() {
        let default = opened.default.as_ref().map(iris_core::question::Answer::words);
        let note = "go on; ask again with the same key to learn whether somebody has answered";
        return Ok(json!({ "questionId": opened.id, "status": "open", "default": default, "note": note }));
    }
    let closed = engine.wait_for_answer(&opened.id).await.map_err(refused)?;
    answered(&closed)
}

fn answered(row: &QuestionRow) -> Answer {
    let by = row.closed_by.as_deref().unwrap_or("the default, as nobody answered in time");
    match &row.answer {
        Some(answer) => tool_answer(row.id.as_str(), &row.detail, answer, by).map_err(Refusal::from),
        None => Err(format!("the question was {}, without an answer", row.state).into()),
    }
}

fn refused(error: QuestionError) -> Refusal {
    match error.hint() {
        Some(hint) => format!("{error}; {hint}").into(),
        None => error.to_string().into(),
    }
}
