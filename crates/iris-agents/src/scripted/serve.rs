//! The life of the process after its start: messages, background work, and the host's control requests.

use serde_json::{Value, json};

use super::input::text_of;
use super::play::{Cut, Interrupt, Played, Player};
use super::wire::McpServer;

impl Player {
    /// Serves until there is a reason to leave, and gives the exit code.
    pub fn serve(&mut self) -> u8 {
        loop {
            match self.serve_one() {
                Ok(()) => {}
                Err(Cut::Leave(code)) => {
                    self.output.flush();
                    return code;
                }
                Err(Cut::Interrupted | Cut::Failed(_)) => {
                    unreachable!("a turn keeps its own interrupts and failures")
                }
            }
        }
    }

    fn serve_one(&mut self) -> Played {
        if let Some(message) = self.queue.pop_front() {
            return self.play_message(message);
        }
        if let Some(task) = self.background.waiting.pop_front() {
            return self.play_background(task);
        }
        if self.closed {
            return Err(Cut::Leave(u8::from(self.last_failed)));
        }
        self.idle()
    }

    /// Answers a control request. An interrupt is handed back, for the wait that it interrupts.
    pub fn answer_host(&mut self, id: String, request: &Value) -> Played<Option<Interrupt>> {
        match request.get("subtype").and_then(Value::as_str) {
            Some("initialize") => self.initialize(&id, request),
            Some("interrupt") => {
                let cancel_queued = request.get("cancel_queued").and_then(Value::as_bool);
                return Ok(Some(Interrupt { id, cancel_queued: cancel_queued.unwrap_or(false) }));
            }
            Some("end_session") => {
                self.succeed(&id, json!({}));
                return Err(Cut::Leave(0));
            }
            Some("set_permission_mode") => {
                self.permission_mode = text_of(request, "mode");
                self.succeed(&id, json!({"mode": self.permission_mode}));
                self.emit(json!({
                    "type": "system", "subtype": "status", "status": null,
                    "permissionMode": self.permission_mode,
                }));
            }
            Some("set_model") => {
                self.model = text_of(request, "model");
                self.succeed(&id, json!({"model": self.model}));
            }
            Some("apply_flag_settings") => self.succeed(&id, json!({})),
            Some("mcp_status") => self.succeed(&id, json!({"mcpServers": self.servers})),
            Some("get_binary_version") => self.succeed(&id, json!({"version": "scripted"})),
            Some("cancel_async_message") => self.cancel_message(&id, request),
            Some("stop_task") => {
                let stopped = self.stop_task(&text_of(request, "task_id"));
                self.succeed(&id, json!({"stopped": stopped}));
            }
            other => self.refuse(&id, other.unwrap_or("undefined")),
        }
        self.output.flush();
        Ok(None)
    }

    fn initialize(&mut self, id: &str, request: &Value) {
        let names = request.get("sdkMcpServers").and_then(Value::as_array);
        self.servers = names
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(|name| McpServer { name: name.to_owned(), status: "connected", source: "sdk", greeted: false })
            .collect();
        let survives = request.get("perTaskStopAffordance").and_then(Value::as_bool);
        self.background.survives_interrupts = survives.unwrap_or(false);
        let response = json!({
            "commands": [],
            "agents": [{"name": "general-purpose", "description": "Plays a script."}],
            "output_style": "default",
            "available_output_styles": ["default"],
            "models": [{
                "value": "default", "resolvedModel": self.model,
                "displayName": "Scripted", "description": "Plays a script",
            }],
            "account": {"tokenSource": "none", "apiKeySource": "none", "apiProvider": "scripted"},
            "pid": std::process::id(),
            "claude_code_version": "scripted",
            "current_permission_mode": self.permission_mode,
            "session_state": if self.turn_running { "running" } else { "idle" },
            "capabilities": [],
        });
        self.succeed(id, response);
    }

    fn cancel_message(&mut self, id: &str, request: &Value) {
        let wanted = text_of(request, "message_uuid");
        let before = self.queue.len();
        self.queue.retain(|message| message.uuid.as_deref() != Some(&wanted));
        let cancelled = self.queue.len() < before;
        if cancelled {
            self.lifecycle(Some(&wanted), "cancelled");
        }
        self.succeed(id, json!({"cancelled": cancelled}));
    }

    pub fn succeed(&mut self, id: &str, response: Value) {
        self.output.line(&json!({
            "type": "control_response",
            "response": {"subtype": "success", "request_id": id, "response": response},
        }));
    }

    fn refuse(&mut self, id: &str, subtype: &str) {
        self.output.line(&json!({
            "type": "control_response",
            "response": {
                "subtype": "error",
                "request_id": id,
                "error": format!("Unsupported control request subtype: {subtype}"),
                "error_code": "unsupported_request",
            },
        }));
    }
}
