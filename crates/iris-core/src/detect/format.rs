//! A question that is written as one: a block of JSON with the question, its type and its options, as agents may be told
//! to write it. Nothing has to be weighed there. Models write JSON as people do, so it is read as it is meant.

mod block;
mod fields;
mod shown;
mod tidy;

use memchr::memmem;

use self::block::Block;
use self::fields::Fields;
use super::window::Window;
use super::{DetectSettings, DetectedKind, Detection, Waiting, nothing, span};
use crate::question::draft::{AskRequest, Written};

/// How sure it is that whoever writes such a block wants an answer.
const SURE: f64 = 0.97;
/// The same of a block that cannot be read.
const BROKEN: f64 = 0.85;
/// As sure as it is of an offer.
const OFFERED: f64 = 0.07;

/// None if there is no such block.
pub(super) fn find(text: &str, windows: &[Window], settings: &DetectSettings) -> Option<Detection> {
    let found = windows.iter().rev().find_map(|window| find_in(text, window, settings))?;
    if found.waiting == Waiting::Ask && found.confidence < settings.min_confidence {
        let reason = format!("{}, but it is not sure enough", found.reason);
        return Some(Detection { confidence: found.confidence, ..nothing(&reason) });
    }
    Some(found)
}

fn find_in(text: &str, window: &Window, settings: &DetectSettings) -> Option<Detection> {
    // Most replies have no such word, and nothing more is looked at.
    if !speaks_of_questions(&text[window.range.clone()]) {
        return None;
    }
    let blocks = block::list(text, window);
    if !blocks.iter().any(|block| speaks_of_questions(&text[block.body.clone()])) {
        return None;
    }
    let mut read = Vec::new();
    let mut next = None;
    for block in blocks.iter().rev() {
        let around = shown::look(text, block, next, settings);
        next = Some(around);
        read.push((block, fields::read(text, block, around)));
    }
    read.reverse();
    let asked: Vec<Fields> = read.iter().flat_map(|(_, fields)| fields.iter().flatten().cloned()).collect();
    let first = read.iter().find(|(_, fields)| fields.as_ref().is_some_and(|fields| !fields.is_empty()));
    let Some((first, _)) = first else {
        let broken = read.iter().rev().filter(|(_, fields)| fields.is_none());
        return broken.into_iter().find_map(|(block, _)| unreadable(text, block));
    };
    present(text, asked, text[window.range.start..first.range.start].trim())
}

fn speaks_of_questions(text: &str) -> bool {
    ["uestion", "UESTION"].iter().any(|word| memmem::find(text.as_bytes(), word.as_bytes()).is_some())
}

/// What waits for somebody goes before what only wants to be read.
fn present(text: &str, mut asked: Vec<Fields>, before: &str) -> Option<Detection> {
    if asked.iter().any(Fields::waits) {
        asked.retain(Fields::waits);
    }
    let last = asked.pop()?;
    let (waits, question) = (last.waits(), Some(span::of(text, last.place.clone())));
    let before = before.to_owned();
    if waits && !asked.is_empty() {
        asked.push(last);
        let reason = format!("{} questions are written there", asked.len());
        let written = Some(Box::new(Written { request: together(&asked), before }));
        let (kind, options) = (DetectedKind::Blocking, Vec::new());
        return Some(Detection { waiting: Waiting::Ask, kind, confidence: SURE, question, options, reason, written });
    }
    let options = last.labels();
    let reason = format!("it is written as a question of the type \"{}\"", last.request.kind);
    let (waiting, confidence) = if waits { (Waiting::Ask, SURE) } else { (Waiting::Offer, OFFERED) };
    let kind = last.kind;
    let options = if waits { options } else { Vec::new() };
    let written = Some(Box::new(Written { request: last.request, before }));
    Some(Detection { waiting, kind, confidence, question, options, reason, written })
}

/// Several are one question, which is answered in words: the next message of the agent's user.
fn together(asked: &[Fields]) -> AskRequest {
    let line = |(index, fields): (usize, &Fields)| {
        let options = fields.labels().join(" / ");
        let options = if options.is_empty() { options } else { format!(" ({options})") };
        format!("{}. {}{options}", index + 1, fields.request.question.trim())
    };
    let contexts: Vec<_> = asked.iter().filter_map(|fields| fields.request.context.clone()).collect();
    AskRequest {
        question: asked.iter().enumerate().map(line).collect::<Vec<_>>().join("\n"),
        kind: "blocking".to_owned(),
        context: (!contexts.is_empty()).then_some(contexts.into()),
        ..AskRequest::default()
    }
}

/// Something is asked there, and a person can read it: all of it, because nobody knows where its words end.
fn unreadable(text: &str, block: &Block) -> Option<Detection> {
    let place = fields::guess(text, block)?;
    Some(Detection {
        waiting: Waiting::Ask,
        kind: DetectedKind::Blocking,
        confidence: BROKEN,
        question: Some(span::of(text, place)),
        options: Vec::new(),
        reason: "a question is written there as JSON that cannot be read".to_owned(),
        written: None,
    })
}
