//! /api/questions

use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State};
use axum::{Extension, Json};
use iris_api::question::{AnswerRequest, Pending, Question, Response};
use iris_core::fault::FaultKind;
use iris_core::id::QuestionId;
use iris_core::question::Answer;
use serde_json::Value;

use super::problem::Fault;
use crate::auth::Caller;
use crate::{App, wire};

/// The questions that wait for an answer
#[utoipa::path(get, path = "/api/questions/pending", tag = "questions", responses((status = 200, description = "done", body = Pending)))]
pub(crate) async fn pending(State(app): State<App>) -> Result<Json<Pending>, Fault> {
    let open = app.engine.list_open_questions().await?;
    Ok(Json(Pending { questions: open.into_iter().map(wire::question).collect() }))
}

/// Answers a question; the first answer wins
#[utoipa::path(post, path = "/api/questions/{id}/answer", tag = "questions", params(("id" = String, Path, description = "The question")), request_body = AnswerRequest, responses((status = 200, description = "done", body = Question)))]
pub(crate) async fn answer(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    body: Result<Json<AnswerRequest>, JsonRejection>,
) -> Result<Json<Question>, Fault> {
    let Json(AnswerRequest { response }) = body?;
    let row = app.engine.answer_question(&QuestionId::new(id), &caller.party, given(response)?).await?;
    Ok(Json(wire::question(row)))
}

fn given(response: Response) -> Result<Answer, Fault> {
    let text = |value: Value| match value {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        other => Err(Fault::new(FaultKind::Unfit, format!("{other} is not an answer"))),
    };
    Ok(match response.value {
        Value::Bool(true) => Answer::Approve,
        Value::Bool(false) => Answer::Refuse { why: response.text },
        Value::Array(values) => Answer::Choose { values: values.into_iter().map(text).collect::<Result<_, _>>()? },
        value => Answer::Choose { values: vec![text(value)?] },
    })
}
