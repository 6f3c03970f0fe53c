//! What is in such a block.

use std::ops::Range;
use std::sync::LazyLock;

use jsonc_parser::ast::{Object, Value as Node};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use regex::Regex;
use serde_json::{Map, Value};

use super::block::Block;
use super::shown::Around;
use super::tidy;
use crate::detect::DetectedKind;
use crate::question::draft::{AskOption, AskRequest};

#[derive(Clone, Debug)]
pub(super) struct Fields {
    pub kind: DetectedKind,
    pub request: AskRequest,
    /// Where its words stand.
    pub place: Range<usize>,
}

impl Fields {
    /// A question for the human stays open without an answer, also where the agent goes on with its default; nothing does
    /// where the agent only wants to make somebody think, or glad.
    pub fn waits(&self) -> bool {
        self.kind != DetectedKind::Offer
    }

    pub fn labels(&self) -> Vec<String> {
        let label = |option: &AskOption| match option {
            AskOption::Label(label) | AskOption::Full { label, .. } => label.clone(),
        };
        self.request.options.iter().map(label).collect()
    }
}

/// The questions of a block. None if it is no JSON.
pub(super) fn read(text: &str, block: &Block, around: Around) -> Option<Vec<Fields>> {
    let body = &text[block.body.clone()];
    let is_told = !super::speaks_of_questions(body) || around.is_reported || !(block.may_be_json || around.is_last);
    if is_told || (around.is_presented && !around.is_called_question) {
        return Some(Vec::new());
    }
    // Also several one after the other, and what is left open by a comment.
    let tidy = tidy::read(body);
    let list = format!("[{}\n{}]", tidy.text, tidy.missing?);
    let parsed = parse_to_ast(&list, &CollectOptions::default(), &ParseOptions::default()).ok()?;
    let mut questions = Vec::new();
    collect(parsed.value.as_ref()?, Form::Loose, &mut questions);
    let read = |(object, form): &(&Object<'_>, Form)| fields(object, *form, block, around);
    Some(questions.iter().filter_map(read).collect())
}

/// Whether it is under the name `question`. What is not may be something else, as the questions of a survey are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Named,
    Loose,
}

fn collect<'a, 'b>(node: &'b Node<'a>, form: Form, found: &mut Vec<(&'b Object<'a>, Form)>) {
    match node {
        Node::Array(list) => list.elements.iter().for_each(|element| collect(element, form, found)),
        Node::Object(object) => match inner(object, "question") {
            Some(inner) => collect(inner, Form::Named, found),
            None => match inner(object, "questions") {
                Some(inner) => collect(inner, Form::Loose, found),
                None => found.push((object, form)),
            },
        },
        _ => {}
    }
}

fn inner<'a, 'b>(object: &'b Object<'a>, name: &str) -> Option<&'b Node<'a>> {
    let properties = object.properties.iter().filter(|property| letters(property.name.as_str()) == name);
    properties.map(|property| &property.value).find(|value| matches!(value, Node::Object(_) | Node::Array(_)))
}

fn fields(object: &Object<'_>, form: Form, block: &Block, around: Around) -> Option<Fields> {
    let named = |name: &&str| {
        object.properties.iter().find_map(|property| match &property.value {
            Node::StringLit(said) if letters(property.name.as_str()) == **name => Some(said),
            _ => None,
        })
    };
    let said = ["text", "question", "prompt", "content", "message"].iter().find_map(named)?;
    if said.value.trim().is_empty() || (form == Form::Loose && around.is_presented) {
        return None;
    }
    // Without its quotes, and the bracket before it all is not in the reply.
    let place = block.body.start + said.range.start..block.body.start + said.range.end - 2;
    let question = tidy::restored(&said.value);
    let mut given = by_letters(Value::from(Node::Object(object.clone())))?;
    let options = options(given.remove("options").or_else(|| given.remove("choices")));
    let kind = match type_of(given.get("type")) {
        Type::Known(kind) if form == Form::Named || around.is_last => kind,
        // Whoever ends with it asks, whatever it is called.
        Type::Other if form == Form::Named && around.is_last => "blocking",
        _ => return None,
    };
    let mut take = |names: &[&str]| names.iter().find_map(|name| given.remove(*name).filter(|value| !value.is_null()));
    let request = AskRequest {
        question,
        kind: kind.to_owned(),
        default_response: take(&["default", "defaultoption", "defaultresponse"]),
        allow_free_text: take(&["allowfreetext"]).and_then(|value| value.as_bool()),
        context: both(take(&["context"]), take(&["implications"])),
        options,
        ..AskRequest::default()
    };
    Some(Fields { kind: kind_of(kind, request.options.len()), request, place })
}

fn both(context: Option<Value>, implications: Option<Value>) -> Option<Value> {
    let Some(implications) = implications else { return context };
    let named = [("context", context), ("implications", Some(implications))];
    let named = named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Some(Value::Object(named.collect::<Map<_, _>>()))
}

enum Type {
    Known(&'static str),
    Other,
    /// All of them: the format is spoken about.
    Any,
}

const TYPES: [&str; 10] = [
    "blocking",
    "non_blocking",
    "clarifying",
    "confirming",
    "preference",
    "approval",
    "choice",
    "error_recovery",
    "educational",
    "celebratory",
];

fn type_of(given: Option<&Value>) -> Type {
    let word = given.and_then(Value::as_str).unwrap_or_default();
    if word.contains(['|', '<', '/', '…']) || word.contains("...") {
        return Type::Any;
    }
    let word = letters(word);
    TYPES.into_iter().find(|known| letters(known) == word).map_or(Type::Other, Type::Known)
}

/// "Allow-free_text" and "allowFreeText" are the same.
fn letters(word: &str) -> String {
    word.chars().filter(|sign| sign.is_alphanumeric()).collect::<String>().to_lowercase()
}

fn by_letters(mut given: Value) -> Option<Map<String, Value>> {
    tidy::restore(&mut given);
    let Value::Object(given) = given else { return None };
    Some(given.into_iter().map(|(name, value)| (letters(&name), value)).collect())
}

fn kind_of(kind: &str, options: usize) -> DetectedKind {
    match kind {
        "approval" | "confirming" if options < 2 => DetectedKind::Approval,
        "error_recovery" => DetectedKind::ErrorRecovery,
        "educational" | "celebratory" => DetectedKind::Offer,
        "choice" => DetectedKind::Choice,
        _ if options >= 2 => DetectedKind::Choice,
        _ => DetectedKind::Blocking,
    }
}

fn options(given: Option<Value>) -> Vec<AskOption> {
    match given.unwrap_or_default() {
        Value::Array(list) => list.into_iter().filter_map(option).collect(),
        // By their names.
        Value::Object(named) => named
            .into_iter()
            .map(|(label, description)| AskOption::Full {
                id: None,
                label,
                value: None,
                description: words(&description),
                implications: None,
                recommended: false,
            })
            .collect(),
        other => option(other).into_iter().collect(),
    }
}

fn option(given: Value) -> Option<AskOption> {
    let Value::Object(_) = given else { return words(&given).map(AskOption::Label) };
    let mut given = by_letters(given)?;
    let recommended = given.get("recommended").is_some_and(|value| words(value).as_deref() == Some("true"));
    let mut take = |names: &[&str]| names.iter().find_map(|name| words(&given.remove(*name)?));
    let (id, value) = (take(&["id"]), take(&["value"]));
    let label = take(&["label", "title", "name", "text", "option"]).or_else(|| value.clone()).or_else(|| id.clone())?;
    let (description, implications) = (take(&["description"]), take(&["implications"]));
    Some(AskOption::Full { id, label, value: value.map(Value::from), description, implications, recommended })
}

/// None for what says nothing.
fn words(value: &Value) -> Option<String> {
    let said = match value {
        Value::Null => return None,
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().filter_map(words).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    };
    Some(said).filter(|said| !said.trim().is_empty())
}

/// A name and a string after it, whatever is around them.
static TYPE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i)["'“”]?\btype["'“”]?\s*:\s*["'“”]([^"'“”\n]*)["'“”]\s*(\|?)"#).expect("it is a pattern")
});

/// All that stands in a block that is no JSON. None if it does not say of a type that it is one.
pub(super) fn guess(text: &str, block: &Block) -> Option<Range<usize>> {
    let body = &text[block.body.clone()];
    let is_known = |word: &str| matches!(type_of(Some(&word.into())), Type::Known(_));
    let is_typed = TYPE.captures_iter(body).any(|pair| pair[2].is_empty() && is_known(&pair[1]));
    let start = block.body.start + body.len() - body.trim_start().len();
    // Anything else is code that makes one.
    let is_value = body.trim_start_matches(['>', ' ', '\t', '\r', '\n']).starts_with(['{', '[', '/']);
    (is_typed && is_value).then(|| start..start + body.trim().len())
}
