//! Questions: what agents need a human for.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::call::Meaning;

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    pub id: String,
    /// blocking, clarifying, confirming, educational, celebratory, preference, approval, choice or error_recovery.
    pub kind: String,
    /// open, answered, defaulted, expired, cancelled or superseded.
    pub state: String,
    /// How it came in: permission, plan, ask_user, elicitation, tool, api or detected.
    pub way: String,
    /// An agent waits for the answer.
    pub blocking: bool,
    /// What is asked, in one sentence.
    pub question: String,
    /// What one needs to know to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// What an answer has to be: text, choice, boolean, approval or form.
    pub response_type: String,
    /// Words of one's own are taken, beside the options if there are some.
    #[serde(default)]
    pub allow_free_text: bool,
    /// What can be chosen, if one thing is asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Choice>,
    /// Everything that is asked; several are answered together, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<Asked>,
    /// For a form: JSON Schema of the fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// The exact action that is to be approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// Of exactly what is approved, if an approval is asked for. A question is never about anything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Computed by Iris: low, medium or high.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk_why: Option<String>,
    /// What holds if nobody answers in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Given>,
    /// When it is too late, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<i64>,
    /// default, fail or wait.
    pub on_deadline: String,
    pub team: String,
    pub session: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Its job waits for it, and fails if it runs out of time. One that is over does not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fails_job: bool,
    /// The party it is put to; anybody if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_of: Option<String>,
    pub opened_at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_by: Option<String>,
    /// What whoever closed it came through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_through: Option<Through>,
    /// Why, if it was withdrawn, or if an agent told the one that asked more: that is `superseded`, and nobody answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_why: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Given>,
    /// Whether what was decided has reached the agent. Absent while it is open, and where no agent is told. While it is
    /// false it is tried again and again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed_on: Option<bool>,
    /// The question that took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
    /// How many others that are open ask the very same: an answer with `similar` is for them, too.
    #[serde(default, skip_serializing_if = "is_none")]
    pub similar: usize,
    /// What the same was answered before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<Suggestion>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

/// How somebody came in who did something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Through {
    /// api, cli, monitor, dashboard, mcp, pipe, rule or deadline. That it is cli or monitor, a program says of itself.
    pub surface: String,
    /// The id of the credential that was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<String>,
    /// What that is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// For a browser: the token that signed it in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_in_by: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Action {
    pub tool: String,
    /// What the call comes to, as far as the tool is known.
    #[serde(default)]
    pub meaning: Meaning,
    /// The exact input, as the agent gave it. Its text, if not every reader would take it for the same: half a character,
    /// the same field twice, a number beyond all bounds.
    #[schema(value_type = Value)]
    pub input: Box<RawValue>,
    /// The same for people, whole, with everything visible that a screen would act on or hide.
    pub shown: String,
    /// Where it would run.
    pub folder: String,
    /// Of the tool, the folder, the exact bytes of the input and the plan that it is about. Send it with the answer: nothing else is approved.
    pub digest: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Asked {
    pub question: String,
    #[serde(default)]
    pub options: Vec<Choice>,
    /// Several options may be chosen, separated by commas.
    #[serde(default)]
    pub several: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Choice {
    /// By which it may be answered, too, if the agent gave it one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub value: String,
    pub label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What the agent would choose.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recommended: bool,
}

/// An answer that was given, or would be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Given {
    /// text, choice, boolean, approval or form.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    pub value: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What was answered when the same was asked before, and how often. It is not used by itself.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    pub answer: Given,
    pub times: usize,
    /// How many answers there were in all.
    pub of: usize,
    pub last_by: String,
    pub last_at: i64,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Pending {
    pub questions: Vec<Question>,
    /// How many more there are that are not listed.
    #[serde(default)]
    pub more: i64,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct AnswerRequest {
    pub response: Response,
    /// The digest of the action that you looked at. An approval of anything else is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Let the answer hold for a while for whoever asks the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<Remember>,
    /// If it is too late for the answer, run the work again with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
    /// Answer these as well, if they ask the very same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub similar: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Remember {
    /// `deed` (the same action: to the byte if it is approved; without its spaces and comments if it is refused), `tool` (any use of the tool that is not riskier) or `question`.
    pub scope: String,
    /// Milliseconds, 1 minute to 30 days.
    pub for_ms: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Response {
    /// Not needed: the question says what it wants. If it is there, it has to be what the question takes.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// true or false for an approval; an option or a text of one's own for a choice, or a list of these; fields for a form.
    pub value: Value,
    /// Why, if it is refused; else what is to be added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The one answer that counted.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerResponse {
    pub success: bool,
    /// The agent that waited goes on.
    pub job_resumed: bool,
    /// It was too late, and the work was started again with it: `job <id>` or `turn <id>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<String>,
    /// Others that asked the same and were answered with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    #[serde(flatten)]
    pub question: Question,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EditRequest {
    /// What the tool is to be called with instead.
    #[schema(value_type = Value)]
    pub input: Box<RawValue>,
}

/// A question that is asked in a job.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskRequest {
    /// In one sentence.
    pub question: String,
    /// blocking, non_blocking, clarifying, confirming, educational, celebratory, preference, approval, choice or
    /// error_recovery.
    #[serde(rename = "type")]
    pub kind: String,
    /// text, choice, boolean or approval; by the type and the options if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_type: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<AskOption>,
    /// What one needs to know to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Value>,
    /// How long somebody has to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_minutes: Option<f64>,
    /// What holds if nobody answers in time: a value, or an object with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_response: Option<Value>,
    /// default, fail or wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_deadline: Option<String>,
    /// Words of one's own are taken beside the options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_free_text: Option<bool>,
    /// The same key never asks twice in a job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(expecting = "an option: an object with a `label`")]
pub struct AskOption {
    /// By which it may be answered, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What follows from it; told with the description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub implications: Option<String>,
    #[serde(default)]
    pub recommended: bool,
}

/// What came of asking.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AskResponse {
    pub question_id: String,
    /// When it is too late, as ISO 8601; absent if it waits for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_at: Option<String>,
    /// open, or answered if a rule did.
    pub state: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Given>,
}

/// What came of the questions of a time.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionFigures {
    /// Of the questions asked in the last so many milliseconds.
    pub within_ms: i64,
    /// How many were closed in that time, whenever they were asked.
    #[serde(default)]
    pub closed: i64,
    pub kinds: Vec<KindFigures>,
    /// Average, of what people answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_ms: Option<i64>,
    /// Of those that are closed and were not cancelled: how many people answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_rate: Option<f64>,
    /// Of the same: how many nobody answered in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_rate: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions_per_job: Option<f64>,
    pub alerts: Vec<QuestionAlert>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KindFigures {
    pub kind: String,
    pub asked: i64,
    pub open: i64,
    pub answered: i64,
    pub by_rule: i64,
    /// Answered by whoever had told the agent, by telling it again, or by a team.
    pub by_others: i64,
    pub defaulted: i64,
    pub expired: i64,
    pub cancelled: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_ms: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_rate: Option<f64>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct QuestionAlert {
    /// high_timeout_rate or long_wait.
    pub kind: String,
    pub what: String,
}
