//! Questions, jobs and rules on the wire.

use iris_api::question::{
    Action, AskResponse, Asked, Choice, Given, KindFigures, Question, QuestionAlert, QuestionFigures,
};
use iris_api::{job, question, rule};
use iris_core::actor::Through;
use iris_core::agent::{AskedOption, AskedQuestion};
use iris_core::question::input::told;
use iris_core::question::shown::shown;
use iris_core::question::{Answer, Detail, ResponseType, type_of};
use iris_core::visible::exact;
use iris_engine::question::figures::Suggestion;
use iris_engine::{Engine, Figures, JobRow, QuestionRow, RuleRow};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use super::call::meaning;

pub(crate) fn question(engine: &Engine, row: QuestionRow) -> Question {
    let questions: Vec<_> = row.detail.questions().iter().map(asked).collect();
    let response = row.detail.response_type();
    let allow_free_text = row.detail.takes_words();
    let options = options(&row.detail);
    let (action, schema) = match row.detail {
        Detail::Approval { tool, nature, input, folder, plan, reason } => {
            let (shown, digest) = (shown(&input, plan.as_deref()), row.digest.clone().unwrap_or_default());
            // What cannot be read exactly has no meaning that could be named.
            let input = told(&input);
            let meaning = meaning(engine.meaning_of(&row.team, nature, &tool, &input));
            (Some(Action { tool, meaning, input, shown, folder, digest, reason }), None)
        }
        Detail::Visit { server, url, .. } => {
            let (tool, digest) = (format!("elicitation of {server}"), row.digest.clone().unwrap_or_default());
            let input = to_raw_value(&json!({ "url": url })).expect("a text is JSON");
            let (shown, meaning) = (shown(&input, None), iris_api::call::Meaning::default());
            (Some(Action { tool, meaning, input, shown, folder: String::new(), digest, reason: None }), None)
        }
        Detail::Form { schema, .. } => (None, serde_json::from_str(schema.get()).ok()),
        Detail::Choice { .. } | Detail::Asked { .. } => (None, None),
    };
    Question {
        id: row.id.to_string(),
        kind: row.kind.to_string(),
        state: row.state.to_string(),
        way: row.way.to_string(),
        blocking: row.blocks,
        question: row.text,
        context: row.context,
        response_type: response.to_string(),
        allow_free_text,
        options,
        questions,
        schema,
        action,
        digest: row.digest,
        risk: row.risk.map(|risk| risk.to_string()),
        risk_why: row.risk_why,
        default: row.default.as_ref().map(|answer| given(answer, response)),
        deadline: row.deadline_at,
        on_deadline: row.on_deadline.to_string(),
        team: row.team.to_string(),
        session: row.session.to_string(),
        turn: row.turn.map(|turn| turn.to_string()),
        job: row.job.map(|job| job.to_string()),
        fails_job: row.blocks && row.is_of_running_job,
        asked_of: row.asked_of.map(|party| party.to_string()),
        opened_at: row.opened_at,
        closed_at: row.closed_at,
        closed_by: row.closed_by,
        closed_through: row.closed_through.map(through),
        closed_why: row.closed_why,
        answer: row.answer.as_ref().map(|answer| given(answer, response)),
        passed_on: row.resume.map(|resume| resume == "done"),
        replaced_by: row.replaced_by.map(|next| next.to_string()),
        similar: 0,
        suggestion: None,
    }
}

pub(crate) fn through(through: Through) -> question::Through {
    question::Through {
        surface: through.surface.as_str().to_owned(),
        credential: through.credential,
        name: through.name,
        signed_in_by: through.signed_in_by,
    }
}

/// What can be chosen, if one thing is asked.
pub(crate) fn options(detail: &Detail) -> Vec<Choice> {
    if let [one] = detail.questions() { asked(one).options } else { Vec::new() }
}

fn asked(asked: &AskedQuestion) -> Asked {
    let option = |option: &AskedOption| Choice {
        id: option.id.clone(),
        value: option.value().to_owned(),
        label: option.label.clone(),
        description: Some(option.description.clone()).filter(|text| !text.is_empty()),
        recommended: option.recommended,
    };
    Asked {
        question: asked.question.clone(),
        options: asked.options.iter().map(option).collect(),
        several: asked.several,
    }
}

/// An answer to what was asked with this type of response.
pub(crate) fn given(answer: &Answer, asked: ResponseType) -> Given {
    Given { kind: Some(type_of(asked, answer).to_string()), ..given_to_any(answer) }
}

/// The same where it is not known what was asked.
pub(crate) fn given_to_any(answer: &Answer) -> Given {
    let (value, text) = match answer {
        Answer::Approve { note } => (true.into(), note.clone()),
        Answer::Refuse { why } => (false.into(), why.clone()),
        Answer::Choose { values, note } => match values.as_slice() {
            [one] => (one.as_str().into(), note.clone()),
            several => (several.to_vec().into(), note.clone()),
        },
        Answer::Fill { content } => (Value::Object(content.clone()), None),
    };
    Given { kind: None, value, text }
}

pub(crate) fn suggestion(suggestion: &Suggestion, asked: ResponseType) -> question::Suggestion {
    question::Suggestion {
        answer: given(&suggestion.answer, asked),
        times: suggestion.times,
        of: suggestion.of,
        last_by: suggestion.last.by.clone(),
        last_at: suggestion.last.at,
    }
}

pub(crate) fn ask(row: &QuestionRow) -> AskResponse {
    AskResponse {
        question_id: row.id.to_string(),
        timeout_at: row.deadline_at.and_then(iso),
        state: row.state.to_string(),
        answer: row.answer.as_ref().map(|answer| given(answer, row.detail.response_type())),
    }
}

/// A moment as ISO 8601, in UTC.
pub(crate) fn iso(wall_ms: i64) -> Option<String> {
    jiff::Timestamp::from_millisecond(wall_ms).ok().map(|moment| moment.to_string())
}

pub(crate) fn job(row: JobRow) -> job::Job {
    job::Job {
        id: row.id.to_string(),
        team: row.team.to_string(),
        goal: row.goal,
        status: row.state.to_string(),
        status_event: row.state_seq,
        status_since: row.state_at,
        status_age_ms: row.state_age_ms,
        session: row.session.to_string(),
        started_by: row.started_by.to_string(),
        again_of: row.again_of.map(|job| job.to_string()),
        created_at: row.created_at,
        ended_at: row.ended_at,
        result: row.result,
        error: row.error,
    }
}

pub(crate) fn rule(row: RuleRow) -> rule::Rule {
    rule::Rule {
        id: row.rule.id.to_string(),
        team: row.team.to_string(),
        scope: row.rule.scope.to_string(),
        about: exact(&row.about).into_owned(),
        risk: row.rule.risk.map(|risk| risk.to_string()),
        answer: given_to_any(&row.rule.answer),
        made_by: row.made_by.to_string(),
        made_at: row.made_at,
        expires_at: row.until_at,
        uses: row.uses,
    }
}

/// What may be wrong with questions.
pub(crate) const ALERTS: [&str; 2] = [HIGH_RATE, LONG_WAIT];
const HIGH_RATE: &str = "high_timeout_rate";
const LONG_WAIT: &str = "long_wait";
/// More than so many without an answer is worth a word.
const HIGH_TIMEOUT_RATE: f64 = 0.2;
/// From so many on: one of one says nothing.
const ENOUGH: i64 = 5;

pub(crate) fn figures(within_ms: i64, figures: &Figures) -> QuestionFigures {
    let sum = |part: fn(&iris_engine::question::figures::OfKind) -> i64| figures.kinds.iter().map(part).sum::<i64>();
    let (answered, timed_out) = (sum(|kind| kind.answered), sum(|kind| kind.expired + kind.defaulted));
    let settled = answered + timed_out;
    let mut alerts = Vec::new();
    let timeout_rate = rate(timed_out, settled);
    if settled >= ENOUGH && timeout_rate.is_some_and(|rate| rate > HIGH_TIMEOUT_RATE) {
        let what = format!("{timed_out} of {settled} questions were not answered in time");
        alerts.push(QuestionAlert { kind: HIGH_RATE.to_owned(), what });
    }
    if figures.waiting_long > 0 {
        let what = format!("{} agents have waited for an answer for more than an hour", figures.waiting_long);
        alerts.push(QuestionAlert { kind: LONG_WAIT.to_owned(), what });
    }
    let kinds = figures.kinds.iter().map(|kind| KindFigures {
        kind: kind.kind.clone(),
        asked: kind.asked,
        open: kind.open,
        answered: kind.answered,
        by_rule: kind.by_rule,
        by_others: kind.by_others,
        defaulted: kind.defaulted,
        expired: kind.expired,
        cancelled: kind.cancelled,
        answer_ms: (kind.answered > 0).then(|| kind.answer_ms / kind.answered.max(1)),
        timeout_rate: rate(kind.expired + kind.defaulted, kind.answered + kind.expired + kind.defaulted),
    });
    QuestionFigures {
        within_ms,
        closed: figures.closed,
        kinds: kinds.collect(),
        answer_ms: (answered > 0).then(|| sum(|kind| kind.answer_ms) / answered.max(1)),
        response_rate: rate(answered, settled),
        timeout_rate,
        questions_per_job: rate(figures.job_questions, figures.jobs),
        alerts,
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of questions are small")]
fn rate(part: i64, whole: i64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
