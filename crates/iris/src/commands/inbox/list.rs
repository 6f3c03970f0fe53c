//! A question in lines, whole.

use iris_api::question::{Given, Question};
use serde_json::Value;

use crate::moment;

pub fn lines(question: &Question) -> Vec<String> {
    let mut lines = vec![format!("{}  {}: {}", question.id, question.team, question.question)];
    lines.extend(body(question).into_iter().map(|line| format!("  {line}")));
    lines.push(format!("  {}; iris answer {} {}", since(question), question.id, how(question)));
    lines
}

/// Everything one needs to know to answer: nothing of an action is left out.
pub fn body(question: &Question) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(action) = &question.action {
        lines.push(format!("{} in {}", action.tool, action.folder));
        lines.extend(action.shown.lines().map(|line| format!("| {line}")));
    }
    lines.extend(question.digest.as_ref().map(|digest| {
        let risk = question.risk.as_deref().unwrap_or("unknown");
        let why = question.risk_why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
        format!("risk {risk}{why}; digest {}", digest.get(..16).unwrap_or(digest))
    }));
    if let Some(action) = &question.action {
        lines.extend(action.reason.as_ref().map(|reason| format!("because: {reason}")));
    }
    lines.extend(question.context.iter().flat_map(|context| context.lines().map(|line| format!("> {line}"))));
    for asked in &question.questions {
        if question.questions.len() > 1 {
            lines.push(asked.question.clone());
        }
        for (number, option) in asked.options.iter().enumerate() {
            let about = option.description.as_ref().map(|text| format!("  {text}")).unwrap_or_default();
            let recommended = if option.recommended { " (recommended)" } else { "" };
            lines.push(format!("{}. {}{recommended}{about}", number + 1, option.label));
        }
    }
    lines.extend(question.default.as_ref().map(|default| format!("if nobody answers: {}", words(default))));
    lines.extend(question.suggestion.as_ref().map(|suggestion| {
        format!(
            "before: {} ({} of {} times, last by {})",
            words(&suggestion.answer),
            suggestion.times,
            suggestion.of,
            suggestion.last_by
        )
    }));
    lines
}

/// Since when, until when, for whom.
pub fn since(question: &Question) -> String {
    let whom = question.asked_of.as_ref().map(|party| format!(", asked of {party}")).unwrap_or_default();
    let until = question.deadline.map(|deadline| format!(" until {}", moment::clock(deadline))).unwrap_or_default();
    format!("since {}{until}{whom}", moment::clock(question.opened_at))
}

fn how(question: &Question) -> &'static str {
    match question.response_type.as_str() {
        "approval" | "boolean" => "yes|no",
        "form" => "'{\"field\": …}'",
        _ => "<option or text>",
    }
}

pub fn words(given: &Given) -> String {
    match &given.value {
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
