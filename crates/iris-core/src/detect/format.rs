//! A question that is written as one: a block of JSON with the question, its type and its options, as agents may be told
//! to write it. Nothing has to be weighed there.

use std::ops::Range;

use memchr::memmem;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::window::Window;
use super::{DetectSettings, DetectedKind, Detection, Waiting, nothing, span};

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow)]
    question: Written<'a>,
}

#[derive(Deserialize)]
struct Written<'a> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow, alias = "question")]
    text: &'a RawValue,
    #[serde(default)]
    options: Vec<Choice>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Choice {
    Plain(String),
    Labelled { label: String },
}

/// How sure it is that whoever writes such a block wants an answer.
const SURE: f64 = 0.97;
/// As sure as it is of an offer.
const OFFERED: f64 = 0.07;

/// None if there is no such block.
pub(super) fn find(text: &str, windows: &[Window], settings: &DetectSettings) -> Option<Detection> {
    windows.iter().rev().find_map(|window| find_in(text, &window.range)).and_then(|(block, place)| {
        let options: Vec<String> = block.options.into_iter().map(Choice::label).collect();
        let kind = kind_of(&block.kind, &options)?;
        let reason = format!("it is written as a question of the type \"{}\"", block.kind);
        let question = Some(span::of(text, place));
        let asks = kind != DetectedKind::Offer;
        Some(match asks {
            true if SURE < settings.min_confidence => {
                Detection { confidence: SURE, ..nothing(&format!("{reason}, but it is not sure enough")) }
            }
            true => Detection { waiting: Waiting::Ask, kind, confidence: SURE, question, options, reason },
            false => {
                let options = Vec::new();
                Detection { waiting: Waiting::Offer, kind, confidence: OFFERED, question, options, reason }
            }
        })
    })
}

impl Choice {
    fn label(self) -> String {
        match self {
            Self::Plain(label) | Self::Labelled { label } => label,
        }
    }
}

/// A question for the human stays open without an answer, also where the agent goes on with its default; nothing does
/// where the agent only wants to make somebody think, or glad. None for what is no type: the format may be spoken about.
fn kind_of(kind: &str, options: &[String]) -> Option<DetectedKind> {
    Some(match kind {
        "approval" | "confirming" if options.len() < 2 => DetectedKind::Approval,
        "error_recovery" => DetectedKind::ErrorRecovery,
        "educational" | "celebratory" => DetectedKind::Offer,
        "choice" => DetectedKind::Choice,
        "blocking" | "non_blocking" | "clarifying" | "confirming" | "preference" | "approval" => {
            if options.len() >= 2 {
                DetectedKind::Choice
            } else {
                DetectedKind::Blocking
            }
        }
        _ => return None,
    })
}

/// The last block in this part of the reply, and where its words stand.
fn find_in<'a>(text: &'a str, range: &Range<usize>) -> Option<(Written<'a>, Range<usize>)> {
    let part = &text[range.clone()];
    // Most replies have no such word, and nothing more is looked at.
    let word = memmem::rfind(part.as_bytes(), b"\"question\"")?;
    let body = match (part[..word].rfind(FENCE), part[word..].find(FENCE)) {
        (Some(open), Some(close)) => {
            let (info, body) = part[open + FENCE.len()..word + close].split_once('\n')?;
            matches!(info.trim(), "" | "json" | "jsonc" | "json5").then_some(body)?
        }
        // The whole reply may be one.
        (None, None) if range.start == 0 => part,
        _ => return None,
    };
    let Block { question } = serde_json::from_str::<Block<'a>>(body.trim()).ok()?;
    let said = question.text.get().strip_prefix('"')?.strip_suffix('"').filter(|said| !said.trim().is_empty())?;
    let start = said.as_ptr() as usize - text.as_ptr() as usize;
    Some((question, start..start + said.len()))
}

const FENCE: &str = "```";
