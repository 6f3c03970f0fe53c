//! Playing a script: the player's state, and which step is played where. Each kind of step has a file of its own.

mod ask;
mod mcp;
mod speak;
mod subagent;
mod tool;
mod trouble;
mod turn;
mod wait;

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::time::Instant;

use serde_json::Value;

pub use subagent::Background;
pub use wait::Interrupt;

use super::conversation::{Conversation, OpenError};
use super::input::{Inbox, Response, UserMessage};
use super::output::{Ids, Output};
use super::script::{Script, Step, Times, Usage, When};
use super::text::Variables;
use super::wire::McpServer;

pub struct Player {
    /// Lives as long as the process, which spares every step a reference count.
    pub script: &'static Script,
    pub inbox: Inbox,
    pub output: Output,
    pub ids: Ids,
    pub conversation: Conversation,
    pub session: Rc<str>,
    pub cwd: Rc<str>,
    pub model: String,
    pub permission_mode: String,
    pub servers: Vec<McpServer>,
    pub queue: VecDeque<UserMessage>,
    pub background: Background,
    /// Answers that came while something nested was waiting for another one.
    pub answers: HashMap<String, Response>,
    pub turn_running: bool,
    pub closed: bool,
    pub last_failed: bool,
    pub results: u64,
    pub serial: u64,
}

/// What one turn, or one background sub-agent, gathers while it plays.
pub struct Scene {
    pub variables: Variables,
    pub lane: Option<Rc<Lane>>,
    /// Tool calls without a result yet, innermost last. An interrupt must close them.
    pub open_tools: Vec<(String, Option<Rc<Lane>>)>,
    pub last_text: String,
    pub user_message_uuids: Vec<String>,
    pub started: Instant,
    pub round_trips: u32,
    pub cost: f64,
    pub usage: Usage,
    pub denials: Vec<Value>,
}

impl Scene {
    pub fn new(variables: Variables) -> Self {
        Self {
            variables,
            lane: None,
            open_tools: Vec::new(),
            last_text: String::new(),
            user_message_uuids: Vec::new(),
            started: Instant::now(),
            round_trips: 1,
            cost: 0.0,
            usage: Usage::default(),
            denials: Vec::new(),
        }
    }
}

/// The sub-agent on whose behalf lines are written.
pub struct Lane {
    pub tool_use_id: String,
    pub agent_id: String,
    pub kind: String,
    pub description: String,
}

/// Why playing stopped before the last step.
pub enum Cut {
    Interrupted,
    /// The turn ends here, with an error.
    Failed(Failure),
    /// The process ends here.
    Leave(u8),
}

pub struct Failure {
    pub text: String,
    pub terminal_reason: &'static str,
    pub status: Option<u16>,
}

pub type Played<T = ()> = Result<T, Cut>;

impl Player {
    pub fn play(&mut self, steps: &'static [Step], scene: &mut Scene) -> Played {
        for step in steps {
            self.play_step(step, scene)?;
        }
        Ok(())
    }

    fn play_step(&mut self, step: &'static Step, scene: &mut Scene) -> Played {
        match step {
            Step::Say(text) => self.say(scene, text),
            Step::Think(text) => self.think(scene, text),
            Step::Stream(stream) => return self.stream(scene, stream),
            Step::Delay(delay) => return self.pause(*delay),
            Step::Tool(tool) => return self.tool(scene, tool),
            Step::Run(run) => return self.run(scene, run),
            Step::Write(file) => self.write_file(scene, file),
            Step::Permission(permission) => return self.permission(scene, permission),
            Step::Ask(ask) => return self.ask(scene, ask),
            Step::Mcp(call) => return self.mcp(scene, call),
            Step::Subagent(subagent) => return self.subagent(scene, subagent),
            Step::ApiError(error) => return self.api_error(scene, error),
            Step::Retry(retry) => return self.retry(retry.status, retry.times, retry.delay),
            Step::Fail(text) => return Err(self.fail(scene, text)),
            Step::Flood(flood) => return self.flood(scene, flood),
            Step::Line(size) => self.long_line(scene, *size),
            Step::Garbage(garbage) => self.output.raw(&garbage.0),
            Step::Stderr(text) => self.complain(scene, text),
            Step::Crash(crash) => return Err(self.crash(scene, crash)),
            Step::Hang(hang) => return self.hang(*hang),
            Step::IgnoreTerm(ignore) => self.ignore_term(*ignore),
            Step::Fork(fork) => self.fork(scene, fork),
            Step::Cost(cost) => scene.cost += cost,
            Step::Usage(usage) => {
                scene.usage.input += usage.input;
                scene.usage.output += usage.output;
            }
            Step::Times(times) => return self.repeat(scene, times),
            Step::When(when) => return self.choose_branch(scene, when),
        }
        Ok(())
    }

    fn repeat(&mut self, scene: &mut Scene, times: &'static Times) -> Played {
        for _ in 0..times.n {
            self.play(&times.steps, scene)?;
        }
        Ok(())
    }

    fn choose_branch(&mut self, scene: &mut Scene, when: &'static When) -> Played {
        let matched = when.matches.0.is_match(&scene.variables.expand(&when.text));
        self.play(if matched { &when.then } else { &when.otherwise }, scene)
    }

    /// Writes a line built as a tree, adding what every line carries.
    pub fn emit(&mut self, mut line: Value) {
        line["session_id"] = Value::from(&*self.session);
        line["uuid"] = Value::from(self.ids.uuid().as_str());
        self.output.line(&line);
    }
}

/// A conversation that can no longer be written down ends the process: going on would break the promise that every
/// message that was answered is in the journal.
impl From<OpenError> for Cut {
    fn from(error: OpenError) -> Self {
        super::tell_stderr(&error.to_string());
        Cut::Leave(1)
    }
}
