//! /api/questions

use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::{Extension, Json};
use iris_api::Page;
use iris_api::question::{AnswerRequest, AnswerResponse, EditRequest, Pending, Question, QuestionFigures, Remember};
use iris_core::duration::Millis;
use iris_core::fault::FaultKind;
use iris_core::id::{QuestionId, SessionId};
use iris_core::question::{AskError, QuestionKind, QuestionState};
use iris_core::rule::RuleScope;
use iris_engine::question::answer::Saying;
use iris_engine::question::figures::Suggestion;
use iris_engine::{Closed, Engine, Listed, OpenFilter, QuestionRow};
use serde::Deserialize;
use utoipa::IntoParams;

use super::body::Object;
use super::page_size;
use super::problem::Fault;
use super::team::known as known_team;
use crate::App;
use crate::auth::Caller;
use crate::wire::question as wire;

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Filter {
    /// Only of this kind; `non_blocking` is all that no agent waits for.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// Taken, and filters nothing: a daemon is one workspace, whatever it is called.
    #[serde(rename = "workspaceId")]
    _workspace: Option<String>,
    /// Only of this team.
    team: Option<String>,
    /// The same as `team`: a team is an agent in a project.
    project_id: Option<String>,
    /// Only of this job.
    job: Option<String>,
}

const NON_BLOCKING: &str = "non_blocking";

impl Filter {
    /// A kind that there is not would find nothing, which looks like an answer.
    fn check(&self) -> Result<(), Fault> {
        match self.kind.as_deref() {
            None | Some(NON_BLOCKING) => Ok(()),
            Some(kind) => kind.parse::<QuestionKind>().map(drop).map_err(|kind| {
                Fault::new(FaultKind::Invalid, AskError::Kind(kind.chars().take(40).collect()).to_string())
                    .hint("leave `type` out to see all")
            }),
        }
    }

    /// A team that is named twice, as two, is none.
    fn meant(self) -> Option<OpenFilter> {
        if self.team.is_some() && self.project_id.is_some() && self.team != self.project_id {
            return None;
        }
        let is_non_blocking = self.kind.as_deref() == Some(NON_BLOCKING);
        Some(OpenFilter {
            kind: self.kind.filter(|_| !is_non_blocking),
            is_blocking: is_non_blocking.then_some(false),
            team: self.team.or(self.project_id),
            job: self.job,
        })
    }
}

/// Past answers are looked up for so many: nobody reads the suggestions of a thousand.
const WITH_SUGGESTION: usize = 100;

/// The questions that wait for an answer, oldest first; of more than 1000, the oldest and the newest
#[utoipa::path(get, path = "/api/questions/pending", tag = "questions", params(Filter), responses((status = 200, description = "done", body = Pending)))]
pub(crate) async fn pending(
    State(app): State<App>,
    filter: Result<Query<Filter>, QueryRejection>,
) -> Result<Json<Pending>, Fault> {
    let Query(filter) = filter?;
    filter.check()?;
    if let Some(team) = &filter.team {
        known_team(&app, team).await?;
    }
    let Some(meant) = filter.meant() else { return Ok(Json(Pending { questions: Vec::new(), more: 0 })) };
    let Listed { rows, more } = app.engine.list_open_questions(meant).await?;
    let similar = app.engine.count_similar(&rows).await?;
    let mut questions = Vec::new();
    for (row, similar) in rows.into_iter().zip(similar) {
        let is_early = questions.len() < WITH_SUGGESTION;
        let suggestion = if is_early { app.engine.suggest_answer(&row).await? } else { None };
        questions.push(with(&app.engine, suggestion, similar, row));
    }
    Ok(Json(Pending { questions, more }))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Paging {
    /// Only those of one session.
    session: Option<String>,
    /// The `next` of the page before.
    after: Option<String>,
    /// At most this many; 100 if not said, 1000 at most.
    #[param(minimum = 1)]
    limit: Option<i64>,
}

/// The questions that wait for nobody any more, with what became of them, newest first
#[utoipa::path(get, path = "/api/questions/decided", tag = "questions", params(Paging), responses((status = 200, description = "done", body = Page<Question>)))]
pub(crate) async fn decided(
    State(app): State<App>,
    paging: Result<Query<Paging>, QueryRejection>,
) -> Result<Json<Page<Question>>, Fault> {
    let Query(paging) = paging?;
    let limit = page_size(paging.limit)?;
    let before = paging.after.as_deref().map(read_place).transpose()?;
    let session = paging.session.map(SessionId::new);
    let rows = app.engine.list_closed_questions(session, before, limit).await?;
    let is_full = i64::try_from(rows.len()).is_ok_and(|count| count == limit);
    let next = rows.last().filter(|_| is_full).map(|row| format!("{}.{}", row.closed_at.unwrap_or_default(), row.id));
    Ok(Json(Page { items: rows.into_iter().map(|row| wire::question(&app.engine, row)).collect(), next }))
}

fn read_place(after: &str) -> Result<Closed, Fault> {
    let place = after.split_once('.').and_then(|(at, id)| Some(Closed { at: at.parse().ok()?, id: id.to_owned() }));
    place.ok_or_else(|| {
        Fault::new(FaultKind::Invalid, "'after' is not the `next` of a page".to_owned())
            .hint("leave it out to begin with the newest")
    })
}

/// One question, open or not
#[utoipa::path(get, path = "/api/questions/{id}", tag = "questions", params(("id" = String, Path, description = "The question")), responses((status = 200, description = "done", body = Question)))]
pub(crate) async fn show(State(app): State<App>, Path(id): Path<String>) -> Result<Json<Question>, Fault> {
    let row = app.engine.find_question(&QuestionId::new(id)).await?;
    if row.state != QuestionState::Open {
        return Ok(Json(wire::question(&app.engine, row)));
    }
    let suggestion = app.engine.suggest_answer(&row).await?;
    let similar = app.engine.count_similar(std::slice::from_ref(&row)).await?;
    Ok(Json(with(&app.engine, suggestion, similar.first().copied().unwrap_or(0), row)))
}

fn with(engine: &Engine, suggestion: Option<Suggestion>, similar: usize, row: QuestionRow) -> Question {
    let response = row.detail.response_type();
    let suggestion = suggestion.as_ref().map(|suggestion| wire::suggestion(suggestion, response));
    Question { suggestion, similar, ..wire::question(engine, row) }
}

/// Answers a question; the first answer wins
#[utoipa::path(post, path = "/api/questions/{id}/answer", tag = "questions", params(("id" = String, Path, description = "The question")), request_body = AnswerRequest, responses(
    (status = 200, description = "this answer counts", body = AnswerResponse),
    (status = 409, description = "somebody else was first, or what is asked has changed", body = iris_api::problem::Problem),
    (status = 410, description = "its time is over", body = iris_api::problem::Problem),
    (status = 422, description = "it asks for something else", body = iris_api::problem::Problem),
))]
pub(crate) async fn answer(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Object(request): Object<AnswerRequest>,
) -> Result<Json<AnswerResponse>, Fault> {
    let id = QuestionId::new(id);
    let saying = Saying {
        value: request.response.value,
        text: request.response.text,
        kind: request.response.kind,
        seen: request.digest,
        remember: request.remember.map(remember).transpose()?,
        again: request.again,
    };
    let taken = app.engine.answer_question(&id, &caller.actor(), saying.clone()).await?;
    let also = if request.similar {
        app.engine.answer_similar(&taken.row, &caller.actor(), &saying).await?
    } else {
        Vec::new()
    };
    Ok(Json(AnswerResponse {
        success: true,
        job_resumed: taken.resumed,
        again: taken.again,
        also: also.iter().map(ToString::to_string).collect(),
        question: wire::question(&app.engine, taken.row),
    }))
}

fn remember(remember: Remember) -> Result<(RuleScope, Millis), Fault> {
    let scope = remember.scope.parse().map_err(|scope| {
        Fault::new(FaultKind::Unfit, format!("'{scope}' is no scope of a rule; use deed, tool or question"))
    });
    Ok((scope?, Millis(remember.for_ms)))
}

/// Changes the action that is to be approved; the answer is the question that has to be answered now
#[utoipa::path(post, path = "/api/questions/{id}/edit", tag = "questions", params(("id" = String, Path, description = "The question")), request_body = EditRequest, responses((status = 200, description = "done", body = Question)))]
pub(crate) async fn edit(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Object(request): Object<EditRequest>,
) -> Result<Json<Question>, Fault> {
    let row = app.engine.edit_question(&QuestionId::new(id), &caller.actor(), request.input).await?;
    Ok(Json(wire::question(&app.engine, row)))
}

/// Says that nobody needs the answer any more
#[utoipa::path(post, path = "/api/questions/{id}/cancel", tag = "questions", params(("id" = String, Path, description = "The question")), responses((status = 200, description = "done", body = Question)))]
pub(crate) async fn cancel(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<Json<Question>, Fault> {
    let row = app.engine.cancel_question(&QuestionId::new(id), &caller.actor()).await?;
    Ok(Json(wire::question(&app.engine, row)))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Within {
    /// Of the questions asked in the last so many milliseconds; a week if not said.
    #[param(minimum = 1)]
    within_ms: Option<i64>,
}

pub(super) const A_WEEK: i64 = 7 * 24 * 3_600_000;

/// Time to answer, time-outs, questions per job and what is wrong with them
#[utoipa::path(get, path = "/api/questions/figures", tag = "questions", params(Within), responses((status = 200, description = "done", body = QuestionFigures)))]
pub(crate) async fn figures(
    State(app): State<App>,
    within: Result<Query<Within>, QueryRejection>,
) -> Result<Json<QuestionFigures>, Fault> {
    let within_ms = match within?.0.within_ms {
        Some(none @ ..1) => {
            let what = format!("in the last {none} milliseconds nothing was asked");
            return Err(Fault::new(FaultKind::Invalid, what).hint("ask for 1 or more, or leave it out for a week"));
        }
        asked => asked.unwrap_or(A_WEEK),
    };
    let figures = app.engine.question_figures(within_ms).await?;
    Ok(Json(wire::figures(within_ms, &figures)))
}
