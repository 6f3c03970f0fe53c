//! `iris restore`: a backup back into a home that nobody uses. What was there is kept.

use std::path::PathBuf;

use iris_engine::backup::{Proof, Restored, is_on_postgres, restore};
use iris_engine::home::Home;

use super::Context;
use crate::confirm::{Consent, confirm};
use crate::exit::Exit;
use crate::failure::{Failure, Why};
use crate::{moment, place};

/// Put a backup back; what was there before is kept aside
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris restore iris-backup-2025-11-15T20-14-05.tar   into ~/.iris
  iris --home /srv/iris restore backup.tar           into another home
  iris restore backup.tar --yes                      without asking
  iris restore ~/.iris/data/iris-before-upgrade-from-7.db
                                                     the database alone, as it was before an upgrade

Iris must not be running for that home. What is replaced is kept beside it, also a database that is damaged. If config.yaml \
names a PostgreSQL database, it goes in there in one transaction, config.yaml stays as it is, and no other daemon may be at \
work on it.")]
pub struct RestoreArguments {
    /// The backup, or a database of Iris by itself
    file: PathBuf,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

pub async fn run(arguments: RestoreArguments, context: &mut Context) -> Result<Exit, Failure> {
    let home = Home::at(&context.home);
    // Looked at before anything is asked or made.
    if let Some(holder) = home.holder() {
        let message = format!("iris is running for {} ({holder})", place::shown(home.root()));
        return Err(Failure::new(Why::AlreadyRunning, message).hint("stop it first, then restore"));
    }
    let file = place::absolute(&arguments.file);
    if let Err(source) = std::fs::metadata(&file) {
        return Err(iris_engine::backup::BackupError::Io { path: file, source }.into());
    }
    let shown = place::shown(home.root());
    let replaced = match is_on_postgres(&home.config()) {
        true => Some(format!("the PostgreSQL database of {shown}")),
        false => home.database().exists().then_some(shown),
    };
    if let Some(replaced) = replaced {
        let question = format!("replace what is in {replaced} (it is kept aside)?");
        confirm(&mut context.printer, Consent::from_flag(arguments.yes), &question)?;
    }
    let home = Home::prepare(&context.home)?;
    // A connection to PostgreSQL waits by itself, which no thread of the runtime may.
    let restored = tokio::task::spawn_blocking(move || restore(&home, &file)).await;
    let restored = restored.map_err(|error| Failure::internal(error.to_string()))??;
    report(&restored, context)?;
    Ok(Exit::Done)
}

fn report(restored: &Restored, context: &mut Context) -> Result<(), Failure> {
    let home = context.home.clone();
    let (manifest, printer) = (&restored.manifest, &mut context.printer);
    if printer.is_json() {
        let kept: Vec<String> = restored.kept.iter().map(|path| path.display().to_string()).collect();
        return printer.json(&serde_json::json!({
            "home": home.display().to_string(), "version": manifest.version, "schema": manifest.schema,
            "madeAt": manifest.made_at, "kept": kept, "damage": restored.damage,
            "waitingTurns": restored.waiting_turns, "configOfBackup": restored.config.as_ref().map(|path| path.display().to_string()),
            "databaseOnly": restored.proof == Proof::DatabaseOnly, "checked": restored.proof != Proof::Unlisted,
        }));
    }
    let (made, shown) = (moment::date(manifest.made_at), place::shown(&home));
    match restored.proof {
        Proof::DatabaseOnly => {
            printer.line(format!("restored the database of {shown} as of {made} (schema {})", manifest.schema))?;
            printer.line("the config and what agents keep are as they were: a database holds neither")?;
        }
        Proof::Listed | Proof::Unlisted => {
            printer.line(format!("restored {shown} from the backup of {made} (iris {})", manifest.version))?;
        }
    }
    if restored.proof == Proof::Unlisted {
        printer.line("it is of an older iris and lists no digests: only its database could be checked")?;
    }
    if let Some(damage) = &restored.damage {
        printer.line(format!("what was there could not be read ({damage}) and is kept as it was found"))?;
        printer.line("so nobody knows its last event: numbers of events go on far above those of the backup")?;
    }
    for path in &restored.kept {
        printer.line(format!("kept what was there before: {}", place::shown(path)))?;
    }
    if let Some(config) = &restored.config {
        printer.line(format!(
            "config.yaml stays: it says which database this is; the backup's is {}",
            place::shown(config)
        ))?;
    }
    match restored.waiting_turns {
        0 => {}
        1 => printer.line("1 turn waited then and runs when Iris starts, also if it has run since")?,
        some => printer
            .line(format!("{some} turns waited then and run when Iris starts, also those that have run since"))?,
    }
    printer.line("start it with `iris up`")
}
