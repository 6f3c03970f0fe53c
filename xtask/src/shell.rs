//! Running other programs where the user can see it, and surviving Ctrl-C while they run.

use std::collections::VecDeque;
use std::ffi::c_int;
use std::io::{self, BufRead as _, BufReader, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;
use std::{env, thread};

use anyhow::{Context, Result, bail};

/// How much of what a program said last is worth saying again.
const END_LINES: usize = 80;

/// Numbered lines, so that a long wait says what it is waiting for.
pub struct Steps {
    done: usize,
    total: usize,
}

impl Steps {
    pub fn new(total: usize) -> Self {
        Self { done: 0, total }
    }

    pub fn next(&mut self, text: &str) {
        self.done += 1;
        eprintln!("[{}/{}] {text}", self.done, self.total);
    }
}

/// The cargo that started us, in the state a user's shell would start it in.
pub fn cargo() -> Command {
    let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    // `cargo run` describes the xtask package in the environment. Some build scripts (ring's) watch these
    // variables, and would build again at every change between `cargo build` and `cargo xtask`.
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// Where the repository begins.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Where cargo puts what it builds: next to where it put us, whatever the configuration says.
pub fn target_directory() -> Result<PathBuf> {
    let program = env::current_exe().context("cannot find the xtask program")?;
    let directory = program.ancestors().nth(2);
    Ok(directory.context("the xtask program is not in a target directory")?.to_owned())
}

/// A built program of this workspace; `profile` is the folder's name, `debug` or `release`.
pub fn built_program(profile: &str, name: &str) -> Result<PathBuf> {
    let name = format!("{name}{}", env::consts::EXE_SUFFIX);
    Ok(target_directory()?.join(profile).join(name))
}

/// npm, to install what the lock file in a folder names. Scripts of packages are not run.
pub fn npm_ci(folder: &Path) -> Command {
    let mut npm = Command::new("npm");
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]).arg(folder);
    trust_system_certificates(&mut npm);
    npm.stdin(Stdio::null());
    npm
}

/// Runs a program on the user's terminal until it ends.
pub fn status(command: &mut Command) -> Result<ExitStatus> {
    let mut child = command.spawn().with_context(|| format!("cannot start `{}`", as_typed(command)))?;
    CHILD.store(child.id().cast_signed(), Ordering::SeqCst);
    let status = child.wait();
    CHILD.store(0, Ordering::SeqCst);
    status.with_context(|| format!("lost sight of `{}`", as_typed(command)))
}

/// Like [`status`], and what it said last is there to be said again. On a terminal nothing is kept: there one can scroll,
/// and programs draw.
pub fn status_and_end(command: &mut Command) -> Result<(ExitStatus, Vec<String>)> {
    if io::stderr().is_terminal() {
        return Ok((status(command)?, Vec::new()));
    }
    let (mut from, to) = io::pipe()?;
    command.stdout(to.try_clone()?).stderr(to);
    let end = Arc::new(Mutex::new(VecDeque::new()));
    let kept = Arc::clone(&end);
    let (writing, written) = mpsc::channel::<()>();
    thread::spawn(move || {
        let _writing = writing;
        for line in BufReader::new(&mut from).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line).into_owned();
            eprintln!("{line}");
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push_back(line);
            if kept.len() > END_LINES {
                kept.pop_front();
            }
        }
    });
    let status = status(command);
    // Ours are the last writing ends; a process that was left behind may have another, and is not waited for.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    written.recv_timeout(Duration::from_secs(2)).ok();
    let end = end.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect();
    Ok((status?, end))
}

/// Like [`status`], for what must succeed.
pub fn run(command: &mut Command) -> Result<()> {
    let status = status(command)?;
    if !status.success() {
        bail!("`{}` ended with {status}", as_typed(command));
    }
    Ok(())
}

/// Runs a program without showing its output, unless it fails.
pub fn run_quietly(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot start `{}`", as_typed(command)))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("`{}` ended with {}: {}", as_typed(command), output.status, said.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The command as one would type it again.
pub fn as_typed(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let program = program.file_name().unwrap_or(program.as_os_str());
    std::iter::once(program)
        .chain(command.get_args())
        .map(|word| quote(&word.to_string_lossy()))
        .collect::<Vec<_>>()
        .join(" ")
}

/// One word, quoted if a shell would otherwise read it differently.
pub fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,@+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The program's file, if it is in PATH.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|directory| directory.join(name)).find(|candidate| candidate.is_file())
}

/// Node does not look at the certificates the system trusts, such as those of a company's own proxy.
pub fn trust_system_certificates(node: &mut Command) {
    let system = Path::new("/etc/ssl/certs/ca-certificates.crt");
    if env::var_os("NODE_EXTRA_CA_CERTS").is_none() && system.is_file() {
        node.env("NODE_EXTRA_CA_CERTS", system);
    }
}

/// Prints what the user asked to read.
#[expect(clippy::print_stdout, reason = "help that was asked for is output, so that it can be piped to a pager")]
pub fn help(text: &str) -> ExitCode {
    print!("{text}");
    ExitCode::SUCCESS
}

pub fn asks_for_help(arguments: &[String]) -> bool {
    arguments.iter().take_while(|argument| *argument != "--").any(|argument| argument == "--help" || argument == "-h")
}

/// The arguments for another program, with or without a `--` in front.
pub fn after_separator(arguments: &[String]) -> &[String] {
    match arguments {
        [first, rest @ ..] if first == "--" => rest,
        all => all,
    }
}

/// Says whether the user (or the system) asked us to end.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// Keeps xtask alive through Ctrl-C, so that it can take down what it put up.
///
/// A handler, not "ignore": what is ignored stays ignored in the programs we start. The terminal sends Ctrl-C to them
/// itself; a SIGTERM comes to us alone and is passed on.
#[expect(
    unsafe_code,
    reason = "the standard library has no way to catch a signal, and a crate for it would slow down every xtask"
)]
pub fn catch_signals() {
    for number in [SIGHUP, SIGINT, SIGTERM] {
        // SAFETY: `on_signal` only touches atomics and calls kill(2), both allowed in a signal handler.
        unsafe { signal(number, on_signal) };
    }
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The program that runs in the foreground now, or 0.
static CHILD: AtomicI32 = AtomicI32::new(0);

// The same numbers on every Unix.
const SIGHUP: c_int = 1;
const SIGINT: c_int = 2;
const SIGTERM: c_int = 15;

#[expect(unsafe_code, reason = "see catch_signals")]
extern "C" fn on_signal(number: c_int) {
    INTERRUPTED.store(true, Ordering::SeqCst);
    let child = CHILD.load(Ordering::SeqCst);
    if number == SIGTERM && child > 0 {
        // SAFETY: kill(2) takes two numbers and touches no memory of ours.
        unsafe { kill(child, SIGTERM) };
    }
}

#[expect(unsafe_code, reason = "see catch_signals")]
unsafe extern "C" {
    fn signal(number: c_int, handler: extern "C" fn(c_int)) -> usize;
    fn kill(process: i32, number: c_int) -> c_int;
}
