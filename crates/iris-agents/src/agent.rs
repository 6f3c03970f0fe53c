//! A live agent process: bytes in, typed output out, and an end that leaves nothing behind.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use iris_core::agent::{AgentExit, AgentOutput, Reply, ToolAnswer, ToolSpec};
use iris_core::id::TurnId;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, timeout, timeout_at};

use crate::contain::Cell;
use crate::launch::{Launch, LaunchError};
use crate::lines::{Line, Lines};
use crate::tongue::Tongue;

pub struct Agent {
    child: Child,
    /// Where it and everything it starts live. Gone once it was cleared.
    cell: Option<Cell>,
    pid: Option<u32>,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    lines: Lines,
    tongue: Tongue,
    /// What is still to be written to it.
    outgoing: Vec<u8>,
    last_words: LastWords,
    /// Since when it can say nothing any more, though it lives.
    mute_since: Option<Instant>,
    exit: Option<AgentExit>,
}

#[derive(Debug)]
pub enum Progress {
    Outputs(Vec<AgentOutput>),
    /// It is gone, and everything it said has been given out before.
    Exited(AgentExit),
}

/// How much is read at once. A burst of a thousand short lines is then a handful of reads.
const READ_AT_ONCE: usize = 64 * 1024;
/// A process may end while a child of its own keeps the pipe open; what it wrote itself is there at once.
const DRAIN_LIMIT: Duration = Duration::from_millis(300);
/// How long a process may live on that has closed its output. One that ends closes it a moment before.
const MUTE_LIMIT: Duration = Duration::from_secs(3);

impl Agent {
    /// Starts the process and greets it. It is ready when it answers with `AgentOutput::Ready`.
    pub fn start(launch: &Launch, mut cell: Cell, tools: Arc<[ToolSpec]>) -> Result<Self, LaunchError> {
        let tongue = Tongue::of(launch.kind, tools).ok_or(LaunchError::NotBuilt(launch.kind))?;
        let mut command = Command::new(&launch.program);
        command
            .args(&launch.args)
            .env_clear()
            .envs(&launch.env)
            .current_dir(&launch.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A group of its own, so that it can be ended with everything it started in it.
            .process_group(0)
            .kill_on_drop(true);
        let mut child = cell.spawn(&mut command).map_err(|why| LaunchError::of(&launch.program, why))?;
        let mut agent = Self {
            pid: child.id(),
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            child,
            cell: Some(cell),
            lines: Lines::default(),
            tongue,
            outgoing: Vec::new(),
            last_words: LastWords::default(),
            mute_since: None,
            exit: None,
        };
        agent.tongue.greet(launch.instructions.as_deref(), &mut agent.outgoing);
        Ok(agent)
    }

    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// The tail of what it wrote to stderr so far.
    pub fn complaint(&self) -> String {
        self.last_words.text()
    }

    pub fn tell(&mut self, turn: &TurnId, text: &str) {
        self.tongue.tell(turn, text, &mut self.outgoing);
    }

    pub fn interrupt(&mut self) {
        self.tongue.interrupt(&mut self.outgoing);
    }

    /// Answers a request for permission, or a question.
    pub fn reply(&mut self, request: &str, reply: &Reply) {
        self.tongue.reply(request, reply, &mut self.outgoing);
    }

    pub fn answer_tool(&mut self, request: &str, answer: &ToolAnswer) {
        self.tongue.answer_tool(request, answer, &mut self.outgoing);
    }

    /// The next thing that happens. Safe to give up on at any await: nothing that was read or written is lost.
    pub async fn next(&mut self) -> Progress {
        loop {
            if let Some(exit) = &self.exit {
                return Progress::Exited(exit.clone());
            }
            let outputs = self.step().await;
            if !outputs.is_empty() {
                return Progress::Outputs(outputs);
            }
        }
    }

    /// Waits for one thing and takes it in.
    async fn step(&mut self) -> Vec<AgentOutput> {
        match self.wait().await {
            Happened::Wrote(count) => drop(self.outgoing.drain(..count)),
            Happened::CannotWrite => self.stdin = None,
            Happened::Read => return self.read_lines(),
            Happened::StdoutClosed => (self.stdout, self.mute_since) = (None, Some(Instant::now())),
            Happened::StaysMute => {
                self.mute_since = None;
                self.last_words.add(b"\n(it closed its output and went on; Iris ended it)");
                self.kill();
            }
            Happened::StderrClosed => self.stderr = None,
            Happened::Complained => {}
            Happened::Ended => return self.collect_last_words().await,
        }
        Vec::new()
    }

    async fn wait(&mut self) -> Happened {
        let Self { child, stdin, stdout, stderr, lines, outgoing, last_words, mute_since, .. } = self;
        tokio::select! {
            biased;
            result = write_some(stdin, outgoing), if stdin.is_some() && !outgoing.is_empty() => match result {
                Ok(count) => Happened::Wrote(count),
                Err(_) => Happened::CannotWrite,
            },
            result = read_some(stdout, lines), if stdout.is_some() => match result {
                Ok(0) | Err(_) => Happened::StdoutClosed,
                Ok(_) => Happened::Read,
            },
            result = last_words.read(stderr), if stderr.is_some() => match result {
                Ok(0) | Err(_) => Happened::StderrClosed,
                Ok(_) => Happened::Complained,
            },
            _ = child.wait() => Happened::Ended,
            () = stays_mute(*mute_since), if mute_since.is_some() => Happened::StaysMute,
        }
    }

    fn read_lines(&mut self) -> Vec<AgentOutput> {
        let mut outputs = Vec::new();
        let Self { lines, tongue, outgoing, .. } = self;
        lines.drain(|line| tongue.read(&line, &mut outputs, outgoing));
        if outputs.is_empty() && lines.is_long() {
            outputs.push(AgentOutput::Heartbeat);
        }
        outputs
    }

    /// The process has ended: takes what still stands in its pipes.
    async fn collect_last_words(&mut self) -> Vec<AgentOutput> {
        let until = Instant::now() + DRAIN_LIMIT;
        while self.stdout.is_some() {
            match timeout_at(until, read_some(&mut self.stdout, &mut self.lines)).await {
                Ok(Ok(count)) if count > 0 => {}
                _ => self.stdout = None,
            }
        }
        while self.stderr.is_some() {
            match timeout_at(until, self.last_words.read(&mut self.stderr)).await {
                Ok(Ok(count)) if count > 0 => {}
                _ => self.stderr = None,
            }
        }
        // It has ended, so this answers at once. Nothing is awaited after the lines are read, so none can be lost.
        let status = self.child.wait().await.ok();
        if let Some(cell) = &mut self.cell {
            cell.leader_is_gone();
        }
        let mut outputs = self.read_lines();
        if let Some(rest) = self.lines.rest() {
            self.tongue.read(&Line::Whole(&rest), &mut outputs, &mut self.outgoing);
        }
        use std::os::unix::process::ExitStatusExt;
        self.exit = Some(AgentExit {
            code: status.and_then(|status| status.code()),
            signal: status.and_then(|status| status.signal()),
            stderr: self.last_words.text(),
        });
        outputs
    }

    /// Stops politely, then firmly, then for certain, each with a limit. Returns when the process and everything it
    /// started are gone.
    pub async fn stop(mut self) -> AgentExit {
        if self.exit.is_none() {
            self.tongue.end(&mut self.outgoing);
            if timeout(POLITE_LIMIT, self.gone_politely()).await.is_err() {
                self.signal(Signal::SIGTERM);
                // The next step is looked at by whoever takes it.
                timeout(FIRM_LIMIT, self.gone()).await.ok();
            }
        }
        self.stop_at_once().await
    }

    /// For certain, without a chance to do anything more.
    pub async fn stop_at_once(mut self) -> AgentExit {
        if self.exit.is_none() {
            self.kill();
            if timeout(CERTAIN_LIMIT, self.gone()).await.is_err() {
                tracing::error!(pid = self.pid, "an agent does not end though it was killed");
            }
        }
        self.clear_cell().await;
        self.exit.take().unwrap_or_default()
    }

    /// Whatever it started and left behind goes with it.
    async fn clear_cell(&mut self) {
        let Some(cell) = self.cell.take() else { return };
        let ended = cell.clear().await;
        if ended > 0 {
            tracing::info!(pid = self.pid, processes = ended, "ended what an agent had left behind");
        }
    }

    async fn gone_politely(&mut self) {
        while !self.outgoing.is_empty() && self.stdin.is_some() && self.exit.is_none() {
            // What it still says is of no interest any more.
            drop(self.step().await);
        }
        self.stdin = None;
        self.gone().await;
    }

    async fn gone(&mut self) {
        while !matches!(self.next().await, Progress::Exited(_)) {}
    }

    fn kill(&self) {
        self.signal(Signal::SIGKILL);
        if let Some(cell) = &self.cell {
            cell.kill();
        }
    }

    /// To its group. Only while its own process has not been asked how it ended: until then the number is its own.
    fn signal(&self, signal: Signal) {
        let Some(pid) = self.child.id().and_then(|pid| i32::try_from(pid).ok()) else { return };
        if let Err(error) = killpg(Pid::from_raw(pid), signal)
            && error != nix::errno::Errno::ESRCH
        {
            tracing::warn!(pid, %signal, %error, "could not signal an agent's process group");
        }
    }
}

const POLITE_LIMIT: Duration = Duration::from_secs(3);
const FIRM_LIMIT: Duration = Duration::from_secs(3);
const CERTAIN_LIMIT: Duration = Duration::from_secs(1);

enum Happened {
    Wrote(usize),
    CannotWrite,
    Read,
    StdoutClosed,
    StaysMute,
    Complained,
    StderrClosed,
    Ended,
}

async fn stays_mute(since: Option<Instant>) {
    match since {
        Some(since) => tokio::time::sleep_until(since + MUTE_LIMIT).await,
        None => std::future::pending().await,
    }
}

async fn write_some(stdin: &mut Option<ChildStdin>, outgoing: &[u8]) -> std::io::Result<usize> {
    match stdin {
        Some(stdin) => stdin.write(outgoing).await,
        None => std::future::pending().await,
    }
}

async fn read_some(stdout: &mut Option<ChildStdout>, lines: &mut Lines) -> std::io::Result<usize> {
    match stdout {
        Some(stdout) => {
            let buffer = lines.buffer();
            let before = buffer.len();
            // Room is asked for in small steps until a burst shows that more is useful: most agents are mostly quiet.
            let room = buffer.capacity() - before;
            if room < 1024 {
                buffer.reserve(if before == 0 { 8 * 1024 } else { READ_AT_ONCE });
            }
            stdout.read_buf(buffer).await
        }
        None => std::future::pending().await,
    }
}

/// The tail of stderr.
#[derive(Debug, Default)]
struct LastWords {
    tail: Vec<u8>,
    /// There was more before it.
    is_cut: bool,
}

const TAIL_KEPT: usize = 4 * 1024;

impl LastWords {
    async fn read(&mut self, stderr: &mut Option<ChildStderr>) -> std::io::Result<usize> {
        let Some(stderr) = stderr else { return std::future::pending().await };
        let mut piece = [0; 512];
        let count = stderr.read(&mut piece).await?;
        self.add(&piece[..count]);
        Ok(count)
    }

    fn add(&mut self, piece: &[u8]) {
        self.tail.extend_from_slice(piece);
        if self.tail.len() > 2 * TAIL_KEPT {
            self.is_cut = true;
            self.tail.drain(..self.tail.len() - TAIL_KEPT);
        }
    }

    fn text(&self) -> String {
        let start = self.tail.len().saturating_sub(TAIL_KEPT);
        let tail = String::from_utf8_lossy(&self.tail[start..]);
        let tail = tail.trim_end();
        if start == 0 && !self.is_cut {
            return tail.trim_start().to_owned();
        }
        // What is left of a line, or of a word, could be the end of a secret, which nobody would know by its end.
        let begin = tail.find('\n').or_else(|| tail.find(char::is_whitespace)).unwrap_or(0);
        format!("{}{}", AgentExit::CUT, tail[begin..].trim_start())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_words_begin_with_a_whole_line_or_word() {
        let check = |said: &str, told: &str| {
            let mut words = LastWords::default();
            said.as_bytes().chunks(500).for_each(|piece| words.add(piece));
            assert_eq!(words.text(), told);
        };
        check("  it broke\n", "it broke");
        for long in [TAIL_KEPT, 3 * TAIL_KEPT] {
            check(&format!("{} tail of it\nit\nbroke\n", "x".repeat(long)), "…it\nbroke");
            check(&format!("{} it broke\n", "x".repeat(long)), "…it broke");
        }
        check(&"x".repeat(2 * TAIL_KEPT), &format!("…{}", "x".repeat(TAIL_KEPT)));
    }
}
