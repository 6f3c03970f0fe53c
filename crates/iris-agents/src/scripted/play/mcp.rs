//! Calls of the host's own tools, over the same pipe.

use serde_json::{Value, json};

use super::tool::ToolResult;
use super::wait::Woken;
use super::{Played, Player, Scene};
use crate::scripted::input::{Response, text_of};
use crate::scripted::script::McpCall;

impl Player {
    pub fn mcp(&mut self, scene: &mut Scene, call: &McpCall) -> Played {
        let name = format!("mcp__{}__{}", call.server, call.tool);
        let arguments = scene.variables.expand_value(&call.arguments);
        let id = self.tool_use(scene, &name, &arguments);
        let known = self.servers.iter().position(|server| server.name == call.server);
        let Some(known) = known else {
            let text = format!("Error: No such tool available: {name}");
            self.tool_result(scene, &id, ToolResult::text(text, true));
            return Ok(());
        };
        self.greet(known)?;
        let params = json!({
            "name": call.tool, "arguments": arguments,
            "_meta": {"claudecode/toolUseId": id, "progressToken": self.serial + 1},
        });
        let answer = self.rpc(&call.server, "tools/call", Some(params))?;
        let result = read_result(answer);
        scene.variables.result = text_in(&result.content);
        self.tool_result(scene, &id, result);
        Ok(())
    }

    /// The handshake. The real CLI makes it right after `initialize`; here the first call of a server pays for it, so
    /// that a script without calls starts no slower.
    fn greet(&mut self, server: usize) -> Played {
        if self.servers[server].greeted {
            return Ok(());
        }
        self.servers[server].greeted = true;
        let name = self.servers[server].name.clone();
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "claude-code", "title": "Scripted agent", "version": "scripted"},
        });
        self.rpc(&name, "initialize", Some(params))?;
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.send_message(&name, initialized)?;
        self.rpc(&name, "tools/list", None)?;
        Ok(())
    }

    fn rpc(&mut self, server: &str, method: &str, params: Option<Value>) -> Played<Woken> {
        self.serial += 1;
        let mut message = json!({"jsonrpc": "2.0", "id": self.serial, "method": method});
        if let Some(params) = params {
            message["params"] = params;
        }
        self.send_message(server, message)
    }

    fn send_message(&mut self, server: &str, message: Value) -> Played<Woken> {
        self.request(json!({"subtype": "mcp_message", "server_name": server, "message": message}))
    }
}

fn read_result(answer: Woken) -> ToolResult {
    let mut response = match answer {
        Woken::Answer(Response::Success(response)) => response,
        Woken::Answer(Response::Error(error)) => return ToolResult::text(error, true),
        _ => return ToolResult::text("Connection closed".to_owned(), true),
    };
    let rpc = &mut response["mcp_response"];
    if let Some(error) = rpc.get("error") {
        let (code, message) = (&error["code"], text_of(error, "message"));
        return ToolResult::text(format!("MCP error {code}: {message}"), true);
    }
    let content = rpc["result"]["content"].take();
    ToolResult { is_error: rpc["result"]["isError"].as_bool().unwrap_or(false), detail: content.clone(), content }
}

fn text_in(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<String> = blocks.iter().map(|block| text_of(block, "text")).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}
