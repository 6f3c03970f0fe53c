//! A question on its way into the record, made from any of the ways in which agents ask.

use serde::Deserialize;
use serde_json::Value;

use super::digest;
use super::risk::{self, Place, Real, Risk};
use super::{Answer, AnswerError, Detail, OnDeadline, QuestionKind, ResponseType, Way, fit};
use crate::agent::{AskedOption, AskedQuestion, PermissionRequest};
use crate::duration::Millis;
use crate::turn::Ask;

/// The tool by which an agent asks leave to carry out a plan.
pub const EXIT_PLAN: &str = "ExitPlanMode";

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
#[derive(Clone, Debug, Deserialize)]
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

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum AskOption {
    Label(String),
    Full {
        label: String,
        #[serde(default)]
        value: Option<Value>,
        #[serde(default)]
        description: Option<String>,
        #[serde(default)]
        recommended: bool,
    },
}

/// A question that was found in what an agent said at the end of its turn.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    pub kind: QuestionKind,
    /// The sentence that asks.
    pub text: &'a str,
    pub options: &'a [String],
    /// All it said.
    pub reply: &'a str,
    /// Which words decided, and how sure that is.
    pub reason: &'a str,
    pub confidence: f64,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AskError {
    #[error("a question needs words")]
    Empty,
    #[error("the {what} is {bytes} bytes long; at most {limit} are allowed")]
    TooLong { what: &'static str, bytes: usize, limit: usize },
    #[error(
        "'{0}' is no type of question; use blocking, non_blocking, clarifying, confirming, educational, celebratory, preference, approval, choice or error_recovery"
    )]
    Kind(String),
    #[error("'{0}' is no responseType; use text, choice, boolean or approval")]
    Response(String),
    #[error("'{0}' is no onDeadline; use default, fail or wait")]
    OnDeadline(String),
    #[error("a choice needs options")]
    NoOptions,
    #[error("{0} options are too many; at most {MOST_OPTIONS} are allowed")]
    Options(usize),
    #[error("timeoutMinutes must be between {shortest} and {longest}")]
    Deadline { shortest: Millis, longest: Millis },
    #[error("defaultResponse: {0}")]
    Default(AnswerError),
    #[error("onDeadline is default, but there is no defaultResponse")]
    NoDefault,
    #[error("a default cannot approve anything: an approval is a person's")]
    DefaultApproves,
}

const LONGEST_TEXT: usize = 8 * 1024;
const LONGEST_CONTEXT: usize = 64 * 1024;
const LONGEST_OPTION: usize = 2 * 1024;
const MOST_OPTIONS: usize = 50;

impl Draft {
    /// What an agent asks on its pipe. `folder`: where it works.
    pub fn of(ask: &Ask, folder: &str, policy: &Policy) -> Result<Self, AskError> {
        match ask {
            Ask::Permission(asked) => {
                let input: Value = serde_json::from_str(asked.input.get()).unwrap_or_default();
                let is_plan = asked.tool == EXIT_PLAN;
                let plan = if is_plan { plan(asked, &input) } else { None };
                let judged = risk::of(&asked.tool, &input, plan.as_deref(), Place { folder, real: policy.real });
                let detail = Detail::Approval {
                    tool: asked.tool.clone(),
                    input: asked.input.clone(),
                    folder: folder.to_owned(),
                    plan,
                    reason: asked.reason.clone(),
                };
                let way = if is_plan { Way::Plan } else { Way::Permission };
                let draft = Self::new(QuestionKind::Approval, way, detail, policy);
                Ok(draft.judged(judged))
            }
            Ask::Questions(asked) => {
                let detail = Detail::Choice { questions: asked.questions.clone() };
                Ok(Self::new(QuestionKind::Choice, Way::AskUser, detail, policy))
            }
            Ask::Form(asked) => {
                let detail = Detail::Form {
                    server: asked.server.clone(),
                    message: asked.message.clone(),
                    schema: asked.schema.clone(),
                };
                let mut draft = Self::new(QuestionKind::Blocking, Way::Elicitation, detail, policy);
                draft.context = Some(format!("asked by the tool server '{}'", asked.server));
                Ok(draft)
            }
            Ask::Tool(asked) => Self::asked(&asked.question, Way::Tool, policy),
        }
    }

    /// Nobody asked in so many words, so words of one's own are always taken.
    pub fn found(found: &Found<'_>, policy: &Policy) -> Self {
        let yes_or_no = ["yes".to_owned(), "no".to_owned()];
        let given = match found.options {
            [] if found.kind == QuestionKind::Approval => yes_or_no.as_slice(),
            options => options,
        };
        let options: Vec<_> = given.iter().take(MOST_OPTIONS).map(|label| AskedOption::of(&clean(label))).collect();
        let response = if options.is_empty() { ResponseType::Text } else { ResponseType::Choice };
        let question = beginning(&clean(found.text), LONGEST_TEXT);
        let asked = AskedQuestion { question, options, several: false };
        let mut draft =
            Self::new(found.kind, Way::Detected, Detail::Asked { response, asked, free_text: true }, policy);
        let why = format!("(found in its reply: {}; {:.0} % sure)", found.reason, found.confidence * 100.0);
        draft.context = Some(format!("{}\n{why}", end(&clean(found.reply), LONGEST_CONTEXT - 1024)));
        draft
    }

    fn new(kind: QuestionKind, way: Way, detail: Detail, policy: &Policy) -> Self {
        let deadline = policy.deadline(kind);
        Self {
            kind,
            way,
            text: clean(&detail.text()),
            context: None,
            deed: digest::deed(&detail),
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
        let options = options(&request.options)?;
        let response = response(request.response_type.as_deref(), kind, &options)?;
        let free_text = request.allow_free_text.unwrap_or(response == ResponseType::Text);
        let asked = AskedQuestion { question: text, options, several: false };
        let detail = Detail::Asked { response, asked, free_text };
        let mut draft = Self::new(kind, way, detail, policy);
        draft.context = context(request.context.as_ref())?;
        draft.digest = draft.detail.digest(draft.context.as_deref());
        draft.take_deadline(request, policy)?;
        let shown = [Some(draft.text.as_str()), draft.context.as_deref()];
        let judged = draft.digest.is_some().then(|| risk::of_words(shown.into_iter().flatten()));
        Ok(match judged {
            Some(judged) => draft.judged(judged),
            None => draft,
        })
    }

    fn judged(self, judged: risk::Judged) -> Self {
        Self { risk: Some(judged.risk), risk_why: Some(judged.why), ..self }
    }

    fn take_deadline(&mut self, request: &AskRequest, policy: &Policy) -> Result<(), AskError> {
        self.default = default(request.default_response.as_ref(), &self.detail)?;
        // Silence is no yes: an agent that could name its own default would approve itself.
        let is_approval = self.kind == QuestionKind::Approval || self.digest.is_some();
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
fn plan(asked: &PermissionRequest, input: &Value) -> Option<String> {
    let in_input = input.get("plan").and_then(Value::as_str).filter(|plan| !plan.trim().is_empty());
    let written = asked.plan.as_deref().filter(|plan| !plan.trim().is_empty());
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
            // A yes to an approval is one, whatever the agent calls it.
            Ok(ResponseType::Boolean) if kind == QuestionKind::Approval => ResponseType::Approval,
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

fn options(given: &[AskOption]) -> Result<Vec<AskedOption>, AskError> {
    if given.len() > MOST_OPTIONS {
        return Err(AskError::Options(given.len()));
    }
    given.iter().map(option).collect()
}

fn option(given: &AskOption) -> Result<AskedOption, AskError> {
    let option = match given {
        AskOption::Label(label) => AskedOption::of(&clean(label)),
        AskOption::Full { label, value, description, recommended } => AskedOption {
            label: clean(label),
            value: value.as_ref().map(|value| value.as_str().map_or_else(|| value.to_string(), clean)),
            description: clean(description.as_deref().unwrap_or_default()),
            recommended: *recommended,
        },
    };
    check_length("label of an option", &option.label, LONGEST_OPTION)?;
    check_length("description of an option", &option.description, LONGEST_OPTION)?;
    Ok(option)
}

fn context(given: Option<&Value>) -> Result<Option<String>, AskError> {
    let Some(given) = given.filter(|given| !given.is_null()) else { return Ok(None) };
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    // For people, who are not to read JSON.
    let text = clean(&match given {
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| format!("{name}: {}", text(value))).collect::<Vec<_>>().join("\n")
        }
        given => text(given),
    });
    check_length("context", &text, LONGEST_CONTEXT)?;
    Ok(Some(text))
}

fn default(given: Option<&Value>, detail: &Detail) -> Result<Option<Answer>, AskError> {
    let Some(given) = given.filter(|given| !given.is_null()) else { return Ok(None) };
    let value = given.get("value").unwrap_or(given);
    let answer = Answer::read(value, None).and_then(|answer| fit(detail, answer));
    answer.map(Some).map_err(AskError::Default)
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

/// At most so many bytes of the end, where agents ask.
fn end(text: &str, limit: usize) -> &str {
    let start = (text.len().saturating_sub(limit)..=text.len()).find(|start| text.is_char_boundary(*start));
    &text[start.unwrap_or(text.len())..]
}

/// Not every database can hold a NUL, and nobody can see one.
fn clean(text: &str) -> String {
    text.replace('\0', "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const POLICY: Policy = Policy {
        blocking: Millis(1_800_000),
        approval: Millis(900_000),
        error_recovery: Millis(600_000),
        shortest: Millis(300_000),
        longest: Millis(86_400_000),
        on_deadline: OnDeadline::Fail,
        real: risk::as_written,
    };

    fn draft(request: Value) -> Result<Draft, String> {
        let request: AskRequest = serde_json::from_value(request).map_err(|error| error.to_string())?;
        Draft::asked(&request, Way::Tool, &POLICY).map_err(|error| error.to_string())
    }

    fn check(request: Value, expected: &str) {
        let found = match draft(request.clone()) {
            Ok(draft) => format!(
                "{} {} {} {:?} blocks {}",
                draft.kind,
                draft.detail.response_type(),
                draft.on_deadline,
                draft.deadline.map(|deadline| deadline.to_string()),
                draft.kind.blocks()
            ),
            Err(error) => error,
        };
        assert!(found.contains(expected), "{request}: {found}");
    }

    #[test]
    fn kinds_have_their_deadlines_and_what_happens_then() {
        check(json!({"question": "Which?", "type": "blocking"}), r#"blocking text fail Some("30m") blocks true"#);
        check(json!({"question": "May I?", "type": "approval"}), r#"approval approval fail Some("15m") blocks true"#);
        check(
            json!({"question": "Retry?", "type": "error_recovery", "options": ["retry", "skip"], "defaultResponse": "skip"}),
            r#"error_recovery choice default Some("10m") blocks true"#,
        );
        check(json!({"question": "TS?", "type": "non_blocking"}), "clarifying text wait None blocks false");
        check(
            json!({"question": "TS?", "type": "non_blocking", "timeoutMinutes": 5}),
            r#"clarifying text fail Some("5m") blocks false"#,
        );
        check(json!({"question": "Well done", "type": "celebratory"}), "celebratory text wait None blocks false");
        check(
            json!({"question": "TS?", "type": "preference", "defaultResponse": {"value": "yes"}, "timeoutMinutes": 5}),
            r#"preference text default Some("5m") blocks false"#,
        );
        check(json!({"question": "Which?", "type": "blocking", "onDeadline": "wait"}), "blocking text wait None");
    }

    #[test]
    fn a_question_that_was_found_takes_any_words() {
        let found = Found {
            kind: QuestionKind::Approval,
            text: "Should I fix them?",
            options: &[],
            reply: &format!("{}Should I fix them?", "ü".repeat(70_000)),
            reason: "it ends with a question",
            confidence: 0.93,
        };
        let draft = Draft::found(&found, &POLICY);
        assert_eq!((draft.way, draft.kind), (Way::Detected, QuestionKind::Approval));
        let words = Answer::read(&json!("only the first"), None).and_then(|answer| fit(&draft.detail, answer));
        assert_eq!(words.map(|answer| answer.words()), Ok("only the first".to_owned()));
        let context = draft.context.expect("what it said");
        assert!(
            context.len() <= LONGEST_CONTEXT && context.contains("Should I fix them?\n(found"),
            "{}",
            context.len()
        );
    }

    #[test]
    fn an_approval_that_is_asked_for_in_words_has_a_digest_and_a_risk() {
        let asked = draft(json!({"question": "Deploy?", "type": "approval"})).expect("it can be asked");
        assert_eq!(asked.risk, Some(Risk::Medium), "{:?}", asked.risk_why);
        let hides = draft(json!({"question": "Deploy?", "type": "approval", "context": "a\u{202e}b"}));
        assert_eq!(hides.expect("it can be asked").risk, Some(Risk::High));
        let words = draft(json!({"question": "Which?", "type": "blocking"})).expect("it can be asked");
        assert_eq!((words.digest, words.risk), (None, None));
    }

    /// Its request says nothing of the plan, so each is one of its own, and never harmless.
    #[test]
    fn a_plan_is_what_is_asked_for() {
        let draft = |input: &str, plan: Option<&str>, call: &str| {
            let asked = PermissionRequest {
                request: "r".to_owned(),
                tool: EXIT_PLAN.to_owned(),
                input: serde_json::value::RawValue::from_string(input.to_owned()).expect("JSON"),
                reason: None,
                plan: plan.map(str::to_owned),
                call: Some(call.to_owned()),
            };
            Draft::of(&Ask::Permission(asked), "/p", &POLICY).expect("it can be asked")
        };
        let known = draft("{}", Some("1. tidy up"), "a");
        assert_eq!((known.way, known.risk), (Way::Plan, Some(Risk::Medium)));
        assert_eq!(known.digest, draft("{}", Some("1. tidy up"), "b").digest);
        assert_ne!(known.deed, draft("{}", Some("1. burn it"), "a").deed);
        assert_ne!(draft(r#"{"plan":"x"}"#, None, "a").digest, draft(r#"{"plan":"y"}"#, None, "a").digest);
        let same = draft(r#"{"plan":"x"}"#, Some("x"), "a");
        assert_eq!(same.digest, draft(r#"{"plan":"x"}"#, None, "a").digest);
        assert_ne!(same.digest, draft(r#"{"plan":"x"}"#, Some("y"), "a").digest, "it wrote another than it hands in");
        let unknown = draft("{}", None, "a");
        assert_eq!(unknown.risk, Some(Risk::High), "{:?}", unknown.risk_why);
        assert_ne!(unknown.digest, draft("{}", None, "b").digest);
    }

    #[test]
    fn what_cannot_be_asked_says_why() {
        check(json!({"question": " ", "type": "blocking"}), "needs words");
        check(json!({"question": "x", "type": "rhetorical"}), "'rhetorical' is no type of question");
        check(json!({"question": "x", "type": "blocking", "responseType": "smile"}), "'smile' is no responseType");
        check(json!({"question": "x", "type": "blocking", "responseType": "choice"}), "a choice needs options");
        check(json!({"question": "x", "type": "blocking", "timeoutMinutes": 4}), "between 5m and 24h");
        check(json!({"question": "x", "type": "blocking", "timeoutMinutes": 1441}), "between 5m and 24h");
        check(json!({"question": "x", "type": "blocking", "timeoutMinutes": -1}), "between 5m and 24h");
        check(json!({"question": "x", "type": "blocking", "onDeadline": "default"}), "no defaultResponse");
        check(json!({"question": "x", "type": "approval", "defaultResponse": true}), "a default cannot approve");
        check(
            json!({"question": "x", "type": "approval", "responseType": "boolean", "defaultResponse": true}),
            "a default cannot approve",
        );
        check(
            json!({"question": "x", "type": "approval", "responseType": "choice", "options": ["yes"], "defaultResponse": "yes"}),
            "a default cannot approve",
        );
        check(
            json!({"question": "x", "type": "choice", "options": ["a"], "defaultResponse": "b"}),
            "none of the options",
        );
        check(json!({"question": "x".repeat(9000), "type": "blocking"}), "at most 8192");
        check(json!({"question": "x", "type": "blocking", "risk": "low"}), "unknown field");
    }
}
