//! What Iris understands of a recorded conversation, in words: for the tests that keep it.

use std::sync::Arc;

use iris_core::agent::{AgentOutput, Asking, FormRequest, ToolSpec, TurnEnd, Wanted};
use iris_core::call::Call;
use iris_core::id::TurnId;
use iris_core::message::Heard;

use super::read::Reader;
use super::tools::Tools;

/// Reads the lines an agent wrote. One line for each thing that was understood, and one, after an arrow, for each answer
/// that Iris gives by itself.
pub fn understand(transcript: &str, tools: Arc<[ToolSpec]>) -> Vec<String> {
    let mut reader = Reader::new(Tools::new(tools));
    // One thing is told, at the beginning: what is recorded is only what the agent wrote.
    reader.tell_as(first_told(transcript), &TurnId::new("turn"), "", &mut Vec::new());
    let mut understood = Vec::new();
    for line in transcript.lines() {
        let (mut outputs, mut replies) = (Vec::new(), Vec::new());
        reader.read(line.as_bytes(), &mut outputs, &mut replies);
        understood.extend(outputs.iter().map(describe));
        understood.extend(String::from_utf8_lossy(&replies).lines().map(|reply| format!("  -> {}", brief(reply))));
    }
    // How often an agent says that it lives is a matter of time.
    understood.dedup_by(|next, last| next == "heartbeat" && last == "heartbeat");
    understood
}

/// The message that the first turn was begun with, as far as it is named.
fn first_told(transcript: &str) -> String {
    let lines = transcript.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let mut named = lines.filter_map(|line| line["user_message_uuids"][0].as_str().map(str::to_owned));
    named.next().unwrap_or_default()
}

fn describe(output: &AgentOutput) -> String {
    match output {
        AgentOutput::Ready(introduction) => {
            format!("ready: version {:?}, obstacle {:?}", introduction.version, introduction.obstacle)
        }
        AgentOutput::BeganOwn(origin) => format!("began a turn of its own ({origin})"),
        AgentOutput::Message(heard) => message(heard),
        AgentOutput::Delta(text) => format!("delta: {text:?}"),
        AgentOutput::PermissionAsked(asked) => {
            let nature = asked.meaning.nature.as_str();
            format!(
                "permission asked: {} ({nature}) {} because {:?}",
                asked.tool,
                brief(asked.input.get()),
                asked.reason
            )
        }
        AgentOutput::Asked(asking) => questions(asking),
        AgentOutput::FormAsked(FormRequest { server, message, wanted: Wanted::Fields(schema), .. }) => {
            format!("form asked by {server}: {message} {schema}")
        }
        AgentOutput::FormAsked(FormRequest { server, message, wanted: Wanted::Visit { url }, .. }) => {
            format!("visit asked by {server}: {message} {url}")
        }
        AgentOutput::ToolCalled(call) => format!("tool called: {} {}", call.tool, call.arguments),
        AgentOutput::Withdrawn { request } => format!("withdrawn: {request}"),
        AgentOutput::Background(work) => format!("background: {work:?}"),
        AgentOutput::Heartbeat => "heartbeat".to_owned(),
        AgentOutput::Rests(_) => "may be silent for a while".to_owned(),
        AgentOutput::TurnEnded(end) => turn_end(end),
    }
}

fn message(heard: &Heard) -> String {
    let parent = heard.parent.as_ref().map(|parent| format!(" under {parent}")).unwrap_or_default();
    let mut words =
        vec![format!("{}{parent}: {}", heard.kind.as_str(), brief(heard.text.as_deref().unwrap_or_default()))];
    words.extend(heard.noise.then(|| "(noise)".to_owned()));
    words.extend(heard.model.as_ref().map(|model| format!("(model {model})")));
    words.extend(heard.calls.iter().map(call));
    words.extend(
        heard
            .results
            .iter()
            .map(|result| format!("(of {}{})", result.call, if result.is_error { ", an error" } else { "" })),
    );
    words.join(" ")
}

fn call(call: &Call) -> String {
    let meaning = serde_json::to_string(&call.meaning).expect("plain data always has a JSON form");
    format!("({} {})", call.id, brief(&meaning))
}

fn questions(asking: &Asking) -> String {
    let each = asking.questions.iter().map(|asked| {
        let options: Vec<_> = asked.options.iter().map(|option| option.label.as_str()).collect();
        format!("{} {options:?}", asked.question)
    });
    format!("asked: {}", each.collect::<Vec<_>>().join(", "))
}

fn turn_end(end: &TurnEnd) -> String {
    let mut words = vec![format!("turn ended: {:?}", end.text.as_deref().unwrap_or_default())];
    words.extend(end.error.as_ref().map(|error| format!("error {error:?}")));
    words.extend(end.aborted.then(|| "aborted".to_owned()));
    words.extend(end.own.as_ref().map(|why| format!("begun by itself ({why})")));
    words.extend(end.limit.as_ref().map(|limit| format!("limit {:?}", limit.what)));
    let usage = &end.usage;
    let model = usage.model.as_deref().unwrap_or("an unknown model");
    words.push(format!("{} + {} tokens of {model}", usage.input_tokens, usage.output_tokens));
    words.push(format!("{:.2} dollars", usage.cost_usd));
    words.join(", ")
}

const BRIEF: usize = 160;

fn brief(text: &str) -> String {
    let line = text.replace('\n', "⏎");
    match line.char_indices().nth(BRIEF) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
