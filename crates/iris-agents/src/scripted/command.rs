//! Commands that really run: a shell in a process group of its own, its output bounded, its end an event.

use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::input::{CommandEnd, Event, without_termination};

/// The real CLI cuts a command's output too. What is beyond is read and thrown away, so that the command never blocks.
const KEPT: usize = 30_000;

/// How long the output of a command that has ended may still trickle in. A process it left behind can hold the pipe
/// open for ever.
const GRACE: Duration = Duration::from_millis(100);

pub struct RunningCommand {
    group: Pid,
}

impl RunningCommand {
    pub fn kill(&self) {
        // It may have ended by itself a moment ago, which is as good.
        killpg(self.group, Signal::SIGKILL).ok();
    }
}

pub fn start(command: &str, serial: u64, events: Sender<Event>) -> io::Result<RunningCommand> {
    let (reader, writer) = io::pipe()?;
    let child = Command::new("sh")
        .args(["-c", command])
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .spawn()?;
    let pid = i32::try_from(child.id()).expect("a process id fits");
    let (finished, output) = mpsc::channel();
    without_termination(|| {
        thread::spawn(move || drain(reader, &finished));
        thread::spawn(move || wait(child, serial, &output, &events));
    });
    Ok(RunningCommand { group: Pid::from_raw(pid) })
}

/// Sends each piece as it comes, so that what was written before the end is known even when the pipe stays open.
fn drain(mut reader: impl Read, pieces: &Sender<Vec<u8>>) {
    let mut piece = vec![0; 8 * 1024];
    while let Ok(length @ 1..) = reader.read(&mut piece) {
        if pieces.send(piece[..length].to_vec()).is_err() {
            return;
        }
    }
}

fn wait(mut child: Child, serial: u64, pieces: &Receiver<Vec<u8>>, events: &Sender<Event>) {
    let (done, ended) = mpsc::channel();
    // Waiting for the process and gathering its output must go on side by side, or a full pipe would stop both.
    let waiter = thread::spawn(move || {
        let status = child.wait();
        done.send(()).ok();
        status
    });
    let (mut kept, mut lost) = (Vec::new(), 0);
    loop {
        let over = ended.try_recv().is_ok();
        let patience = if over { GRACE } else { Duration::from_millis(10) };
        match pieces.recv_timeout(patience) {
            Ok(piece) => {
                let room = (KEPT - kept.len()).min(piece.len());
                kept.extend_from_slice(&piece[..room]);
                lost += piece.len() - room;
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) if over => break,
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
    }
    let status = waiter.join().expect("waiting for a child does not panic");
    let mut output = String::from_utf8_lossy(&kept).trim_end().to_owned();
    if lost > 0 {
        output.push_str(&format!("\n… {lost} more bytes"));
    }
    let code = status.ok().and_then(|status| status.code());
    // Nobody listens when the process is on its way out.
    events.send(Event::CommandEnded(CommandEnd { serial, output, code })).ok();
}
