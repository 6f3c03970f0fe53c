//! Why a question cannot be asked, and what whoever asks can do about it.

use super::options;
use crate::duration::Millis;
use crate::question::AnswerError;

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
    #[error("{0} options are too many; at most {most} are allowed", most = options::MOST)]
    Options(usize),
    #[error("two options are called '{0}', so a choice would not say which is meant")]
    Alike(String),
    #[error("an option is called '{0}', which is the number of another")]
    Misnumbered(String),
    #[error("no question is asked")]
    NoQuestions,
    #[error("two questions are worded the same, so their answers could not be told apart: {0}")]
    Twice(String),
    #[error("timeoutMinutes is given and onDeadline is wait, which knows no deadline")]
    WaitsForEver,
    #[error("timeoutMinutes must be between {shortest} and {longest}")]
    Deadline { shortest: Millis, longest: Millis },
    #[error("defaultResponse: {0}")]
    Default(AnswerError),
    #[error("onDeadline is default, but there is no defaultResponse")]
    NoDefault,
    #[error("a default cannot approve anything: an approval is a person's")]
    DefaultApproves,
}

impl AskError {
    /// What whoever asks can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Empty => "say in `question` what you want to know",
            Self::TooLong { .. } => "shorten it; what is long belongs into a file that a person can open",
            Self::Kind(_) => "use blocking if your work cannot go on without the answer",
            Self::Response(_) => "leave `responseType` out: it follows from the type and the options",
            Self::OnDeadline(_) | Self::NoDefault => "give a `defaultResponse`, or leave `onDeadline` out",
            Self::NoOptions => "give `options`, or ask for a text",
            Self::Options(_) => "offer the likely ones; the answer may also be in words",
            Self::Alike(_) => "give every option a label and a value that no other has as its label, value or id",
            Self::Misnumbered(_) => "call it by what it is, as in '2 replicas', or put it in the place of its number",
            Self::NoQuestions => "ask at least one question, or go on",
            Self::Twice(_) => "word each question so that it says what is asked",
            Self::WaitsForEver => "leave one of them out",
            Self::Deadline { .. } => "leave `timeoutMinutes` out for the usual deadline",
            Self::Default(_) => "give one of the options, or what the responseType takes",
            Self::DefaultApproves => "leave `defaultResponse` out, or let it refuse",
        }
    }
}
