//! A question that was found in what an agent said at the end of its turn. Nobody asked in so many words, so words of
//! one's own are always taken.

use std::collections::HashSet;

use serde_json::Value;

use super::{
    AskError, AskOption, AskRequest, Draft, LONGEST_CONTEXT, LONGEST_TEXT, Policy, beginning, clean, context, options,
};
use crate::agent::{AskedOption, AskedQuestion};
use crate::detect::own_name;
use crate::question::{Detail, OnDeadline, QuestionKind, ResponseType, Way};

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
    /// If it is written as one.
    pub written: Option<&'a Written>,
}

/// A question that is written as one in a reply: as it would be asked by a tool, and what is said before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    pub request: AskRequest,
    pub before: String,
}

impl Draft {
    pub fn found(found: &Found<'_>, policy: &Policy) -> Self {
        let written = found.written.and_then(|written| Self::written(written, found, policy).ok());
        written.unwrap_or_else(|| Self::in_its_words(found, policy))
    }

    /// With all that was written with it. A default that cannot be one is no reason to lose the rest.
    fn written(written: &Written, found: &Found<'_>, policy: &Policy) -> Result<Self, AskError> {
        let said = [
            end(&clean(&written.before), LONGEST_CONTEXT / 2).to_owned(),
            context(written.request.context.as_ref())?.unwrap_or_default(),
        ];
        let said: Vec<_> = said.into_iter().filter(|said| !said.trim().is_empty()).chain([found.why()]).collect();
        let mut request = AskRequest {
            context: Some(Value::from(said.join("\n"))),
            allow_free_text: Some(
                written.request.allow_free_text.unwrap_or(true) || written.request.options.is_empty(),
            ),
            ..written.request.clone()
        };
        if request.kind == QuestionKind::Confirming.as_str() && request.options.is_empty() {
            request.options = ["yes", "no"].map(|label| AskOption::Label(label.to_owned())).to_vec();
        }
        // Words of one's own are for people: a default is one of the options.
        let strict = AskRequest { allow_free_text: written.request.allow_free_text, ..request.clone() };
        if matches!(Self::asked(&strict, Way::Detected, policy), Err(AskError::Default(_))) {
            request.default_response = None;
        }
        let plain = AskRequest { default_response: None, ..request.clone() };
        let mut draft =
            Self::asked(&request, Way::Detected, policy).or_else(|_| Self::asked(&plain, Way::Detected, policy))?;
        if draft.blocks() && !draft.kind.blocks() && draft.deadline.is_none() {
            // Its turn is over, so nothing goes on by itself.
            draft.on_deadline = if draft.default.is_some() { OnDeadline::Default } else { policy.on_deadline };
            draft.deadline = Some(policy.blocking).filter(|_| draft.on_deadline != OnDeadline::Wait);
        }
        Ok(draft)
    }

    fn in_its_words(found: &Found<'_>, policy: &Policy) -> Self {
        let yes_or_no = ["yes".to_owned(), "no".to_owned()];
        let given = match found.options {
            [] if found.kind == QuestionKind::Approval => yes_or_no.as_slice(),
            options => options,
        };
        let options = listed(given.iter().take(options::MOST).map(|label| clean(label)).collect());
        let response = if options.is_empty() { ResponseType::Text } else { ResponseType::Choice };
        let question = beginning(&clean(found.text), LONGEST_TEXT);
        let asked = AskedQuestion { question, options, several: false };
        let mut draft = Self::new(
            found.kind,
            Way::Detected,
            Detail::Asked { response, asked, free_text: true, approves: false },
            policy,
        );
        draft.context = Some(format!("{}\n{}", end(&clean(found.reply), LONGEST_CONTEXT - 1024), found.why()));
        draft
    }
}

impl Found<'_> {
    fn why(&self) -> String {
        format!("(found in its reply: {}; {:.0} % sure)", self.reason, self.confidence * 100.0)
    }
}

/// Each can be answered by the number or letter that it has in the reply, too. People answer with the number of its place: where
/// that is another, its own is said beside it and not before it.
fn listed(items: Vec<String>) -> Vec<AskedOption> {
    let named: Option<Vec<_>> = items.iter().map(|item| own_name(item)).collect();
    let is_own =
        |names: &Vec<(&str, &str)>| names.iter().map(|(name, _)| name).collect::<HashSet<_>>().len() == names.len();
    let Some(named) = named.filter(is_own) else {
        return items.iter().map(|item| AskedOption::of(item)).collect();
    };
    let option = |(at, (&(name, rest), item)): (usize, (&(&str, &str), &String))| {
        let label = match name.parse::<usize>() {
            Ok(number) if number == at + 1 => rest.to_owned(),
            Ok(number) => format!("{rest} (number {number} of its list)"),
            Err(_) => item.clone(),
        };
        AskedOption { id: Some(name.to_owned()), value: Some(item.clone()), ..AskedOption::of(&label) }
    };
    named.iter().zip(&items).enumerate().map(option).collect()
}

/// At most so many bytes of the end, where agents ask.
fn end(text: &str, limit: usize) -> &str {
    let start = (text.len().saturating_sub(limit)..=text.len()).find(|start| text.is_char_boundary(*start));
    &text[start.unwrap_or(text.len())..]
}
