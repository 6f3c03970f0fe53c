//! A question in lines, whole.

use iris_api::question::{Given, Question};
use serde_json::Value;

use super::how;
use crate::moment;
use crate::printer::Tone;

/// `from`: the party for which the agent works, if it is known.
pub fn lines(question: &Question, from: Option<&str>) -> Vec<String> {
    let whom = whom(question, from).map(|whom| format!(" for {whom}")).unwrap_or_default();
    let mut lines = vec![format!("{}  {}{whom}: {}", question.id, question.team, question.question)];
    lines.extend(body(question).into_iter().map(|line| format!("  {line}")));
    lines.push(format!("  {}; {}", since(question), how::command(question)));
    lines.iter().map(|line| one_line(line)).collect()
}

/// For whom the agent works: a job, or a party.
pub fn whom(question: &Question, from: Option<&str>) -> Option<String> {
    let job = question.job.as_ref().map(|job| format!("job {job}"));
    job.or_else(|| from.map(str::to_owned))
}

/// What becomes of it when nobody answers in time.
pub fn otherwise(question: &Question) -> Option<String> {
    if let Some(default) = question.default.as_ref().filter(|_| question.deadline.is_none() && !question.blocking) {
        return Some(format!("it goes on with this: {}", said(question, default)));
    }
    question.deadline?;
    let what = match &question.default {
        Some(default) if question.on_deadline == "default" => {
            return Some(format!("this holds: {}", said(question, default)));
        }
        _ if question.fails_job => "its job fails",
        _ if question.way == "detected" || !question.blocking => "it is closed, and nobody is told",
        _ if question.way == "api" => "whoever waits for it is told",
        _ => "its agent is told, if it still waits",
    };
    Some(what.to_owned())
}

/// What an agent wrote cannot go on in a line that looks like one of ours.
fn one_line(text: &str) -> String {
    text.replace('\n', "\\n")
}

fn body(question: &Question) -> Vec<String> {
    let mut parts = parts(question, Marks::Numbers);
    parts.extend(otherwise(question).map(|what| (Tone::Plain, format!("if nobody answers: {what}"))));
    parts.extend(before(question));
    parts.extend(how::same_again(question).map(|command| (Tone::Faint, format!("the same again: {command}"))));
    parts.extend(others(question).map(|line| (Tone::Faint, line)));
    parts.into_iter().map(|(_, line)| line).collect()
}

/// What options begin with: a number, where one answers.
#[derive(Clone, Copy, Debug)]
pub enum Marks {
    Numbers,
    Dashes,
}

/// Everything one needs to know to answer, line by line: nothing of an action is left out. Lines of others begin with
/// `| ` if they are the exact action and with `> ` if they are what is said about it.
pub fn parts(question: &Question, marks: Marks) -> Vec<(Tone, String)> {
    let mut lines = Vec::new();
    if let Some(action) = &question.action {
        // What is done nowhere, like going to an address, has no folder.
        let place = Some(one_line(&action.folder)).filter(|folder| !folder.is_empty());
        let place = place.map(|folder| format!(" in {folder}")).unwrap_or_default();
        lines.push((Tone::Strong, format!("{}{place}", one_line(&action.tool))));
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
        lines.extend(action.reason.as_ref().map(|reason| (Tone::Plain, format!("because: {}", one_line(reason)))));
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
            let lead = match marks {
                Marks::Numbers => format!("{}.", number + 1),
                Marks::Dashes => "-".to_owned(),
            };
            lines.push((tone, format!("{lead} {}{mark}{about}", option.label)));
        }
    }
    lines.extend(how::fields(question).iter().map(|field| (Tone::Plain, how::describe(field))));
    lines.into_iter().map(|(tone, line)| (tone, one_line(&line))).collect()
}

/// What the same was answered before.
pub fn before(question: &Question) -> Option<(Tone, String)> {
    let suggestion = question.suggestion.as_ref()?;
    let (answer, last_by) = (said(question, &suggestion.answer), &suggestion.last_by);
    let line = format!("before: {answer} ({} of {} times, last by {last_by})", suggestion.times, suggestion.of);
    Some((Tone::Faint, line))
}

/// One answer may do for all that ask the same.
fn others(question: &Question) -> Option<String> {
    match question.similar {
        0 => None,
        1 => Some("1 other asks the same: with --similar your answer is for both".to_owned()),
        count => Some(format!("{count} others ask the same: with --similar your answer is for all")),
    }
}

/// Since when, until when, for whom.
fn since(question: &Question) -> String {
    let whom = question.asked_of.as_ref().map(|party| format!(", asked of {party}")).unwrap_or_default();
    let until = question.deadline.map(|deadline| format!(" until {}", moment::zoned(deadline))).unwrap_or_default();
    format!("since {}{until}{whom}", moment::zoned(question.opened_at))
}

/// An answer by the names that the list shows, where it is one of the options.
fn said(question: &Question, given: &Given) -> String {
    let label = |index: usize, value: &Value| {
        let options = question.questions.get(index).map(|asked| asked.options.as_slice()).unwrap_or_default();
        let option = value.as_str().and_then(|value| options.iter().find(|option| option.value == value));
        option.map_or_else(|| words_of(value), |option| option.label.clone())
    };
    let said = match &given.value {
        Value::Array(values) => {
            let labels = values.iter().enumerate().map(|(index, value)| label(index, value));
            labels.collect::<Vec<_>>().join(", ")
        }
        value => label(0, value),
    };
    match &given.text {
        Some(text) => format!("{said} ({text})"),
        None => said,
    }
}

/// Who closed it, and through what they came: ` by ada (dashboard, browser-1a2b3c of ci)`.
pub fn closer(question: &Question) -> String {
    let Some(by) = &question.closed_by else { return String::new() };
    let through = question.closed_through.as_ref().filter(|through| through.name.is_some()).map(|through| {
        let name = through.name.as_deref().unwrap_or_default();
        let behind = through.signed_in_by.as_ref().map(|token| format!(" of {token}")).unwrap_or_default();
        format!(" ({}, {name}{behind})", through.surface)
    });
    format!(" by {by}{}", through.unwrap_or_default())
}

/// What became of it, by whom and when: `answered by ada at 14:02:11 UTC`.
pub fn closing(question: &Question) -> String {
    let why = question.closed_why.as_ref().filter(|_| question.state == "superseded");
    let why = why.map(|why| format!(", unanswered: {why}")).unwrap_or_default();
    let at = question.closed_at.map(|at| format!(" at {}", moment::zoned(at))).unwrap_or_default();
    format!("{}{}{at}{why}", question.state, closer(question))
}

pub fn words(given: &Given) -> String {
    words_of(&given.value)
}

fn words_of(value: &Value) -> String {
    match value {
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
