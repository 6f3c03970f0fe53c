//! A daemon in the background: it belongs to no terminal and to no process that may be ended together with its children.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use iris_core::fault::FaultKind;
use iris_engine::home::Home;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

use super::{Context, ServeArguments};
use crate::exit::Exit;
use crate::failure::{Failure, Why};
use crate::place;

/// Where a daemon in the background writes its log.
fn log_file(home: &Path) -> PathBuf {
    home.join("logs/daemon.log")
}

/// From this size on a log is put aside when a daemon starts; one earlier is kept.
const LARGE_LOG: u64 = 10 * 1024 * 1024;

/// Starts the daemon and waits until it serves. This process then ends, so that the daemon has no parent of ours.
pub async fn start(arguments: &ServeArguments, context: &Context) -> Result<Exit, Failure> {
    Home::prepare(&context.home)?;
    let file = log_file(&context.home);
    let log = open(&file).map_err(|error| failed(format!("{} cannot be written ({error})", place::shown(&file))))?;
    let said_before = log.metadata().map_or(0, |metadata| metadata.len());
    // A session of its own: the end of a terminal does not reach it. It fails only if there is one already.
    nix::unistd::setsid().ok();
    let program = std::env::current_exe().map_err(|error| failed(format!("iris cannot find itself ({error})")))?;
    let mut daemon = Command::new(program);
    daemon.arg("--home").arg(&context.home).args(["serve", "--json"]);
    daemon.args(arguments.host.iter().flat_map(|host| ["--host", host]));
    daemon.args(arguments.port.map(|port| format!("--port={port}")));
    daemon.current_dir("/").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
    let mut child = daemon.spawn().map_err(|error| failed(format!("the daemon cannot be started ({error})")))?;
    let mut ready = String::new();
    if let Some(output) = child.stdout.take() {
        // Nothing comes if it ends; then its end is looked at.
        BufReader::new(output).read_line(&mut ready).await.ok();
    }
    if !ready.trim().is_empty() {
        return Ok(Exit::Done);
    }
    let status = child.wait().await.map_err(|error| failed(format!("the daemon cannot be waited for ({error})")))?;
    match status.code() {
        Some(code) if code == i32::from(Exit::AlreadyRunning as u8) => {
            Err(Failure::new(Why::AlreadyRunning, "iris is already running for this home"))
        }
        _ => Err(failed(format!("the daemon did not start: {}", last_words(&file, said_before)))
            .hint(format!("its log is {}", place::shown(&file)))),
    }
}

fn failed(what: String) -> Failure {
    Failure::fault(FaultKind::Unavailable, what)
}

fn open(file: &Path) -> std::io::Result<File> {
    if file.metadata().is_ok_and(|metadata| metadata.len() > LARGE_LOG) {
        std::fs::rename(file, file.with_extension("log.1"))?;
    }
    OpenOptions::new().create(true).append(true).mode(0o600).open(file)
}

/// What it wrote since, as far as it is for people: the log of it is JSON, an error is not.
fn last_words(file: &Path, since: u64) -> String {
    let mut text = String::new();
    let read = File::open(file).and_then(|file| file.take(since + 64 * 1024).read_to_string(&mut text));
    let since = usize::try_from(since).unwrap_or(usize::MAX);
    let new = text.get(since..).filter(|_| read.is_ok()).unwrap_or_default();
    let words: Vec<_> = new.lines().filter(|line| !line.starts_with('{')).collect();
    if words.is_empty() { "it said nothing".to_owned() } else { words.join("; ") }
}
