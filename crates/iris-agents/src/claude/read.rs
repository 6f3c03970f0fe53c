//! One line of the agent into typed output. Parsing only: what follows from it is decided in iris-core.

use iris_core::agent::{AgentOutput, PermissionRequest, TurnEnd, Usage};
use iris_core::message::{Heard, MessageType};

use super::wire::{Block, Content, Line, ResultLine};
use super::write;

#[derive(Debug, Default)]
pub(crate) struct Reader {
    /// The running total at the end of the last turn; the agent reports totals, Iris shows differences.
    cost_so_far: f64,
    introduced: bool,
}

/// How much of an unreadable line is kept.
const GARBAGE_KEPT: usize = 2000;

impl Reader {
    /// Reads a line. Requests that Iris cannot serve are answered at once, into `replies`: an agent must never wait for
    /// an answer that cannot come.
    pub fn read(&mut self, bytes: &[u8], outputs: &mut Vec<AgentOutput>, replies: &mut Vec<u8>) {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let parsed = std::str::from_utf8(bytes).ok().and_then(|text| Some((text, serde_json::from_str(text).ok()?)));
        match parsed {
            Some((text, line)) => self.understand(text, line, outputs, replies),
            None => outputs.push(garbage(bytes)),
        }
    }

    pub fn too_long(bytes: usize) -> AgentOutput {
        let text = format!("a line of {bytes} bytes was passed over");
        AgentOutput::Message(Heard { kind: MessageType::Garbage, text: Some(text), parent: None, line: None })
    }

    fn understand(&mut self, text: &str, line: Line<'_>, outputs: &mut Vec<AgentOutput>, replies: &mut Vec<u8>) {
        match line.kind.as_ref() {
            "assistant" | "user" => outputs.push(spoken(text, line)),
            "result" => outputs.push(self.turn_end(text)),
            "stream_event" => outputs.push(delta(&line)),
            "system" => outputs.push(self.system(text, line)),
            "control_response" => outputs.push(control_response(&line)),
            "control_request" => outputs.push(control_request(text, line, replies)),
            "control_cancel_request" => outputs
                .push(AgentOutput::PermissionWithdrawn { request: line.request_id.unwrap_or_default().into_owned() }),
            "command_lifecycle" | "keep_alive" | "tool_progress" => outputs.push(AgentOutput::Heartbeat),
            other => {
                let named = Some(other.to_owned());
                outputs.push(message(MessageType::Unknown, named, None, text));
            }
        }
    }

    fn system(&mut self, text: &str, line: Line<'_>) -> AgentOutput {
        let subtype = line.subtype.unwrap_or_default();
        // The same introduction comes at the start of every turn and is long; the first of a process is enough.
        if subtype == "init" && std::mem::replace(&mut self.introduced, true) {
            return AgentOutput::Heartbeat;
        }
        let parent = line.parent_tool_use_id.map(|parent| parent.into_owned());
        message(MessageType::System, Some(subtype.into_owned()), parent, text)
    }

    fn turn_end(&mut self, text: &str) -> AgentOutput {
        let Ok(result) = serde_json::from_str::<ResultLine<'_>>(text) else {
            return garbage(text.as_bytes());
        };
        if result.origin.is_some_and(|origin| origin.get() != "null") {
            // Nobody told it anything: this is not the answer to the tell that may be waiting for one.
            return message(
                MessageType::System,
                Some("result of a turn the agent started itself".to_owned()),
                None,
                text,
            );
        }
        let total = result.total_cost_usd.unwrap_or(self.cost_so_far);
        // The total goes on over a restart of the agent and starts anew when it clears its conversation, so what it says
        // of this turn alone is better, where it says it.
        let cost_usd = match &result.model_usage_since_last_result {
            Some(models) => models.values().filter_map(|usage| usage["costUSD"].as_f64()).sum(),
            None if total >= self.cost_so_far => total - self.cost_so_far,
            None => total,
        };
        // An empty sum is a negative zero.
        let cost_usd = cost_usd + 0.0;
        self.cost_so_far = total;
        let reason = result.terminal_reason.as_deref().unwrap_or_default();
        let said = result.result.map(|said| said.into_owned());
        let failed = result.is_error || result.subtype.as_deref().is_some_and(|subtype| subtype.starts_with("error"));
        let error = failed.then(|| match (&said, result.errors.is_empty()) {
            (Some(said), _) if !said.is_empty() => said.clone(),
            (_, false) => result.errors.join("; "),
            _ => format!("the agent ended the turn with an error ({reason})"),
        });
        AgentOutput::TurnEnded(TurnEnd {
            error,
            aborted: reason.starts_with("aborted"),
            text: said,
            usage: Usage {
                input_tokens: result.usage.input_tokens,
                output_tokens: result.usage.output_tokens,
                cache_read_tokens: result.usage.cache_read_input_tokens,
                cache_write_tokens: result.usage.cache_creation_input_tokens,
                cost_usd,
                model: result.model_usage.and_then(|models| models.keys().next().cloned()),
            },
        })
    }
}

fn spoken(text: &str, line: Line<'_>) -> AgentOutput {
    if line.is_replay {
        return AgentOutput::Heartbeat;
    }
    let parent = line.parent_tool_use_id.map(|parent| parent.into_owned());
    let (kind, said) = match line.message.map(|said| said.content) {
        Some(Content::Blocks(blocks)) => describe(&line.kind, blocks),
        Some(Content::Text(said)) => (MessageType::System, Some(said.into_owned())),
        None => (MessageType::Unknown, None),
    };
    message(kind, said, parent, text)
}

/// The CLI writes one block per line. Should several come, texts are joined and the first names the kind.
fn describe(line_kind: &str, blocks: Vec<Block<'_>>) -> (MessageType, Option<String>) {
    let kind = match (line_kind, blocks.first().map(|block| block.kind.as_ref())) {
        (_, Some("thinking")) => MessageType::Thinking,
        (_, Some("tool_use")) => MessageType::ToolUse,
        (_, Some("tool_result")) => MessageType::ToolResult,
        ("assistant", Some("text")) => MessageType::Assistant,
        ("user", Some("text")) => MessageType::System,
        _ => MessageType::Unknown,
    };
    let texts = blocks.into_iter().filter_map(|block| block.text.or(block.thinking).or(block.name));
    let text = texts.map(|text| text.into_owned()).reduce(|all, next| all + "\n" + &next);
    (kind, text)
}

fn delta(line: &Line<'_>) -> AgentOutput {
    let text = line
        .event
        .as_ref()
        .and_then(|event| event.delta.as_ref())
        .filter(|delta| delta.kind.as_deref() == Some("text_delta") && line.parent_tool_use_id.is_none());
    match text.and_then(|delta| delta.text.as_deref()) {
        Some(text) => AgentOutput::Delta(text.to_owned()),
        None => AgentOutput::Heartbeat,
    }
}

fn control_response(line: &Line<'_>) -> AgentOutput {
    let answered = line.response.as_ref().and_then(|response| response.request_id.as_deref());
    if answered == Some(write::INITIALIZE) { AgentOutput::Ready } else { AgentOutput::Heartbeat }
}

fn control_request(text: &str, line: Line<'_>, replies: &mut Vec<u8>) -> AgentOutput {
    let (Some(id), Some(request)) = (line.request_id, line.request) else {
        return message(MessageType::Unknown, Some("control_request".to_owned()), None, text);
    };
    match (request.subtype.as_ref(), request.input) {
        ("can_use_tool", Some(input)) => AgentOutput::PermissionAsked(PermissionRequest {
            request: id.into_owned(),
            tool: request.tool_name.unwrap_or_default().into_owned(),
            input: input.to_owned(),
        }),
        (subtype, _) => {
            write::refuse(replies, &id, subtype);
            message(MessageType::Unknown, Some(format!("control_request {subtype}")), None, text)
        }
    }
}

fn message(kind: MessageType, text: Option<String>, parent: Option<String>, line: &str) -> AgentOutput {
    AgentOutput::Message(Heard { kind, text, parent, line: Some(line.trim().to_owned()) })
}

fn garbage(bytes: &[u8]) -> AgentOutput {
    let kept = &bytes[..bytes.len().min(GARBAGE_KEPT)];
    let text = Some(String::from_utf8_lossy(kept).into_owned());
    AgentOutput::Message(Heard { kind: MessageType::Garbage, text, parent: None, line: None })
}
