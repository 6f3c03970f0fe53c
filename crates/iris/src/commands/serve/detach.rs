//! A daemon in the background: it belongs to no terminal and to no process that may be ended together with its children.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use iris_core::fault::FaultKind;
use iris_engine::home::Home;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

use super::{Context, ServeArguments};
use crate::exit::Exit;
use crate::failure::{Failure, no_room};
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
    let unwritable = |error: &std::io::Error| format!("{} cannot be written ({error})", place::shown(&file));
    let mut log = open(&file).map_err(|error| failed(unwritable(&error)))?;
    let said_before = log.metadata().map_or(0, |metadata| metadata.len());
    // A session of its own: the end of a terminal does not reach it. It fails only if there is one already.
    nix::unistd::setsid().ok();
    let program = std::env::current_exe().map_err(|error| failed(format!("iris cannot find itself ({error})")))?;
    let mut daemon = Command::new(program);
    daemon.arg("--home").arg(&context.home).args(["serve", "--json"]);
    daemon.args(arguments.host.iter().flat_map(|host| ["--host", host]));
    daemon.args(arguments.port.map(|port| format!("--port={port}")));
    daemon.current_dir("/").stdin(Stdio::null()).stdout(Stdio::piped());
    daemon.stderr(log.try_clone().map_err(|error| failed(unwritable(&error)))?);
    let mut child = daemon.spawn().map_err(|error| failed(format!("the daemon cannot be started ({error})")))?;
    let mut ready = String::new();
    if let Some(output) = child.stdout.take() {
        // Nothing comes if it ends; then its end is looked at.
        BufReader::new(output).read_line(&mut ready).await.ok();
    }
    if !ready.trim().is_empty() {
        return Ok(Exit::Done);
    }
    child.wait().await.map_err(|error| failed(format!("the daemon cannot be waited for ({error})")))?;
    let hint = format!("its log is {}", place::shown(&file));
    Err(match last_words(&file, said_before) {
        // As it would have been told in a terminal: the same kind, the same words, the same help.
        Some(told) if told.hint.is_some() => told,
        Some(told) => told.hint(hint),
        // What it had to say has perhaps found no room.
        None => match log.write_all(b"the daemon did not start\n") {
            Err(error) => {
                let what = format!("the daemon did not start, and could not say why: {}", unwritable(&error));
                failed(what).hint(no_room(&error).map_or(hint, str::to_owned))
            }
            Ok(()) => failed("the daemon did not start, and did not say why".to_owned()).hint(hint),
        },
    })
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

/// Why it ended, as it said last: an error is JSON as well, but none of the log's.
fn last_words(file: &Path, since: u64) -> Option<Failure> {
    let mut bytes = Vec::new();
    let mut file = File::open(file).ok()?;
    file.seek(SeekFrom::Start(since)).ok()?;
    file.take(64 * 1024).read_to_end(&mut bytes).ok()?;
    Failure::from_last_line(&String::from_utf8_lossy(&bytes))
}
