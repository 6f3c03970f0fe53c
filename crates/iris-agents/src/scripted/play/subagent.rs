//! Sub-agents: in the foreground inside a turn, in the background between turns, and the turn a background one starts
//! when it ends.

use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Instant;

use serde_json::{Value, json};

use super::tool::ToolResult;
use super::{Cut, Lane, Played, Player, Scene};
use crate::scripted::output::Timestamp;
use crate::scripted::script::{Step, Subagent};
use crate::scripted::text::Variables;

/// Background sub-agents. They are played one after the other while no turn is on.
#[derive(Default)]
pub struct Background {
    pub waiting: VecDeque<Task>,
    current: Option<Rc<Lane>>,
    /// Set when the current one shall end at its next wait.
    pub stop_current: bool,
    pub survives_interrupts: bool,
}

pub struct Task {
    lane: Rc<Lane>,
    run_id: String,
    subagent: &'static Subagent,
    variables: Variables,
    started: Instant,
}

impl Player {
    pub fn subagent(&mut self, scene: &mut Scene, subagent: &'static Subagent) -> Played {
        let prompt = scene.variables.expand(&subagent.prompt).into_owned();
        let description = match &subagent.description {
            Some(description) => scene.variables.expand(description).into_owned(),
            None => prompt.lines().next().unwrap_or_default().to_owned(),
        };
        let input = json!({
            "description": description, "prompt": prompt,
            "subagent_type": subagent.kind, "run_in_background": subagent.background,
        });
        let id = self.tool_use(scene, "Agent", &input);
        let task = Task {
            lane: Rc::new(Lane {
                tool_use_id: id,
                agent_id: format!("a{}", &self.ids.named("")[..16]),
                kind: subagent.kind.clone(),
                description,
            }),
            run_id: self.ids.named("0m"),
            subagent,
            variables: scene.variables.clone(),
            started: Instant::now(),
        };
        if subagent.background {
            self.launch(scene, task, &prompt);
            Ok(())
        } else {
            self.play_foreground(scene, &task, &prompt)
        }
    }

    fn play_foreground(&mut self, scene: &mut Scene, task: &Task, prompt: &str) -> Played {
        self.task_started(task, prompt);
        let (outer, said) = (scene.lane.clone(), std::mem::take(&mut scene.last_text));
        scene.lane = Some(task.lane.clone());
        self.user_line(scene, json!([{"type": "text", "text": prompt}]), json!({}));
        self.play_to_report(&task.subagent.steps, scene)?;
        self.task_progress(task);
        scene.lane = outer;
        let report = std::mem::replace(&mut scene.last_text, said);
        self.task_ended(task, "completed", &report);
        scene.variables.result.clone_from(&report);
        let handed_back = format!(
            "[Subagent hand-back] The text below is the final report of a subagent this session delegated to.\n{report}"
        );
        let result = ToolResult {
            content: json!([{"type": "text", "text": handed_back}]),
            is_error: false,
            detail: json!({
                "status": "completed", "prompt": prompt, "agentId": task.lane.agent_id,
                "agentType": task.lane.kind, "content": [{"type": "text", "text": report}],
                "resolvedModel": self.model,
                "totalDurationMs": milliseconds(task.started),
            }),
        };
        self.tool_result(scene, &task.lane.tool_use_id, result);
        Ok(())
    }

    /// What a foreground sub-agent says last is its report. It comes back in the tool result and not as a line.
    fn play_to_report(&mut self, steps: &'static [Step], scene: &mut Scene) -> Played {
        match steps.split_last() {
            Some((Step::Say(report), before)) => {
                self.play(before, scene)?;
                scene.last_text = scene.variables.expand(report).into_owned();
                Ok(())
            }
            _ => self.play(steps, scene),
        }
    }

    fn launch(&mut self, scene: &mut Scene, task: Task, prompt: &str) {
        let id = task.lane.tool_use_id.clone();
        let agent_id = task.lane.agent_id.clone();
        let detail = json!({
            "isAsync": true, "status": "async_launched", "agentId": agent_id,
            "description": task.lane.description, "resolvedModel": self.model, "prompt": prompt,
        });
        self.background.waiting.push_back(task);
        self.background_changed();
        let task = self.background.waiting.pop_back().expect("it was pushed just above");
        self.task_started(&task, prompt);
        self.background.waiting.push_back(task);
        let text = format!("Async agent launched successfully.\nagentId: {agent_id}");
        let result = ToolResult { content: json!([{"type": "text", "text": text}]), is_error: false, detail };
        self.tool_result(scene, &id, result);
    }

    /// Plays a background sub-agent between turns, then the turn that its end starts.
    pub fn play_background(&mut self, task: Task) -> Played {
        self.background.current = Some(task.lane.clone());
        let mut scene = Scene::new(task.variables.clone());
        scene.lane = Some(task.lane.clone());
        let played = self.play(&task.subagent.steps, &mut scene);
        self.background.current = None;
        self.background.stop_current = false;
        let (status, summary) = match played {
            Ok(()) => ("completed", scene.last_text),
            Err(Cut::Failed(failure)) => ("failed", failure.text),
            Err(Cut::Interrupted) => ("stopped", "Stopped by the user".to_owned()),
            Err(leave @ Cut::Leave(_)) => return Err(leave),
        };
        self.conversation.spend(scene.cost, scene.usage)?;
        self.task_ended(&task, status, &summary);
        self.background_changed();
        match self.pause(task.subagent.gap) {
            Ok(()) | Err(Cut::Interrupted | Cut::Failed(_)) => {}
            Err(leave @ Cut::Leave(_)) => return Err(leave),
        }
        let origin = json!({"kind": "task-notification", "producer": "session-task", "runId": task.run_id});
        let mut scene = Scene::new(Variables { result: summary, ..task.variables });
        self.play_turn(&task.subagent.notify, &mut scene, Some(&origin))?;
        self.output.flush();
        Ok(())
    }

    /// Ends all background work: what waits, at once; what plays, at its next wait.
    pub fn stop_background(&mut self) {
        self.background.stop_current = self.background.current.is_some();
        while let Some(task) = self.background.waiting.pop_front() {
            self.task_ended(&task, "stopped", "Stopped by the user");
            self.background_changed();
        }
    }

    pub fn stop_task(&mut self, task_id: &str) -> bool {
        let current = self.background.current.as_ref();
        if current.is_some_and(|lane| lane.agent_id == task_id) {
            self.background.stop_current = true;
            return true;
        }
        let place = self.background.waiting.iter().position(|task| task.lane.agent_id == task_id);
        let Some(task) = place.and_then(|place| self.background.waiting.remove(place)) else {
            return false;
        };
        self.task_ended(&task, "stopped", "Stopped by the user");
        self.background_changed();
        true
    }

    fn task_started(&mut self, task: &Task, prompt: &str) {
        self.emit(json!({
            "type": "system", "subtype": "task_started", "task_id": task.lane.agent_id, "run_id": task.run_id,
            "tool_use_id": task.lane.tool_use_id, "description": task.lane.description,
            "subagent_type": task.lane.kind, "is_backgrounded": task.subagent.background,
            "spawn_depth": 1, "task_type": "local_agent", "prompt": prompt,
        }));
    }

    fn task_progress(&mut self, task: &Task) {
        self.emit(json!({
            "type": "system", "subtype": "task_progress", "task_id": task.lane.agent_id, "run_id": task.run_id,
            "tool_use_id": task.lane.tool_use_id, "description": task.lane.description,
            "subagent_type": task.lane.kind, "usage": usage(task),
        }));
    }

    fn task_ended(&mut self, task: &Task, status: &str, summary: &str) {
        let end_time = Timestamp::now().milliseconds();
        self.emit(json!({
            "type": "system", "subtype": "task_updated", "task_id": task.lane.agent_id, "run_id": task.run_id,
            "patch": {"status": status, "end_time": end_time},
        }));
        self.emit(json!({
            "type": "system", "subtype": "task_notification", "task_id": task.lane.agent_id, "run_id": task.run_id,
            "tool_use_id": task.lane.tool_use_id, "status": status, "output_file": "", "summary": summary,
            "usage": usage(task),
        }));
    }

    /// Names all background work there is; the host replaces its set by this one.
    fn background_changed(&mut self) {
        let current = self.background.current.iter();
        let lanes = current.chain(self.background.waiting.iter().map(|task| &task.lane));
        let tasks: Vec<Value> = lanes
            .map(|lane| {
                json!({
                    "task_id": lane.agent_id, "task_type": "local_agent",
                    "subagent_type": lane.kind, "description": lane.description,
                })
            })
            .collect();
        self.emit(json!({"type": "system", "subtype": "background_tasks_changed", "tasks": tasks}));
    }
}

fn usage(task: &Task) -> Value {
    json!({"total_tokens": 0, "tool_uses": 0, "duration_ms": milliseconds(task.started)})
}

fn milliseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
