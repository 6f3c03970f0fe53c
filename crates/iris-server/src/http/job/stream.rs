//! What happens in a job, in the words of a job's stream.

use axum::response::Response;
use iris_core::question::{Answer, Detail, ResponseType};
use iris_engine::JobRow;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::App;
use crate::connection::outflow::Outflow;
use crate::http::event::{self, Filter, Follower};
use crate::wire::question::{given, given_to_any, iso, options};

pub(super) fn follow(app: App, outflow: Outflow, job: &JobRow, after: Option<i64>) -> Response {
    let filter = Filter::of_session(job.session.as_str());
    let id = job.id.to_string();
    // A stream of a job begins with the job.
    let follower = Follower::new(app, filter, Some(after.unwrap_or(job.first_seq - 1).max(0)));
    event::follow(follower, outflow, move |kind, json| {
        in_words(&id, kind, json).map(|(name, data)| (name, data.to_string()))
    })
}

/// The name of the frame and what is in it; `None` for what a job's stream has no word of its own for. What may be long, a goal
/// or what an agent says, is not looked into.
fn in_words(job: &str, kind: &str, json: &str) -> Option<(&'static str, Value)> {
    if kind == "job.started" {
        return Some(("status", json!({"type": "status", "jobId": job, "status": "running"})));
    }
    if !["question.", "job."].iter().any(|noun| kind.starts_with(noun)) {
        return None;
    }
    let Event { data: body } = serde_json::from_str(json).ok()?;
    Some(match kind {
        "question.opened" => ("question_asked", asked(job, &body)),
        "question.answered" | "question.defaulted" => {
            let answer: Answer = serde_json::from_value(body["answer"].clone()).ok()?;
            // Events of before do not say what was asked for.
            let asked: Option<ResponseType> = serde_json::from_value(body["responseType"].clone()).ok();
            let response = asked.map_or_else(|| given_to_any(&answer), |asked| given(&answer, asked));
            (
                "question_answered",
                json!({
                    "type": "question_answered", "questionId": body["id"], "jobId": job, "by": body["by"],
                    "response": response, "defaulted": kind == "question.defaulted",
                }),
            )
        }
        "question.cancelled" | "question.expired" | "question.superseded" => {
            let state = kind.strip_prefix("question.").unwrap_or_default();
            (
                "question_closed",
                json!({
                    "type": "question_closed", "questionId": body["id"], "jobId": job, "state": state, "why": body["why"],
                }),
            )
        }
        "job.status" | "job.ended" => (
            "status",
            json!({
                "type": "status", "jobId": job, "status": body["status"], "error": body["error"],
            }),
        ),
        _ => return None,
    })
}

/// What is read of an event.
#[derive(Deserialize)]
struct Event {
    data: Value,
}

fn asked(job: &str, body: &Value) -> Value {
    let detail = Detail::deserialize(&body["detail"]).ok();
    let options = detail.as_ref().map(options).unwrap_or_default();
    json!({
        "type": "question_asked", "questionId": body["id"], "jobId": job,
        "question": {
            "question": body["text"], "type": body["kind"], "responseType": body["responseType"],
            "options": options, "context": body["context"],
            "timeoutAt": body["deadline"].as_i64().and_then(iso),
        },
    })
}
