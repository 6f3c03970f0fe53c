//! A question in lines, whole.

use iris_api::question::{Given, Question};
use serde_json::Value;

use crate::moment;
use crate::printer::Tone;

pub fn lines(question: &Question) -> Vec<String> {
    let mut lines = vec![format!("{}  {}: {}", question.id, question.team, question.question)];
    lines.extend(body(question).into_iter().map(|line| format!("  {line}")));
    lines.push(format!("  {}; iris answer {} {}", since(question), question.id, how(question)));
    lines.iter().map(|line| one_line(line)).collect()
}

/// What an agent wrote cannot go on in a line that looks like one of ours.
fn one_line(text: &str) -> String {
    text.replace('\n', "\\n")
}

fn body(question: &Question) -> Vec<String> {
    let mut parts = parts(question);
    parts.extend(question.default.as_ref().map(|given| (Tone::Plain, format!("if nobody answers: {}", words(given)))));
    parts.extend(before(question));
    parts.into_iter().map(|(_, line)| line).collect()
}

/// Everything one needs to know to answer, line by line: nothing of an action is left out. Lines of others begin with
/// `| ` if they are the exact action and with `> ` if they are what is said about it.
pub fn parts(question: &Question) -> Vec<(Tone, String)> {
    let mut lines = Vec::new();
    if let Some(action) = &question.action {
        lines.push((Tone::Strong, format!("{} in {}", action.tool, action.folder)));
        lines.extend(action.shown.lines().map(|line| (Tone::Plain, format!("| {line}"))));
    }
    let digest = question.digest.as_ref().or(question.action.as_ref().map(|action| &action.digest));
    lines.extend(digest.map(|digest| {
        let risk = question.risk.as_deref().unwrap_or("unknown");
        let tone = if matches!(risk, "low" | "medium") { Tone::Plain } else { Tone::Bad };
        let why = question.risk_why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
        (tone, format!("risk {risk}{why}; digest {}", digest.get(..16).unwrap_or(digest)))
    }));
    if let Some(action) = &question.action {
        lines.extend(action.reason.as_ref().map(|reason| (Tone::Plain, format!("because: {reason}"))));
    }
    let context = question.context.iter().flat_map(|context| context.lines());
    lines.extend(context.map(|line| (Tone::Faint, format!("> {line}"))));
    for asked in &question.questions {
        if question.questions.len() > 1 {
            lines.push((Tone::Strong, asked.question.clone()));
        }
        if asked.several {
            lines.push((Tone::Plain, "any number of these:".to_owned()));
        }
        for (number, option) in asked.options.iter().enumerate() {
            let about = option.description.as_ref().map(|text| format!("  {text}")).unwrap_or_default();
            let (tone, mark) = if option.recommended { (Tone::Strong, " (recommended)") } else { (Tone::Plain, "") };
            lines.push((tone, format!("{}. {}{mark}{about}", number + 1, option.label)));
        }
    }
    lines.into_iter().map(|(tone, line)| (tone, one_line(&line))).collect()
}

/// What the same was answered before.
pub fn before(question: &Question) -> Option<(Tone, String)> {
    let suggestion = question.suggestion.as_ref()?;
    let (answer, last_by) = (words(&suggestion.answer), &suggestion.last_by);
    let line = format!("before: {answer} ({} of {} times, last by {last_by})", suggestion.times, suggestion.of);
    Some((Tone::Faint, line))
}

/// Since when, until when, for whom.
fn since(question: &Question) -> String {
    let whom = question.asked_of.as_ref().map(|party| format!(", asked of {party}")).unwrap_or_default();
    let until = question.deadline.map(|deadline| format!(" until {}", moment::zoned(deadline))).unwrap_or_default();
    format!("since {}{until}{whom}", moment::zoned(question.opened_at))
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
