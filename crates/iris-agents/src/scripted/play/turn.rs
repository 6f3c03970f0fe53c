//! One turn from the message to the result line.

use std::rc::Rc;
use std::time::Instant;

use serde_json::{Value, json};

use super::{Cut, Failure, Played, Player, Scene};
use crate::scripted::input::UserMessage;
use crate::scripted::script::Step;
use crate::scripted::text::Variables;
use crate::scripted::wire::{CommandLifecycle, Init, ModelUsage, TOOLS, TurnResult};

const REJECTED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a \
     file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you \
     how to proceed.";

/// How a turn ended, in the words of the result line.
struct Ending {
    subtype: &'static str,
    terminal_reason: &'static str,
    stop_reason: Option<&'static str>,
    is_error: bool,
    status: Option<u16>,
    text: Option<String>,
    error: Option<&'static str>,
}

impl Player {
    pub fn play_message(&mut self, message: UserMessage) -> Played {
        let turn = self.conversation.record(&message)?;
        self.lifecycle(message.uuid.as_deref(), "started");
        let (steps, captures) = self.find_reply(&message.text);
        let mut scene = Scene::new(Variables {
            turn,
            text: message.text,
            captures,
            session: self.session.clone(),
            cwd: self.cwd.clone(),
            journal: self.conversation.journal().map(Rc::from),
            ..Variables::default()
        });
        scene.user_message_uuids.extend(message.uuid);
        self.play_turn(steps, &mut scene, None)?;
        self.lifecycle(scene.user_message_uuids.first().map(String::as_str), "completed");
        self.output.flush();
        Ok(())
    }

    /// Plays the steps between an init line and a result line. Gives back only what ends the process.
    pub fn play_turn(&mut self, steps: &'static [Step], scene: &mut Scene, origin: Option<&Value>) -> Played {
        self.turn_running = true;
        self.init(scene);
        let ending = match self.play(steps, scene) {
            Ok(()) => Ending {
                subtype: "success",
                terminal_reason: "completed",
                stop_reason: Some("end_turn"),
                is_error: false,
                status: None,
                text: Some(std::mem::take(&mut scene.last_text)),
                error: None,
            },
            Err(Cut::Failed(failure)) => failed(failure),
            Err(Cut::Interrupted) => self.abort(scene),
            Err(leave @ Cut::Leave(_)) => return Err(leave),
        };
        self.turn_running = false;
        self.conversation.spend(scene.cost, scene.usage)?;
        self.last_failed = ending.is_error;
        self.result(scene, &ending, origin);
        Ok(())
    }

    /// The first reply whose pattern matches, with what its groups caught.
    fn find_reply(&self, text: &str) -> (&'static [Step], Vec<Option<String>>) {
        for reply in &self.script.replies {
            let pattern = &reply.pattern.0;
            if pattern.captures_len() == 1 {
                if pattern.is_match(text) {
                    return (&reply.steps, Vec::new());
                }
            } else if let Some(captures) = pattern.captures(text) {
                let groups = captures.iter().map(|group| group.map(|group| group.as_str().to_owned())).collect();
                return (&reply.steps, groups);
            }
        }
        (&self.script.default, Vec::new())
    }

    pub fn lifecycle(&mut self, command_uuid: Option<&str>, state: &'static str) {
        if let Some(command_uuid) = command_uuid {
            self.output.line(&CommandLifecycle {
                command_uuid,
                state,
                uuid: self.ids.uuid(),
                session_id: &self.session,
            });
        }
    }

    fn init(&mut self, scene: &Scene) {
        self.output.line(&Init {
            subtype: "init",
            cwd: &self.cwd,
            session_id: &self.session,
            tools: TOOLS,
            mcp_servers: &self.servers,
            model: &self.model,
            permission_mode: &self.permission_mode,
            slash_commands: [],
            api_key_source: "none",
            claude_code_version: "scripted",
            output_style: "default",
            agents: ["general-purpose"],
            skills: [],
            plugins: [],
            capabilities: ["interrupt_receipt_v1", "interrupt_cancel_queued_v1"],
            uuid: self.ids.uuid(),
            user_message_uuids: &scene.user_message_uuids,
        });
    }

    /// Closes what the interrupt left open.
    fn abort(&mut self, scene: &mut Scene) -> Ending {
        let in_tool = !scene.open_tools.is_empty();
        while let Some((id, lane)) = scene.open_tools.pop() {
            scene.lane = lane;
            self.user_line(
                scene,
                json!([{"type": "tool_result", "content": REJECTED, "is_error": true, "tool_use_id": id}]),
                json!({
                    "tool_use_result": "User rejected tool use",
                    "tool_result_meta": [{"id": id, "non_execution_kind": "user-rejected"}],
                }),
            );
        }
        scene.lane = None;
        let (notice, terminal_reason, stop_reason, error) = if in_tool {
            (
                "[Request interrupted by user for tool use]",
                "aborted_tools",
                Some("tool_use"),
                "[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=tool_use",
            )
        } else {
            (
                "[Request interrupted by user]",
                "aborted_streaming",
                None,
                "[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null",
            )
        };
        self.user_line(scene, json!([{"type": "text", "text": notice}]), json!({}));
        Ending {
            subtype: "error_during_execution",
            terminal_reason,
            stop_reason,
            is_error: true,
            status: None,
            text: None,
            error: Some(error),
        }
    }

    fn result(&mut self, scene: &Scene, ending: &Ending, origin: Option<&Value>) {
        let duration_ms = u64::try_from(scene.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let spent = self.conversation.spent_since_last_result();
        self.output.line(&TurnResult {
            duration_api_ms: duration_ms,
            stop_reason: ending.stop_reason,
            session_id: &self.session,
            total_cost_usd: self.conversation.totals.cost,
            usage: scene.usage.into(),
            model_usage: ModelUsage { model: &self.model, totals: self.conversation.totals },
            model_usage_since_last_result: ModelUsage { model: &self.model, totals: spent },
            permission_denials: &scene.denials,
            terminal_reason: ending.terminal_reason,
            origin,
            is_error: ending.is_error,
            num_turns: scene.round_trips,
            subtype: ending.subtype,
            errors: ending.error.map(|error| [error]),
            api_error_status: ending.status,
            result: ending.text.as_deref(),
            kind: "result",
            duration_ms,
            uuid: self.ids.uuid(),
            user_message_uuid: scene.user_message_uuids.last().map(String::as_str),
            user_message_uuids: &scene.user_message_uuids,
            queued_turn_count: self.queue.len(),
            result_index: self.results,
        });
        self.results += 1;
    }

    /// A `user` line: tool results, notices, a sub-agent's prompt. `extra` is added at the top level.
    pub fn user_line(&mut self, scene: &Scene, content: Value, mut extra: Value) {
        extra["type"] = Value::from("user");
        extra["message"] = json!({"role": "user", "content": content});
        extra["timestamp"] = Value::from(crate::scripted::output::Timestamp::now().to_string());
        extra["parent_tool_use_id"] = Value::Null;
        if let Some(lane) = &scene.lane {
            extra["parent_tool_use_id"] = Value::from(&*lane.tool_use_id);
            extra["agent_id"] = Value::from(&*lane.agent_id);
            extra["subagent_type"] = Value::from(&*lane.kind);
            extra["task_description"] = Value::from(&*lane.description);
        }
        self.emit(extra);
    }

    pub fn deadline(delay: crate::scripted::script::Delay) -> Instant {
        Instant::now() + delay.0
    }
}

/// API failures come as `success` with `is_error`, a habit of the real CLI that hosts must know.
fn failed(failure: Failure) -> Ending {
    Ending {
        subtype: "success",
        terminal_reason: failure.terminal_reason,
        stop_reason: Some("stop_sequence"),
        is_error: true,
        status: failure.status,
        text: Some(failure.text),
        error: None,
    }
}
