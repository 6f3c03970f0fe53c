//! What happens in a job, in the words of a job's stream.

use std::convert::Infallible;
use std::time::Instant;

use axum::response::sse::{Event as Frame, KeepAlive, Sse};
use futures_util::stream::{self, Stream, StreamExt};
use iris_api::event::Event;
use iris_core::question::{Answer, Detail, ResponseType};
use iris_engine::JobRow;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::App;
use crate::http::event::{Filter, Follower, HEARTBEAT, Item, STALLED, why_dropped};
use crate::wire::question::{given, given_to_any, iso, options};

pub(super) fn follow(
    app: App,
    job: &JobRow,
    after: Option<i64>,
) -> Sse<impl Stream<Item = Result<Frame, Infallible>> + use<>> {
    let filter = Filter::of_session(job.session.as_str());
    // A stream of a job begins with the job.
    let follower = Follower::new(app, filter, Some(after.unwrap_or(0)));
    let id = job.id.to_string();
    let frames = stream::unfold((Some(follower), id, Instant::now()), |(follower, id, given)| async move {
        let mut follower = follower?;
        // The next piece is asked for when there is room for it.
        if given.elapsed() >= STALLED {
            let dropped = Frame::default().event("dropped").data(json!({ "why": why_dropped() }).to_string());
            return Some((stream::iter(vec![Ok(dropped)]), (None, id, given)));
        }
        let framed = |item| match item {
            Item::Event { seq, json } => Ok(frame(&id, &json).id(seq.to_string())),
            Item::Delta { json } => Ok(Frame::default().event("delta").data(json)),
            Item::Reset { head, json } => Ok(Frame::default().event("reset").data(json).id(head.to_string())),
        };
        let frames: Vec<_> = follower.next().await?.into_iter().map(framed).collect();
        Some((stream::iter(frames), (Some(follower), id, Instant::now())))
    });
    Sse::new(frames.flatten()).keep_alive(KeepAlive::new().interval(HEARTBEAT))
}

fn frame(job: &str, json: &str) -> Frame {
    let event: Option<Event> = serde_json::from_str(json).ok();
    match event.as_ref().and_then(|event| in_words(job, event)) {
        Some((name, data)) => Frame::default().event(name).data(data.to_string()),
        None => Frame::default().event("event").data(json),
    }
}

/// The name of the frame and what is in it; `None` for what a job's stream has no word of its own for.
fn in_words(job: &str, event: &Event) -> Option<(&'static str, Value)> {
    let body: Value = serde_json::from_str(event.data.get()).ok()?;
    Some(match event.kind.as_str() {
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
                    "response": response, "defaulted": event.kind == "question.defaulted",
                }),
            )
        }
        "question.cancelled" | "question.expired" | "question.superseded" => {
            let state = event.kind.strip_prefix("question.").unwrap_or_default();
            (
                "question_closed",
                json!({
                    "type": "question_closed", "questionId": body["id"], "jobId": job, "state": state, "why": body["why"],
                }),
            )
        }
        "job.started" => ("status", json!({"type": "status", "jobId": job, "status": "running"})),
        "job.status" | "job.ended" => (
            "status",
            json!({
                "type": "status", "jobId": job, "status": body["status"], "error": body["error"],
            }),
        ),
        _ => return None,
    })
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
