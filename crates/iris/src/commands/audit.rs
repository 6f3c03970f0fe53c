//! `iris audit export`: who decided and administered what, and when, from the log.

mod entry;

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueEnum};
use iris_api::status::Status;
use iris_core::event::AUDITED;
use iris_core::fault::FaultKind;

use super::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place;
use crate::printer::Printer;
use entry::Entry;

/// Who decided what, and when
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris audit export                         everything, one JSON object on each line
  iris audit export --format csv -o a.csv   for a spreadsheet
  iris audit export --after 812             what came since event 812")]
pub struct AuditArguments {
    #[command(subcommand)]
    command: AuditCommand,
}

#[derive(Debug, Subcommand)]
enum AuditCommand {
    /// Write down every decision and every act of administration, in order
    #[command(after_help = "\
Examples:
  iris audit export
  iris audit export --format csv -o decisions.csv
  iris audit export --after 812 | jq -c 'select(.who == \"user\")'

Questions asked, answered, defaulted and expired; rules; tokens; links; trust in folders; changes of the config; jobs; \
who asked for a turn to be broken off, or for everything to be stopped; starts and stops of the daemon. Each with the \
number that its event has in the log, with who did it, by which credential, and where: api, cli, monitor, dashboard, mcp, \
pipe (an agent's own), rule or deadline. What agents said is not in it.")]
    Export(ExportArguments),
}

#[derive(Debug, clap::Args)]
struct ExportArguments {
    /// Only what came after the event with this number
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(i64).range(0..))]
    after: i64,
    /// One JSON object on each line, or a table
    #[arg(long, value_enum, default_value_t = Form::Jsonl)]
    format: Form,
    /// A new file, which only you may read [default: stdout]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    Jsonl,
    Csv,
}

pub async fn run(arguments: AuditArguments, context: &mut Context) -> Result<Exit, Failure> {
    let AuditCommand::Export(arguments) = arguments.command;
    let client = context.client();
    let newest = client.get::<Status>(&["status"], &[]).await?.newest_event;
    let mut sink = Sink::open(arguments.output.as_deref())?;
    if arguments.format == Form::Csv {
        sink.write(&entry::csv(entry::COLUMNS), &mut context.printer)?;
    }
    let (mut next, mut count) = (Some(arguments.after), 0_u64);
    let kinds = [("kind", AUDITED.join(","))];
    // Page by page, and not beyond what there was at the start: a busy log would never end.
    while let Some(after) = next {
        let (page, follows) = client.events(&kinds, after).await?;
        next = follows.filter(|after| *after < newest);
        for event in page.iter().filter(|event| event.seq <= newest) {
            let entry = Entry::of(event);
            let line = match arguments.format {
                Form::Jsonl => entry.json(),
                Form::Csv => entry::csv(entry.cells()),
            };
            sink.write(&line, &mut context.printer)?;
            count += 1;
        }
    }
    sink.finish()?;
    say(&arguments, count, newest, context)
}

fn say(arguments: &ExportArguments, count: u64, newest: i64, context: &mut Context) -> Result<Exit, Failure> {
    let printer = &mut context.printer;
    if printer.is_json() && arguments.output.is_some() {
        printer.json(&serde_json::json!({ "entries": count, "newestEvent": newest, "file": arguments.output }))?;
    } else if !printer.is_json() {
        printer.note(match count {
            0 if arguments.after > 0 => format!("nothing was decided since event {}", arguments.after),
            0 => "nothing was decided yet".to_owned(),
            _ => {
                let file = arguments.output.as_deref().map(|file| format!(" in {}", place::shown(file)));
                let file = file.unwrap_or_default();
                format!("{count} entries{file}; what comes later: iris audit export --after {newest}")
            }
        });
    }
    Ok(Exit::Done)
}

/// Where it goes.
enum Sink {
    Stdout,
    File { file: std::io::BufWriter<std::fs::File>, path: PathBuf },
}

impl Sink {
    fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path else { return Ok(Self::Stdout) };
        let file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
        let file = file.map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => {
                Failure::fault(FaultKind::Conflict, format!("{} exists already", place::shown(path)))
                    .hint("name another file, or remove that one")
            }
            _ => unwritable(path, &error),
        })?;
        Ok(Self::File { file: std::io::BufWriter::new(file), path: path.to_owned() })
    }

    fn write(&mut self, line: &str, printer: &mut Printer) -> Result<(), Failure> {
        match self {
            Self::Stdout => printer.line(line),
            Self::File { file, path } => writeln!(file, "{line}").map_err(|error| unwritable(path, &error)),
        }
    }

    /// It is on disk when this returns.
    fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Stdout => Ok(()),
            Self::File { mut file, path } => {
                file.flush().and_then(|()| file.get_ref().sync_all()).map_err(|error| unwritable(&path, &error))
            }
        }
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::fault(FaultKind::Unavailable, format!("{} cannot be written ({error})", place::shown(path)))
}
