//! A question that is written as one: a block of JSON with the question, its type and its options, as agents may be told
//! to write it. Nothing has to be weighed there.

use std::ops::Range;

use memchr::memmem;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::window::Window;
use super::{DetectSettings, DetectedKind, Detection, Waiting, nothing, span};
use crate::question::draft::{AskOption, AskRequest, Written};

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow)]
    question: Fields<'a>,
}

/// What is known under other names is not lost.
#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow, alias = "question")]
    text: &'a RawValue,
    #[serde(default)]
    context: Option<Value>,
    #[serde(default)]
    options: Vec<AskOption>,
    #[serde(default, alias = "defaultOption", alias = "defaultResponse")]
    default: Option<Value>,
}

/// How sure it is that whoever writes such a block wants an answer.
const SURE: f64 = 0.97;
/// As sure as it is of an offer.
const OFFERED: f64 = 0.07;

/// None if there is no such block.
pub(super) fn find(text: &str, windows: &[Window], settings: &DetectSettings) -> Option<Detection> {
    let Found { fields, place, before } = windows.iter().rev().find_map(|window| find_in(text, &window.range))?;
    let options: Vec<String> = fields.options.iter().map(label).collect();
    let kind = kind_of(&fields.kind, &options)?;
    let reason = format!("it is written as a question of the type \"{}\"", fields.kind);
    let question = Some(span::of(text, place));
    let written = Some(Box::new(Written { request: request(fields)?, before: before.trim().to_owned() }));
    let found = Detection { waiting: Waiting::Ask, kind, confidence: SURE, question, options, reason, written };
    if kind == DetectedKind::Offer {
        return Some(Detection { waiting: Waiting::Offer, confidence: OFFERED, options: Vec::new(), ..found });
    }
    if SURE < settings.min_confidence {
        let reason = format!("{}, but it is not sure enough", found.reason);
        return Some(Detection { confidence: SURE, ..nothing(&reason) });
    }
    Some(found)
}

/// As a tool would ask it.
fn request(fields: Fields<'_>) -> Option<AskRequest> {
    Some(AskRequest {
        question: serde_json::from_str(fields.text.get()).ok()?,
        kind: fields.kind,
        response_type: None,
        options: fields.options,
        context: fields.context,
        timeout_minutes: None,
        default_response: fields.default,
        on_deadline: None,
        allow_free_text: None,
        key: None,
    })
}

fn label(option: &AskOption) -> String {
    match option {
        AskOption::Label(label) | AskOption::Full { label, .. } => label.clone(),
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

struct Found<'a> {
    fields: Fields<'a>,
    /// Where its words stand.
    place: Range<usize>,
    /// What is said before it.
    before: &'a str,
}

/// The last block in this part of the reply.
fn find_in<'a>(text: &'a str, range: &Range<usize>) -> Option<Found<'a>> {
    let part = &text[range.clone()];
    // Most replies have no such word, and nothing more is looked at.
    let word = memmem::rfind(part.as_bytes(), b"\"question\"")?;
    let (before, body) = match (part[..word].rfind(FENCE), part[word..].find(FENCE)) {
        (Some(open), Some(close)) => {
            let (info, body) = part[open + FENCE.len()..word + close].split_once('\n')?;
            matches!(info.trim(), "" | "json" | "jsonc" | "json5").then_some((&part[..open], body))?
        }
        // The whole reply may be one.
        (None, None) if range.start == 0 => ("", part),
        _ => return None,
    };
    let Block { question: fields } = serde_json::from_str::<Block<'a>>(body.trim()).ok()?;
    let said = fields.text.get().strip_prefix('"')?.strip_suffix('"').filter(|said| !said.trim().is_empty())?;
    let start = said.as_ptr() as usize - text.as_ptr() as usize;
    let place = start..start + said.len();
    Some(Found { fields, place, before })
}

const FENCE: &str = "```";
