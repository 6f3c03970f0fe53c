//! Everything that goes wrong with real agents: API errors, crashes, hangs, stubborn and stray processes.

use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{SigSet, Signal, kill};
use nix::unistd::Pid;
use serde_json::json;

use super::wait::Until;
use super::{Cut, Failure, Played, Player, Scene};
use crate::scripted::output::Timestamp;
use crate::scripted::script::{ApiError, Crash, Delay, Fork, Hang};
use crate::scripted::tell_stderr;
use crate::scripted::text::Template;

impl Player {
    pub fn api_error(&mut self, scene: &mut Scene, error: &ApiError) -> Played {
        self.retry(error.status, error.retries, error.delay)?;
        let message = scene.variables.expand(&error.message);
        let text = match error.status {
            Some(status) => format!("API Error: {status} {message}"),
            None => format!("API Error: {message}"),
        };
        let id = self.ids.uuid();
        self.emit(json!({
            "type": "assistant",
            "message": {
                "id": id, "model": "<synthetic>", "role": "assistant", "type": "message",
                "content": [{"type": "text", "text": text}],
                "stop_reason": "stop_sequence", "stop_sequence": "",
                "usage": {"input_tokens": 0, "output_tokens": 0},
            },
            "parent_tool_use_id": null,
            "timestamp": Timestamp::now(),
            "error": error_name(error.status),
            "is_api_error_message": true,
            "api_error_status": error.status,
        }));
        Err(Cut::Failed(Failure { text, terminal_reason: "api_error", status: error.status }))
    }

    pub fn retry(&mut self, status: Option<u16>, times: u32, delay: Delay) -> Played {
        for attempt in 1..=times {
            let delay_ms = u64::try_from(delay.0.as_millis()).unwrap_or(u64::MAX);
            self.emit(json!({
                "type": "system", "subtype": "api_retry", "attempt": attempt, "max_retries": 10,
                "retry_delay_ms": delay_ms, "error_status": status, "error": error_name(status),
            }));
            self.pause(delay)?;
        }
        Ok(())
    }

    pub fn complain(&mut self, scene: &Scene, text: &Template) {
        // In the order of the script, as far as two pipes have an order.
        self.output.flush();
        tell_stderr(&scene.variables.expand(text));
    }

    /// Ends the process, after everything said before has been written.
    pub fn crash(&mut self, scene: &Scene, crash: &Crash) -> Cut {
        if crash.half || crash.after.is_some() {
            self.half_line(scene, crash.after);
        }
        self.output.flush();
        let signal = match (crash.signal, crash.code) {
            (None, Some(code)) => return Cut::Leave(code),
            (signal, _) => signal.unwrap_or(9),
        };
        match Signal::try_from(signal) {
            Ok(signal) => kill(Pid::this(), signal).expect("a process may signal itself"),
            Err(_) => tell_stderr(&format!("the script crashes with {signal}, which is no signal")),
        }
        // A blocked or harmless signal leaves us alive; the script asked for a death.
        thread::sleep(Duration::from_millis(200));
        Cut::Leave(128)
    }

    pub fn hang(&mut self, hang: Hang) -> Played {
        match hang {
            Hang::Not => Ok(()),
            Hang::Interruptible => self.wait(&Until::Never).map(|_| ()),
            Hang::Deaf => {
                self.output.flush();
                loop {
                    thread::sleep(Duration::from_secs(3600));
                }
            }
        }
    }

    /// Blocks SIGTERM in this thread; all others were started with it blocked. A handler would need unsafe code.
    pub fn ignore_term(&mut self, ignore: bool) {
        let mut termination = SigSet::empty();
        termination.add(Signal::SIGTERM);
        let changed = if ignore { termination.thread_block() } else { termination.thread_unblock() };
        changed.expect("a thread may change its own mask");
    }

    /// Leaves a `sleep` behind whose parent is gone. Its process id becomes `{{result}}`.
    pub fn fork(&mut self, scene: &mut Scene, fork: &Fork) {
        self.output.flush();
        let setsid = if fork.daemonise { "setsid " } else { "" };
        // The shell forks and exits, which is the double fork; the id comes back over stderr because stdout may be
        // the pipe that the child shall hold open.
        let script = format!("{setsid}sleep {} </dev/null 2>/dev/null & echo $! >&2", fork.sleep);
        let stdout = if fork.keep_stdout { Stdio::inherit() } else { Stdio::null() };
        let output = Command::new("sh")
            .args(["-c", &script])
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(Stdio::piped())
            .spawn()
            .and_then(std::process::Child::wait_with_output);
        match output {
            Ok(output) => {
                let pid = String::from_utf8_lossy(&output.stderr);
                scene.variables.result = pid.trim().to_owned();
            }
            Err(error) => tell_stderr(&format!("cannot fork: {error}")),
        }
    }
}

fn error_name(status: Option<u16>) -> &'static str {
    match status {
        None => "connection_failed",
        Some(401 | 403) => "authentication_failed",
        Some(404) => "model_not_found",
        Some(429) => "rate_limit",
        Some(529) => "overloaded",
        Some(400..=499) => "invalid_request",
        Some(_) => "server_error",
    }
}
