//! A question: an agent needs a human. What it asks, and what may become of it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::agent::{AskedQuestion, Reply};
use crate::turn::Ask;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QuestionKind {
    /// May it use a tool?
    Approval,
    /// One or more questions with options.
    Choice,
}

impl QuestionKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approval => "approval",
            Self::Choice => "choice",
        }
    }
}

impl FromStr for QuestionKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Self::Approval, Self::Choice].into_iter().find(|kind| kind.as_str() == text).ok_or_else(|| text.to_owned())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QuestionState {
    Open,
    Answered,
    /// The agent no longer waits: its turn was broken off, or it ended.
    Cancelled,
}

impl QuestionState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Answered => "answered",
            Self::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for QuestionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for QuestionState {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let all = [Self::Open, Self::Answered, Self::Cancelled];
        all.into_iter().find(|state| state.as_str() == text).ok_or_else(|| text.to_owned())
    }
}

/// What is asked, in full.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Detail {
    Approval {
        tool: String,
        /// The exact bytes the tool would be called with.
        input: Box<RawValue>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    Choice {
        questions: Vec<AskedQuestion>,
    },
}

impl Detail {
    pub fn kind(&self) -> QuestionKind {
        match self {
            Self::Approval { .. } => QuestionKind::Approval,
            Self::Choice { .. } => QuestionKind::Choice,
        }
    }

    /// In one sentence.
    pub fn text(&self) -> String {
        match self {
            Self::Approval { tool, .. } => format!("May it use {tool}?"),
            Self::Choice { questions } => {
                questions.iter().map(|asked| asked.question.as_str()).collect::<Vec<_>>().join(" ")
            }
        }
    }
}

impl From<&Ask> for Detail {
    fn from(ask: &Ask) -> Self {
        match ask {
            Ask::Permission(asked) => {
                Self::Approval { tool: asked.tool.clone(), input: asked.input.clone(), reason: asked.reason.clone() }
            }
            Ask::Questions(asked) => Self::Choice { questions: asked.questions.clone() },
        }
    }
}

/// What a person says to a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Answer {
    Approve,
    Refuse {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// One answer for each question, in their order.
    Choose {
        values: Vec<String>,
    },
}

/// Why an answer does not fit its question.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("this asks for a yes or a no")]
    NotYesOrNo,
    #[error("this asks {asked} questions, and {given} were answered")]
    Number { asked: usize, given: usize },
    #[error("an answer must not be empty")]
    Empty,
}

/// What the agent is told, given what was asked and what was answered.
pub fn reply(detail: &Detail, answer: &Answer) -> Result<Reply, AnswerError> {
    let refused = |why: &Option<String>| Reply::Deny {
        message: why.clone().unwrap_or_else(|| "the person who was asked refused".to_owned()),
    };
    match (detail, answer) {
        (_, Answer::Refuse { why }) => Ok(refused(why)),
        (Detail::Approval { .. }, Answer::Approve) => Ok(Reply::Allow),
        (Detail::Approval { .. }, Answer::Choose { .. }) => Err(AnswerError::NotYesOrNo),
        (Detail::Choice { questions }, Answer::Approve) => {
            Err(AnswerError::Number { asked: questions.len(), given: 0 })
        }
        (Detail::Choice { questions }, Answer::Choose { values }) => {
            if questions.len() != values.len() {
                return Err(AnswerError::Number { asked: questions.len(), given: values.len() });
            }
            if values.iter().any(|value| value.trim().is_empty()) {
                return Err(AnswerError::Empty);
            }
            let pairs = questions.iter().zip(values);
            Ok(Reply::Answers(pairs.map(|(asked, value)| (asked.question.clone(), value.clone())).collect()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn approval() -> Detail {
        let input = RawValue::from_string(r#"{"command": "ls",  "a":1}"#.to_owned()).expect("JSON");
        Detail::Approval { tool: "Bash".to_owned(), input, reason: None }
    }

    fn choice() -> Detail {
        let question = |text: &str| AskedQuestion { question: text.to_owned(), options: Vec::new(), several: false };
        Detail::Choice { questions: vec![question("Which?"), question("How many?")] }
    }

    #[test]
    fn what_is_to_be_approved_is_kept_byte_by_byte() {
        let json = serde_json::to_string(&approval()).expect("plain data");
        let Ok(Detail::Approval { input, .. }) = serde_json::from_str(&json) else { panic!("it reads back: {json}") };
        assert_eq!(input.get(), r#"{"command": "ls",  "a":1}"#);
    }

    #[test]
    fn an_answer_fits_its_question_or_says_why_not() {
        let choose = |values: &[&str]| Answer::Choose { values: values.iter().map(|&v| v.to_owned()).collect() };
        assert_eq!(reply(&approval(), &Answer::Approve), Ok(Reply::Allow));
        let no = Answer::Refuse { why: Some("not today".to_owned()) };
        assert_eq!(reply(&approval(), &no), Ok(Reply::Deny { message: "not today".to_owned() }));
        assert_eq!(reply(&approval(), &choose(&["x"])), Err(AnswerError::NotYesOrNo));
        assert_eq!(reply(&choice(), &choose(&["x"])), Err(AnswerError::Number { asked: 2, given: 1 }));
        assert_eq!(reply(&choice(), &choose(&["x", " "])), Err(AnswerError::Empty));
        let pairs = vec![("Which?".to_owned(), "x".to_owned()), ("How many?".to_owned(), "2".to_owned())];
        assert_eq!(reply(&choice(), &choose(&["x", "2"])), Ok(Reply::Answers(pairs)));
    }
}
