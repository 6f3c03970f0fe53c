//! A question: an agent needs a human. What it asks, and what may become of it.
//!
//! However it comes in, it becomes one draft, and from that one record.

pub mod alike;
pub mod answer;
pub mod digest;
pub mod draft;
pub mod form;
pub mod input;
pub mod leave;
pub mod risk;
pub mod shown;
pub mod tell;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::agent::AskedQuestion;
use crate::call::ToolNature;

pub use alike::{asks_alike, what_is_asked};
pub use answer::{Answer, AnswerError, fit, hear, reply, takes, tool_answer, type_of, words_to};
pub use draft::{AskError, AskRequest, Draft, Policy};
pub use risk::Risk;

/// A type whose values have names: in the database, on the wire and in the config.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $text)] $variant),*
        }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text),*
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|value| value.as_str() == text).ok_or_else(|| text.to_owned())
            }
        }
    };
}
pub(crate) use named;

named! {
    QuestionKind {
        /// It cannot go on without the answer.
        Blocking = "blocking",
        /// The answer would make the work better; there is a safe default.
        Clarifying = "clarifying",
        /// It goes on with an assumption, and says which.
        Confirming = "confirming",
        Educational = "educational",
        Celebratory = "celebratory",
        /// How the person likes things, for next time.
        Preference = "preference",
        /// May it do exactly this?
        Approval = "approval",
        /// One or more questions with options.
        Choice = "choice",
        /// Something went wrong: what now?
        ErrorRecovery = "error_recovery",
    }
}

impl QuestionKind {
    /// Whether the agent waits for the answer.
    pub fn blocks(self) -> bool {
        matches!(self, Self::Blocking | Self::Approval | Self::Choice | Self::ErrorRecovery)
    }

    /// Whether an agent has a use for an answer that comes after it went on.
    pub fn is_told_late(self) -> bool {
        !matches!(self, Self::Educational | Self::Celebratory)
    }
}

named! {
    QuestionState {
        Open = "open",
        Answered = "answered",
        /// Nobody answered in time, and what it says itself was taken.
        Defaulted = "defaulted",
        /// Nobody answered in time.
        Expired = "expired",
        /// Nobody needs the answer any more.
        Cancelled = "cancelled",
        /// Another question took its place, or an agent told the one that asked more, which is no answer.
        Superseded = "superseded",
    }
}

named! {
    /// How a question came in.
    Way {
        /// Leave to use a tool.
        Permission = "permission",
        /// Leave to carry out a plan.
        Plan = "plan",
        /// The agent's own tool for asking people.
        AskUser = "ask_user",
        /// A tool server of the agent's wants something filled in.
        Elicitation = "elicitation",
        /// Iris's tool `ask_question`, on the agent's pipe.
        Tool = "tool",
        /// From outside, over the API.
        Api = "api",
        /// Found in what an agent said at the end of its turn.
        Detected = "detected",
    }
}

named! {
    /// What happens when nobody answers in time.
    OnDeadline {
        Default = "default",
        Fail = "fail",
        Wait = "wait",
    }
}

named! {
    ResponseType {
        Text = "text",
        Choice = "choice",
        Boolean = "boolean",
        Approval = "approval",
        /// Fields by a schema.
        Form = "form",
    }
}

/// What is asked, in full.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Detail {
    Approval {
        tool: String,
        #[serde(default)]
        nature: ToolNature,
        /// The exact bytes the tool would be called with.
        input: Box<RawValue>,
        /// Where it would run.
        #[serde(default)]
        folder: String,
        /// The plan as the agent wrote it, where the input does not hold the same.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    Choice {
        questions: Vec<AskedQuestion>,
    },
    Form {
        server: String,
        message: String,
        schema: Box<RawValue>,
    },
    /// A tool server wants a person to go to an address, and to say whether they do.
    Visit {
        server: String,
        message: String,
        url: String,
    },
    Asked {
        response: ResponseType,
        asked: AskedQuestion,
        /// Words of one's own are taken beside the options.
        #[serde(rename = "freeText")]
        free_text: bool,
        /// The options are ways to give leave or to refuse it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        approves: bool,
    },
}

impl Detail {
    pub fn response_type(&self) -> ResponseType {
        match self {
            Self::Approval { .. } | Self::Visit { .. } => ResponseType::Approval,
            Self::Choice { .. } => ResponseType::Choice,
            Self::Form { .. } => ResponseType::Form,
            Self::Asked { response, .. } => *response,
        }
    }

    /// Whether words of one's own are an answer.
    pub fn takes_words(&self) -> bool {
        match self {
            Self::Approval { .. } | Self::Form { .. } | Self::Visit { .. } => false,
            Self::Choice { .. } => true,
            Self::Asked { approves: true, .. } => false,
            Self::Asked { response, asked, free_text, .. } => match response {
                ResponseType::Text | ResponseType::Choice => *free_text || asked.options.is_empty(),
                ResponseType::Boolean | ResponseType::Approval | ResponseType::Form => false,
            },
        }
    }

    /// In one sentence.
    pub fn text(&self) -> String {
        match self {
            Self::Approval { nature: ToolNature::Plans, .. } => "May it carry out its plan?".to_owned(),
            Self::Approval { tool, .. } => format!("May it use {tool}?"),
            Self::Choice { questions } => {
                questions.iter().map(|asked| asked.question.as_str()).collect::<Vec<_>>().join(" ")
            }
            Self::Form { message, .. } => message.clone(),
            Self::Visit { server, message, .. } if message.trim().is_empty() => {
                format!("Will you go to an address for the tool server '{server}'?")
            }
            Self::Visit { message, .. } => message.clone(),
            Self::Asked { asked, .. } => asked.question.clone(),
        }
    }

    /// The digest of exactly what is approved, if it asks for an approval. `context`: what is shown with the question.
    pub fn digest(&self, context: Option<&str>) -> Option<String> {
        match self {
            Self::Approval { tool, input, folder, plan, .. } => {
                Some(digest::of_action(tool, folder, input, plan.as_deref()))
            }
            Self::Visit { .. }
            | Self::Asked { response: ResponseType::Approval, .. }
            | Self::Asked { approves: true, .. } => Some(digest::of_words(self, context)),
            Self::Choice { .. } | Self::Form { .. } | Self::Asked { .. } => None,
        }
    }

    /// Whether every reader takes what is to be done for the same.
    pub fn is_readable(&self) -> bool {
        match self {
            Self::Approval { input, .. } => input::Input::read(input).is_exact,
            Self::Choice { .. } | Self::Form { .. } | Self::Visit { .. } | Self::Asked { .. } => true,
        }
    }

    /// For whoever is told of it and reads JSON as they are used to: an input that not every reader takes for the same is
    /// handed on as the text that it is.
    #[must_use]
    pub fn told(&self) -> Self {
        match self {
            Self::Approval { tool, nature, input, folder, plan, reason } => Self::Approval {
                tool: tool.clone(),
                nature: *nature,
                input: input::told(input),
                folder: folder.clone(),
                plan: plan.clone(),
                reason: reason.clone(),
            },
            other => other.clone(),
        }
    }

    /// Everything that is asked, with the options.
    pub fn questions(&self) -> &[AskedQuestion] {
        match self {
            Self::Choice { questions } => questions,
            Self::Asked { asked, .. } => std::slice::from_ref(asked),
            Self::Approval { .. } | Self::Form { .. } | Self::Visit { .. } => &[],
        }
    }
}

#[cfg(test)]
impl Detail {
    /// A shell's command that asks for leave, with this very input.
    pub(crate) fn of_command(input: &str) -> Self {
        Self::Approval {
            tool: "Bash".to_owned(),
            nature: ToolNature::Shell,
            input: RawValue::from_string(input.to_owned()).expect("JSON"),
            folder: "/p".to_owned(),
            plan: None,
            reason: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back() {
        for kind in QuestionKind::ALL {
            assert_eq!(kind.as_str().parse::<QuestionKind>().as_ref(), Ok(kind));
            assert_eq!(serde_json::to_string(kind).expect("a name"), format!("\"{kind}\""));
        }
        for state in QuestionState::ALL {
            assert_eq!(state.as_str().parse::<QuestionState>().as_ref(), Ok(state));
        }
    }

    #[test]
    fn what_is_to_be_approved_is_kept_byte_by_byte() {
        let approval = Detail::of_command(r#"{"command": "ls",  "a":1}"#);
        let json = serde_json::to_string(&approval).expect("plain data");
        let Ok(Detail::Approval { input, .. }) = serde_json::from_str(&json) else { panic!("it reads back: {json}") };
        assert_eq!(input.get(), r#"{"command": "ls",  "a":1}"#);
    }
}
