//! Iris's own tools, as an MCP server that lives on the agent's pipe. No port and no secret: whoever is at the other end of
//! the pipe is the caller.

use std::collections::HashMap;
use std::sync::Arc;

use iris_core::agent::{ToolAnswer, ToolCall, ToolSpec};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::wire::{CallParams, CancelledParams, InitializeParams, Request, Rpc};
use super::write;

/// The name under which an agent sees the server: its tools are `mcp__iris__…`.
pub(crate) const SERVER: &str = "iris";

/// Taken if the agent does not say which it wants.
const PROTOCOL: &str = "2025-11-25";

#[derive(Clone, Debug)]
pub(crate) struct Tools {
    specs: Arc<[ToolSpec]>,
    /// The agent's own numbers of the calls that wait for their answer.
    open: HashMap<String, Box<RawValue>>,
}

/// What an agent said to the server.
#[derive(Debug)]
pub(crate) enum Said {
    Call(ToolCall),
    /// It no longer waits for a call.
    Withdrawn {
        request: String,
    },
    /// It has been answered already.
    Answered,
}

impl Tools {
    pub fn new(specs: Arc<[ToolSpec]>) -> Self {
        Self { specs, open: HashMap::new() }
    }

    /// Whether a tool, as the agent names it, is one of ours. Another server's name may begin as this one's does.
    pub fn own(&self, tool: &str) -> bool {
        let named = tool.strip_prefix("mcp__").and_then(|rest| rest.strip_prefix(SERVER)?.strip_prefix("__"));
        named.is_some_and(|named| self.specs.iter().any(|spec| spec.name == named))
    }

    /// What can be answered at once is.
    pub fn hear(&mut self, request: &str, asked: &Request<'_>, replies: &mut Vec<u8>) -> Said {
        let message = asked.message.and_then(|message| serde_json::from_str::<Rpc<'_>>(message.get()).ok());
        let Some(message) = &message else {
            write::refuse(replies, request, "mcp_message without a message");
            return Said::Answered;
        };
        let result = match message.method.as_ref() {
            "tools/call" => match self.call(request, message) {
                Ok(call) => return Said::Call(call),
                Err(why) => Err((-32602, why)),
            },
            "initialize" => Ok(introduce(message)),
            "tools/list" => Ok(json!({ "tools": self.specs.iter().map(describe).collect::<Vec<_>>() })),
            "ping" => Ok(json!({})),
            method if method.starts_with("notifications/") => Ok(json!({})),
            method => Err((-32601, format!("Iris has no method '{method}'"))),
        };
        write::rpc(replies, request, message.id, result);
        match self.cancelled(message) {
            Some(request) => Said::Withdrawn { request },
            None => Said::Answered,
        }
    }

    /// The call that the agent says it no longer waits for.
    fn cancelled(&mut self, message: &Rpc<'_>) -> Option<String> {
        if message.method != "notifications/cancelled" {
            return None;
        }
        let params: CancelledParams<'_> = serde_json::from_str(message.params?.get()).ok()?;
        let found = self.open.iter().find(|(_, number)| number.get() == params.request_id.get());
        let request = found.map(|(request, _)| request.clone())?;
        self.open.remove(&request);
        Some(request)
    }

    fn call(&mut self, request: &str, message: &Rpc<'_>) -> Result<ToolCall, String> {
        let params = message.params.ok_or("a call without parameters")?;
        let params: CallParams<'_> = serde_json::from_str(params.get()).map_err(|error| error.to_string())?;
        if !self.specs.iter().any(|spec| spec.name == params.name) {
            return Err(format!("Iris has no tool '{}'", params.name));
        }
        let number = message.id.ok_or("a call without an id")?;
        self.open.insert(request.to_owned(), number.to_owned());
        let none = || RawValue::from_string("{}".to_owned()).expect("an empty object is JSON");
        Ok(ToolCall {
            request: request.to_owned(),
            tool: params.name.into_owned(),
            arguments: params.arguments.map_or_else(none, ToOwned::to_owned),
            call: params.meta.and_then(|meta| meta.tool_use_id),
        })
    }

    pub fn answer(&mut self, request: &str, answer: &ToolAnswer, out: &mut Vec<u8>) {
        let Some(number) = self.open.remove(request) else { return };
        let result = match answer {
            Ok(value) => {
                let text = serde_json::to_string_pretty(value).expect("JSON has a text form");
                json!({ "content": [{ "type": "text", "text": text }], "structuredContent": value, "isError": false })
            }
            Err(why) => json!({ "content": [{ "type": "text", "text": why }], "isError": true }),
        };
        write::rpc(out, request, Some(&number), Ok(result));
    }

    /// The agent no longer waits.
    pub fn forget(&mut self, request: &str) {
        self.open.remove(request);
    }
}

fn introduce(message: &Rpc<'_>) -> Value {
    let params = message.params.and_then(|params| serde_json::from_str::<InitializeParams<'_>>(params.get()).ok());
    let wanted = params.and_then(|params| params.protocol_version).map(|version| version.into_owned());
    json!({
        "protocolVersion": wanted.as_deref().unwrap_or(PROTOCOL),
        "capabilities": { "tools": {} },
        "serverInfo": { "name": SERVER, "version": env!("CARGO_PKG_VERSION") },
    })
}

/// Always loaded: a tool that the model first has to look for is not used.
fn describe(spec: &ToolSpec) -> Value {
    json!({
        "name": spec.name,
        "description": spec.description,
        "inputSchema": spec.input,
        "_meta": { "anthropic/alwaysLoad": true },
    })
}
