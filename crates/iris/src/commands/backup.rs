//! `iris backup`: the whole home in one file, also while it is in use.

use std::path::PathBuf;

use iris_api::status::{BackupRequest, BackupResponse};
use iris_core::fault::FaultKind;
use iris_engine::backup::{BreakOff, back_up};
use iris_engine::home::Home;
use iris_engine::wall_ms;

use super::Context;
use crate::client::Client;
use crate::exit::Exit;
use crate::failure::{Failure, Why};
use crate::interrupt::CtrlC;
use crate::{moment, place};

/// Write everything Iris knows into one file, also while it runs
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris backup                       iris-backup-<date>.tar in this folder
  iris backup /backups/iris.tar     a file that is not there yet
  iris --home /srv/iris backup      another home

In it are the database, the config, and the conversations of teams with `home: own`. What Claude Code keeps in your own \
home (~/.claude/projects) is not: back that up beside it, or a restored conversation begins anew, and says so. With a shared \
PostgreSQL it is the same file: its tables at one moment, and what this host has.

Put it back with `iris restore FILE`.")]
pub struct BackupArguments {
    /// The file to write
    file: Option<PathBuf>,
}

pub async fn run(arguments: BackupArguments, context: &mut Context) -> Result<Exit, Failure> {
    let file = arguments.file.unwrap_or_else(|| format!("iris-backup-{}.tar", moment::in_file_name(wall_ms())).into());
    let file = place::absolute(&file);
    let client = context.client();
    let made = match client.finds_a_daemon() {
        true => through(&client, file).await?,
        false => directly(&Home::at(&context.home), file).await?,
    };
    if context.printer.is_json() {
        context.printer.json(&made)?;
    } else {
        let path = place::shown(made.path.as_ref());
        context.printer.line(format!("wrote {path} ({}, schema {})", size(made.bytes), made.schema))?;
    }
    Ok(Exit::Done)
}

async fn through(client: &Client, file: PathBuf) -> Result<BackupResponse, Failure> {
    let request = BackupRequest { path: file.display().to_string() };
    Ok(client.post(&["backup"], &request).await?)
}

async fn directly(home: &Home, file: PathBuf) -> Result<BackupResponse, Failure> {
    if !home.root().is_dir() {
        let shown = place::shown(home.root());
        return Err(Failure::fault(FaultKind::NotFound, format!("there is no Iris in {shown}"))
            .hint("name its home with --home or IRIS_HOME"));
    }
    let mut ctrl_c = CtrlC::listen()?;
    let break_off = BreakOff::default();
    let mut making = std::pin::pin!(back_up(home, file, &break_off));
    let made = tokio::select! {
        made = &mut making => made?,
        () = ctrl_c.pressed() => {
            // It takes away what it began, and that is waited for.
            break_off.store(true, std::sync::atomic::Ordering::Relaxed);
            making.await.ok();
            return Err(Failure::new(Why::BrokenOff, "no backup was made"));
        }
    };
    Ok(BackupResponse { path: made.path.display().to_string(), bytes: made.bytes, schema: made.manifest.schema })
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{} KiB", bytes / 1024),
        _ => format!("{}.{} MiB", bytes / 1_048_576, bytes % 1_048_576 * 10 / 1_048_576),
    }
}
