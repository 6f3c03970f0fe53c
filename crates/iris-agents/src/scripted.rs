//! The scripted agent: a program that speaks Claude Code's stream-json from a YAML script instead of a model.
//!
//! It serves the demo, the tests and the benchmarks, which thereby run through exactly the code a real agent runs
//! through. It is a process of its own (`iris scripted-agent`), needs no tokio, starts in about two milliseconds, and
//! writes a turn without delays in one system call.
//!
//! ```yaml
//! model: scripted-1
//! replies:                                   # the first pattern that matches the user's text wins
//!   - match: "^build ([a-z]+)$"
//!     do:
//!       - say: "Building $1, turn {{turn}}"
//!       - run: "make $1"
//!       - permission: { tool: Bash, input: { command: "rm -rf out" }, then: [{ say: gone }], denied: [{ say: kept }] }
//!       - ask: { question: "Which colour?", header: Colour, options: [Red, Blue] }
//!       - say: "{{answer}} it is"
//! default: [{ say: "You said: {{text}}" }]   # left out: echo
//! ```
//!
//! Every step is described in `docs/scripted-agent.md`. A script is read by `script`, a turn is played by `play`, what
//! the host asks is answered by `serve`; `input` and `output` are the two ends of the pipe, `wire` the shapes of the
//! lines, `conversation` the memory that survives the process.

mod arguments;
mod command;
mod conversation;
mod input;
pub mod launch;
mod output;
mod play;
mod script;
mod serve;
mod text;
mod wire;

use std::collections::{HashMap, VecDeque};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;
use std::thread;

use serde_json::json;

use arguments::{Arguments, Identity};
pub use conversation::forget;
use conversation::{Conversation, OpenError};
use input::Inbox;
use output::{Ids, Output};
use play::{Background, Player};
pub use script::ScriptError;
use script::{Script, Start};

/// Runs the scripted agent to its end. `args` are the words after the subcommand's name. Call it before any tokio
/// runtime exists: it blocks, and it must stay small.
pub fn run(args: impl Iterator<Item = String>) -> ExitCode {
    let arguments = match arguments::parse(args) {
        Ok(arguments) => arguments,
        Err(error) => return refuse(&format!("Error: {error}")),
    };
    let script = match script::load(&arguments.script) {
        Ok(script) => &*Box::leak(Box::new(script)),
        Err(error) => return refuse(&format!("Error: {error}")),
    };
    if let Some(code) = begin(&script.start) {
        return code;
    }
    match prepare(script, arguments) {
        Ok(mut player) => ExitCode::from(player.serve()),
        Err(code) => code,
    }
}

/// Whether a script can be played; if not, where it is wrong.
pub fn check(script: &Path) -> Result<(), ScriptError> {
    script::load(script).map(drop)
}

/// The scripted behaviour at the start; an exit code when there is nothing after it.
fn begin(start: &Start) -> Option<ExitCode> {
    thread::sleep(start.delay.0);
    if let Some(text) = &start.stderr {
        tell_stderr(text);
    }
    if let Some(exit) = &start.exit {
        if let Some(text) = &exit.stderr {
            tell_stderr(text);
        }
        return Some(ExitCode::from(exit.code));
    }
    if start.silent {
        let read = io::copy(&mut io::stdin().lock(), &mut io::sink());
        return Some(ExitCode::from(u8::from(read.is_err())));
    }
    None
}

fn prepare(script: &'static Script, arguments: Arguments) -> Result<Player, ExitCode> {
    let mut ids = Ids::new();
    let cwd = std::env::current_dir().map_err(|error| refuse(&format!("Error: no working directory: {error}")))?;
    let mut output = Output::new();
    let Arguments { identity, state_dir, .. } = arguments;
    let conversation = open(identity, state_dir, &mut ids, &mut output)?;
    Ok(Player {
        script,
        inbox: Inbox::open(),
        output,
        ids,
        session: Rc::from(&*conversation.id),
        conversation,
        cwd: Rc::from(&*cwd.to_string_lossy()),
        model: arguments.model.unwrap_or_else(|| script.model.clone()),
        permission_mode: arguments.permission_mode.unwrap_or_else(|| "default".to_owned()),
        servers: Vec::new(),
        queue: VecDeque::new(),
        background: Background::default(),
        answers: HashMap::new(),
        turn_running: false,
        closed: false,
        last_failed: false,
        results: 0,
        serial: 0,
    })
}

/// A resume of nothing is told twice, on stderr and as a result line, as the real CLI does.
fn open(
    identity: Identity,
    state_dir: Option<std::path::PathBuf>,
    ids: &mut Ids,
    output: &mut Output,
) -> Result<Conversation, ExitCode> {
    Conversation::open(identity, state_dir, ids).map_err(|error| {
        let told = error.to_string();
        if let OpenError::Unknown(id) = &error {
            output.line(&json!({
                "type": "result", "subtype": "error_during_execution", "duration_ms": 0, "duration_api_ms": 0,
                "is_error": true, "num_turns": 0, "stop_reason": null, "session_id": id, "total_cost_usd": 0,
                "usage": {"input_tokens": 0, "output_tokens": 0}, "modelUsage": {}, "permission_denials": [],
                "uuid": ids.uuid(), "errors": [told], "result_index": 0,
            }));
            output.flush();
        }
        refuse(&told)
    })
}

fn refuse(message: &str) -> ExitCode {
    tell_stderr(message);
    ExitCode::FAILURE
}

fn tell_stderr(message: &str) {
    // Nobody reading stderr is no reason to stop.
    writeln!(io::stderr().lock(), "{message}").ok();
}
