//! A question on its way into the record, made from any of the ways in which agents ask.

mod context;
mod error;
mod found;
mod options;

use serde::Deserialize;
use serde_json::Value;

use super::answer::{fit, takes};
use super::digest;
use super::input::Input;
use super::risk::{self, Place, Real, Risk, Tool};
use super::{Answer, AnswerError, Detail, OnDeadline, QuestionKind, ResponseType, Way};
use crate::agent::{AskedOption, AskedQuestion, FormRequest, PermissionRequest, Wanted};
use crate::call::ToolNature;
use crate::duration::Millis;
use crate::turn::Ask;

pub use error::AskError;
pub use found::{Found, Written};

#[derive(Clone, Debug)]
pub struct Draft {
    pub kind: QuestionKind,
    pub way: Way,
    /// In one sentence.
    pub text: String,
    pub context: Option<String>,
    pub detail: Detail,
    pub default: Option<Answer>,
    pub on_deadline: OnDeadline,
    /// How long somebody has to answer.
    pub deadline: Option<Millis>,
    pub risk: Option<Risk>,
    pub risk_why: Option<String>,
    /// Of the exact action, if it is one.
    pub digest: Option<String>,
    /// What it comes to, however it is worded.
    pub deed: String,
}

/// How long people have, and what happens then, where the question does not say; and how what is asked is judged.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    pub blocking: Millis,
    pub approval: Millis,
    pub error_recovery: Millis,
    /// What an agent may ask for lies between these.
    pub shortest: Millis,
    pub longest: Millis,
    /// For questions that agents wait for and that have no default.
    pub on_deadline: OnDeadline,
    /// Where a path leads that an agent wants to use.
    pub real: Real,
}

/// A question as it is asked by a tool or over the API.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskRequest {
    pub question: String,
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub response_type: Option<String>,
    #[serde(default)]
    pub options: Vec<AskOption>,
    #[serde(default)]
    pub context: Option<Value>,
    #[serde(default)]
    pub timeout_minutes: Option<f64>,
    /// A value, or `{"value": …}`.
    #[serde(default)]
    pub default_response: Option<Value>,
    #[serde(default)]
    pub on_deadline: Option<String>,
    #[serde(default)]
    pub allow_free_text: Option<bool>,
    /// A repeated key finds the question that was asked first.
    #[serde(default)]
    pub key: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(
    untagged,
    expecting = "an option is a text, or an object with a `label`, which may have an `id`, a `description` and `implications` (texts), a `value` and `recommended` (true or false)"
)]
pub enum AskOption {
    Label(String),
    Full {
        #[serde(default)]
        id: Option<String>,
        label: String,
        #[serde(default)]
        value: Option<Value>,
        #[serde(default)]
        description: Option<String>,
        /// Told with the description.
        #[serde(default)]
        implications: Option<String>,
        #[serde(default)]
        recommended: bool,
    },
}

const LONGEST_TEXT: usize = 8 * 1024;
const LONGEST_CONTEXT: usize = 64 * 1024;

impl Draft {
    /// What an agent asks on its pipe. `folder`: where it works.
    pub fn of(ask: &Ask, folder: &str, policy: &Policy) -> Result<Self, AskError> {
        match ask {
            Ask::Permission(asked) => {
                let input = Input::read(&asked.input);
                let nature = asked.meaning.nature;
                let is_plan = nature == ToolNature::Plans;
                let plan = if is_plan { plan(asked) } else { None };
                let tool = Tool { name: &asked.tool, nature };
                let judged = risk::of(tool, &input, plan.as_deref(), Place { folder, real: policy.real });
                let detail = Detail::Approval {
                    tool: asked.tool.clone(),
                    nature,
                    input: asked.input.clone(),
                    folder: folder.to_owned(),
                    plan,
                    reason: asked.reason.clone(),
                };
                let way = if is_plan { Way::Plan } else { Way::Permission };
                let deed = digest::deed(&detail, asked.meaning.asides);
                let draft = Self::new(QuestionKind::Approval, way, detail, policy);
                Ok(Self { deed, ..draft.judged(judged) })
            }
            Ask::Questions(asked) => {
                check_questions(&asked.questions)?;
                let detail = Detail::Choice { questions: asked.questions.clone() };
                Ok(Self::new(QuestionKind::Choice, Way::AskUser, detail, policy))
            }
            Ask::Form(asked) => Ok(Self::of_form(asked, policy)),
            Ask::Tool(asked) => Self::asked(&asked.question, Way::Tool, policy),
        }
    }

    fn of_form(asked: &FormRequest, policy: &Policy) -> Self {
        let (server, message) = (asked.server.clone(), asked.message.clone());
        let by = format!("asked by the tool server '{server}'");
        let (kind, detail, judged) = match &asked.wanted {
            Wanted::Fields(schema) => {
                (QuestionKind::Blocking, Detail::Form { server, message, schema: schema.clone() }, None)
            }
            Wanted::Visit { url } => {
                let judged = risk::of_address(url, &message);
                (QuestionKind::Approval, Detail::Visit { server, message, url: clean(url) }, Some(judged))
            }
        };
        let mut draft = Self::new(kind, Way::Elicitation, detail, policy);
        draft.context = Some(by);
        draft.digest = draft.detail.digest(draft.context.as_deref());
        match judged {
            Some(judged) => draft.judged(judged),
            None => draft,
        }
    }

    /// Whether the agent does nothing more until somebody answers. One that asked at the end of its turn does not, whatever
    /// it calls its question.
    pub fn blocks(&self) -> bool {
        self.kind.blocks() || (self.way == Way::Detected && self.kind.is_told_late())
    }

    fn new(kind: QuestionKind, way: Way, detail: Detail, policy: &Policy) -> Self {
        let deadline = policy.deadline(kind);
        Self {
            kind,
            way,
            text: clean(&detail.text()),
            context: None,
            deed: digest::deed(&detail, &[]),
            digest: detail.digest(None),
            detail,
            default: None,
            on_deadline: if deadline.is_some() { policy.on_deadline } else { OnDeadline::Wait },
            deadline: deadline.filter(|_| policy.on_deadline != OnDeadline::Wait),
            risk: None,
            risk_why: None,
        }
    }

    /// Checks what was asked by a tool or over the API.
    pub fn asked(request: &AskRequest, way: Way, policy: &Policy) -> Result<Self, AskError> {
        let text = clean(request.question.trim());
        check_length("question", &text, LONGEST_TEXT)?;
        if text.is_empty() {
            return Err(AskError::Empty);
        }
        let kind = kind(&request.kind)?;
        let options = options::read(&request.options)?;
        let response = response(request.response_type.as_deref(), kind, &options)?;
        let approves = kind == QuestionKind::Approval && response == ResponseType::Choice;
        // Words that are none of the options would be neither leave nor a refusal.
        let free_text = !approves && request.allow_free_text.unwrap_or(response == ResponseType::Text);
        let asked = AskedQuestion { question: text, options, several: false };
        let detail = Detail::Asked { response, asked, free_text, approves };
        let mut draft = Self::new(kind, way, detail, policy);
        draft.context = context(request.context.as_ref())?;
        draft.digest = draft.detail.digest(draft.context.as_deref());
        draft.take_deadline(request, policy)?;
        let options = draft.detail.questions().iter().flat_map(|asked| &asked.options);
        let options = options.flat_map(|option| [option.label.as_str(), option.value(), &option.description]);
        let shown = [Some(draft.text.as_str()), draft.context.as_deref()].into_iter().flatten().chain(options);
        let judged = draft.digest.is_some().then(|| risk::of_words(shown));
        Ok(match judged {
            Some(judged) => draft.judged(judged),
            None => draft,
        })
    }

    fn judged(self, judged: risk::Judged) -> Self {
        Self { risk: Some(judged.risk), risk_why: Some(judged.why), ..self }
    }

    fn take_deadline(&mut self, request: &AskRequest, policy: &Policy) -> Result<(), AskError> {
        let is_approval = self.kind == QuestionKind::Approval || self.digest.is_some();
        self.default = default(request.default_response.as_ref(), &self.detail, is_approval)?;
        // Silence is no yes: an agent that could name its own default would approve itself.
        if is_approval && !matches!(self.default, None | Some(Answer::Refuse { .. })) {
            return Err(AskError::DefaultApproves);
        }
        let said = request.on_deadline.as_deref().map(|word| {
            word.parse::<OnDeadline>().map_err(|word| AskError::OnDeadline(word.chars().take(40).collect()))
        });
        let on_deadline = said.transpose()?;
        if on_deadline == Some(OnDeadline::Default) && self.default.is_none() {
            return Err(AskError::NoDefault);
        }
        if on_deadline == Some(OnDeadline::Wait) && request.timeout_minutes.is_some() {
            return Err(AskError::WaitsForEver);
        }
        if let Some(minutes) = request.timeout_minutes {
            self.deadline = Some(bounded(minutes, policy)?);
        }
        self.on_deadline = match on_deadline {
            Some(said) => said,
            None if self.default.is_some() => OnDeadline::Default,
            None if request.timeout_minutes.is_some() => OnDeadline::Fail,
            None if self.kind.blocks() => policy.on_deadline,
            None => OnDeadline::Wait,
        };
        match self.on_deadline {
            OnDeadline::Wait => self.deadline = None,
            _ => self.deadline = self.deadline.or_else(|| policy.deadline(self.kind)),
        }
        Ok(())
    }
}

/// The text of a plan, where the input does not hold the same. One that is not known has the name of its call instead:
/// nobody can know that the next one is the same.
fn plan(asked: &PermissionRequest) -> Option<String> {
    let is_said = |plan: &&str| !plan.trim().is_empty();
    let in_input = asked.meaning.about.as_deref().filter(is_said);
    let written = asked.plan.as_deref().filter(is_said);
    match (in_input, written) {
        (None, None) => {
            let call = asked.call.as_deref().unwrap_or(&asked.request);
            Some(format!("{} {call})", risk::UNKNOWN_PLAN))
        }
        (in_input, written) => written.filter(|written| Some(*written) != in_input).map(clean),
    }
}

impl Policy {
    /// None for what nobody waits for.
    fn deadline(&self, kind: QuestionKind) -> Option<Millis> {
        match kind {
            QuestionKind::Blocking | QuestionKind::Choice => Some(self.blocking),
            QuestionKind::Approval => Some(self.approval),
            QuestionKind::ErrorRecovery => Some(self.error_recovery),
            _ => None,
        }
    }
}

/// An agent is told the answers by the words of its questions.
fn check_questions(questions: &[AskedQuestion]) -> Result<(), AskError> {
    if questions.is_empty() {
        return Err(AskError::NoQuestions);
    }
    let twice = questions
        .iter()
        .enumerate()
        .find(|(index, asked)| questions[..*index].iter().any(|before| before.question == asked.question));
    twice.map_or(Ok(()), |(_, asked)| Err(AskError::Twice(beginning(&asked.question, 200))))
}

fn kind(word: &str) -> Result<QuestionKind, AskError> {
    match word {
        "non_blocking" => Ok(QuestionKind::Clarifying),
        word => word.parse().map_err(|word: String| AskError::Kind(word.chars().take(40).collect())),
    }
}

fn response(word: Option<&str>, kind: QuestionKind, options: &[AskedOption]) -> Result<ResponseType, AskError> {
    let response = match word {
        Some(word) => match word.parse() {
            Ok(ResponseType::Form) | Err(_) => return Err(AskError::Response(word.chars().take(40).collect())),
            // A yes to an approval is one, whatever the agent calls it, and words in their place would be neither yes nor no.
            Ok(ResponseType::Boolean | ResponseType::Text) if kind == QuestionKind::Approval => ResponseType::Approval,
            Ok(response) => response,
        },
        None if kind == QuestionKind::Approval => ResponseType::Approval,
        None if options.is_empty() => ResponseType::Text,
        None => ResponseType::Choice,
    };
    if response == ResponseType::Choice && options.is_empty() {
        return Err(AskError::NoOptions);
    }
    Ok(response)
}

fn context(given: Option<&Value>) -> Result<Option<String>, AskError> {
    let Some(given) = given.filter(|given| !given.is_null()) else { return Ok(None) };
    let text = clean(&context::write(given));
    check_length("context", &text, LONGEST_CONTEXT)?;
    Ok(Some(text))
}

fn default(given: Option<&Value>, detail: &Detail, is_approval: bool) -> Result<Option<Answer>, AskError> {
    let Some(given) = given.filter(|given| !given.is_null()) else { return Ok(None) };
    read_default(given, detail, is_approval).map(Some).map_err(AskError::Default)
}

/// A value, or one with its type and a text.
fn read_default(given: &Value, detail: &Detail, is_approval: bool) -> Result<Answer, AnswerError> {
    let Some(value) = given.get("value") else { return fit_default(Answer::read(given, None)?, detail, is_approval) };
    let word = |name: &str| match given.get(name).unwrap_or(&Value::Null) {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(clean(text))),
        other => Err(AnswerError::Strange(format!("{name} {other}"))),
    };
    if let Some(word) = word("type")? {
        takes(detail, &word)?;
    }
    fit_default(Answer::read(value, word("text")?)?, detail, is_approval)
}

fn fit_default(answer: Answer, detail: &Detail, is_approval: bool) -> Result<Answer, AnswerError> {
    if is_approval && matches!(answer, Answer::Refuse { .. }) {
        // A no, whatever the options are called.
        return Ok(answer);
    }
    match fit(detail, answer)? {
        // A person may refuse to choose; a default that chooses nothing is none.
        Answer::Refuse { .. } if detail.response_type() == ResponseType::Choice => {
            Err(AnswerError::no_option("false", detail.questions()))
        }
        answer => Ok(answer),
    }
}

fn bounded(minutes: f64, policy: &Policy) -> Result<Millis, AskError> {
    let out = || AskError::Deadline { shortest: policy.shortest, longest: policy.longest };
    if !minutes.is_finite() || minutes <= 0.0 {
        return Err(out());
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and checked below")]
    let asked = Millis((minutes * 60_000.0).round() as u64);
    if asked < policy.shortest || asked > policy.longest { Err(out()) } else { Ok(asked) }
}

fn check_length(what: &'static str, text: &str, limit: usize) -> Result<(), AskError> {
    let bytes = text.len();
    if bytes > limit { Err(AskError::TooLong { what, bytes, limit }) } else { Ok(()) }
}

/// At most so many bytes of the beginning.
fn beginning(text: &str, limit: usize) -> String {
    let end = (0..=limit.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text[..end].to_owned()
}

/// Not every database can hold a NUL, and nobody can see one.
fn clean(text: &str) -> String {
    text.replace('\0', "")
}

#[cfg(test)]
#[path = "draft_tests.rs"]
mod tests;
