//! Whether an agent that has finished speaking waits for a human, and for what.
//!
//! Works on the text of a reply alone, in three steps: `page` takes out what is not said to anybody (code, quotes,
//! tables, addresses) and cuts the rest into sentences, `lexicon` finds the words that ask or offer, in many languages,
//! and `judge` weighs them by where they stand. No step looks at anything twice, so the time grows with the length of
//! the text and is bounded for long ones.

mod deed;
mod failure;
mod format;
mod judge;
mod kind;
mod lexicon;
mod options;
mod page;
mod reason;
mod settings;
mod span;
mod window;

use serde::{Deserialize, Serialize};

use crate::question::draft::Written;

pub(crate) use page::own_name;
pub use settings::{DetectSettings, PatternError, STANDARD_PATTERNS};

/// What was found in a reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Detection {
    pub waiting: Waiting,
    pub kind: DetectedKind,
    /// How likely it is that the reply needs an answer, from 0 to 1.
    pub confidence: f64,
    /// The sentence that asks or offers. None if there is none.
    pub question: Option<Span>,
    /// What may be chosen, in the words of the reply.
    pub options: Vec<String>,
    /// Which words decided, in one short sentence.
    pub reason: String,
    /// If it is written as a question, all that is written there.
    pub written: Option<Box<Written>>,
}

impl Detection {
    pub fn needs_answer(&self) -> bool {
        self.waiting == Waiting::Ask
    }

    /// Whether people are to see it: also where it only wants to make somebody think, if it is written as a question.
    pub fn is_for_people(&self) -> bool {
        self.needs_answer() || self.written.is_some()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Waiting {
    /// It asks a human, and what was to be done or to be known stays open without an answer.
    Ask,
    /// It would do more if somebody wanted it. Nothing waits.
    Offer,
    None,
}

/// What kind of answer is wanted. The words are those of the questions Iris keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DetectedKind {
    /// Something the agent has to know or to be given.
    Blocking,
    /// A yes or a no to a step it has not taken.
    Approval,
    /// One of several.
    Choice,
    /// How to go on after a failure.
    ErrorRecovery,
    /// Not a question: an offer.
    Offer,
    None,
}

impl DetectedKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Blocking => "blocking",
            Self::Approval => "approval",
            Self::Choice => "choice",
            Self::ErrorRecovery => "error_recovery",
            Self::Offer => "offer",
            Self::None => "none",
        }
    }
}

/// A part of the reply, in characters (code points) from its beginning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub start: usize,
    pub end: usize,
    pub text: String,
}

/// Says whether the reply needs an answer, and which.
pub fn detect(text: &str, settings: &DetectSettings) -> Detection {
    let Some(windows) = window::choose(text, settings) else {
        return nothing("there is nothing in it to read");
    };
    if let Some(written) = format::find(text, &windows, settings) {
        return written;
    }
    let page = page::Page::read(text, &windows);
    let marked = lexicon::mark(&page, settings);
    let Some(verdict) = judge::judge(&page, &marked) else {
        return nothing("no sentence asks or offers anything");
    };
    present(text, &page, &marked, &verdict, settings)
}

fn present(
    text: &str,
    page: &page::Page,
    marked: &lexicon::Marked,
    verdict: &judge::Verdict,
    settings: &DetectSettings,
) -> Detection {
    let confidence = verdict.probability();
    let asks = verdict.asks && confidence >= settings.min_confidence;
    if !verdict.asks && !verdict.offers() {
        return Detection { confidence, ..nothing(&verdict.reason) };
    }
    let found = kind::tell(text, page, marked, verdict);
    let reason = match verdict.asks {
        true => reason::tell(page, marked, verdict, found.kind),
        false => verdict.reason.clone(),
    };
    if !asks && !verdict.offers() {
        return Detection { confidence, ..nothing(&format!("{reason}, but it is not sure enough")) };
    }
    let question = span::find(text, page, marked, verdict);
    Detection {
        waiting: if asks { Waiting::Ask } else { Waiting::Offer },
        kind: if asks { found.kind } else { DetectedKind::Offer },
        confidence,
        question: Some(question),
        options: if asks { found.options } else { Vec::new() },
        reason,
        written: None,
    }
}

fn nothing(reason: &str) -> Detection {
    Detection {
        waiting: Waiting::None,
        kind: DetectedKind::None,
        confidence: 0.0,
        question: None,
        options: Vec::new(),
        reason: reason.to_owned(),
        written: None,
    }
}

#[cfg(test)]
mod tests;
