//! The `iris` binary: the daemon (`iris serve`) and the commands, which are clients of the same API as everyone else.

mod arguments;
mod client;
mod commands;
mod config_file;
mod confirm;
mod descriptors;
mod exit;
mod failure;
mod interrupt;
mod logging;
mod moment;
mod place;
mod printer;
mod span;
mod telemetry;

use std::process::ExitCode;

use clap::Parser;
use iris_agents::scripted;
use iris_core::said;

use arguments::{Arguments, Command};
use commands::Context;
use exit::Exit;
use failure::Failure;
use printer::Printer;

fn main() -> ExitCode {
    // Before anything else exists: a scripted agent is a small process of its own, and many of them may be started.
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == scripted::launch::SUBCOMMAND) {
        return scripted::run(words.map(|word| word.to_string_lossy().into_owned()));
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(told) => return tell_usage(&told),
    };
    let mut context = Context {
        home: place::home(arguments.global.home.as_deref()),
        printer: Printer::new(arguments.global.format()),
    };
    if arguments.global.home.as_ref().is_some_and(|home| home.as_os_str().is_empty()) {
        context.printer.note(format!("IRIS_HOME is empty, so the home is {}", place::shown(&context.home)));
    }
    if matches!(arguments.command, Command::Serve(_)) {
        descriptors::close_inherited();
    }
    let ended = run(arguments.command, &mut context);
    context.printer.stop_waiting();
    match ended {
        Ok(exit) => exit.into(),
        Err(failure) => {
            context.printer.failure(&failure);
            exit::of(failure.why).into()
        }
    }
}

/// Help and versions are an answer; everything else clap has to say is a mistake in the command.
fn tell_usage(told: &clap::Error) -> ExitCode {
    // What was typed could not be read, so whether JSON is wanted is looked for by itself.
    if told.use_stderr() && std::env::args_os().any(|word| word == "--json") {
        let said = told.to_string();
        let what = said.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
        let failure = Failure::invalid(what.split_whitespace().collect::<Vec<_>>().join(" "));
        let tip = said.lines().find_map(|line| line.trim_start().strip_prefix("tip: "));
        let hint = tip.unwrap_or("the command's --help has examples");
        Printer::new(printer::Format::Json).failure(&failure.hint(hint));
        return Exit::Invalid.into();
    }
    // Nobody reading is no reason to fail.
    told.print().ok();
    if told.use_stderr() { Exit::Invalid.into() } else { ExitCode::SUCCESS }
}

fn run(command: Command, context: &mut Context) -> Result<Exit, Failure> {
    logging::start(command.log_level())?;
    let runtime = match command {
        Command::Serve(_) => daemon_runtime(),
        _ => tokio::runtime::Builder::new_current_thread().enable_all().build(),
    };
    let runtime = runtime.map_err(|error| Failure::internal(format!("no runtime could be started ({error})")))?;
    let ended = runtime.block_on(commands::run(command, context));
    // What still runs here was given up on: a stop that was asked for twice, or a reader that went away.
    runtime.shutdown_timeout(std::time::Duration::from_millis(500));
    ended
}

fn daemon_runtime() -> std::io::Result<tokio::runtime::Runtime> {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    tokio::runtime::Builder::new_multi_thread()
        // Never one alone: a thread may be held up by a disk while it writes, and the others still have to answer.
        .worker_threads(cores.max(2))
        .thread_name("iris")
        .thread_stack_size(1024 * 1024)
        .enable_all()
        .build()
}
