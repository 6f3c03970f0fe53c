//! Changing a CLI's list of servers, with a copy of it as it was.

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use iris_core::fault::FaultKind;
use serde_json::Value;
use tokio::process::Command;
use tokio::time::timeout;

use super::entry::{changes, is_address, is_ours, kept_home, shown_entry, updated};
use super::{Agent, Done, Entry, Outcome, Registry};
use crate::failure::{Failure, no_room};
use crate::{moment, place};

/// How long a CLI may take for one command.
const LIMIT: Duration = Duration::from_secs(60);

pub async fn add(registry: &Registry, entry: &Entry, home: &Path, dry_run: bool) -> Result<Done, Failure> {
    let before = registry.text()?;
    let found = registry.find(before.as_deref().unwrap_or_default())?;
    let usual = registry.written(entry);
    let ours = found.as_ref().filter(|found| is_ours(found));
    let wanted = ours.map_or_else(|| usual.clone(), |found| updated(found, &usual));
    let outcome = match &found {
        None => Outcome::Added,
        Some(found) if *found == wanted => Outcome::Already,
        Some(found) if is_ours(found) => Outcome::Updated,
        Some(found) => return Err(somebody_elses(registry, found)),
    };
    // Whether it can be written is found out before anything is touched.
    registry.put(before.as_deref().unwrap_or_default(), &wanted)?;
    // What its user put into an entry may be secret, and everybody sees the words of a command.
    let mut commands: Vec<_> = registry.add_command(&wanted).filter(|_| wanted == usual).into_iter().collect();
    if outcome == Outcome::Updated && !commands.is_empty() {
        // It refuses to add what is there.
        commands.splice(0..0, registry.remove_command());
    }
    let mut done = Done::new(registry, outcome, dry_run);
    done.entry = Some(shown_entry(&wanted));
    done.notes = ours.map(|found| changes(found, &wanted)).unwrap_or_default();
    done.notes.extend(kept_home(&wanted, &usual));
    let copies = registry.copies(home);
    Change { registry, copies, before, commands, wanted: Some(wanted) }.make(done).await
}

pub async fn remove(registry: &Registry, home: &Path, dry_run: bool) -> Result<Done, Failure> {
    let before = registry.text()?;
    let outcome = match registry.find(before.as_deref().unwrap_or_default())? {
        None => Outcome::Absent,
        Some(found) if is_ours(&found) => Outcome::Removed,
        Some(found) => return Err(somebody_elses(registry, &found)),
    };
    registry.take(before.as_deref().unwrap_or_default())?;
    let commands = registry.remove_command().into_iter().collect();
    let done = Done::new(registry, outcome, dry_run);
    let copies = registry.copies(home);
    Change { registry, copies, before, commands, wanted: None }.make(done).await
}

impl Done {
    fn new(registry: &Registry, outcome: Outcome, dry_run: bool) -> Self {
        let Registry { agent, scope, file, .. } = registry;
        let (agent, scope, file) = (*agent, *scope, file.clone());
        Self {
            agent,
            scope,
            outcome,
            dry_run,
            file,
            backup: None,
            commands: Vec::new(),
            entry: None,
            notes: Vec::new(),
        }
    }
}

struct Change<'a> {
    registry: &'a Registry,
    /// What its copies are called, up to the time.
    copies: PathBuf,
    before: Option<String>,
    commands: Vec<Vec<OsString>>,
    /// The entry that there is afterwards.
    wanted: Option<Value>,
}

impl Change<'_> {
    async fn make(self, mut done: Done) -> Result<Done, Failure> {
        if matches!(done.outcome, Outcome::Already | Outcome::Absent) {
            return Ok(done);
        }
        done.commands = self.commands.iter().map(|words| shown(words)).collect();
        if done.dry_run {
            return Ok(done);
        }
        let file = &self.registry.file;
        let failed = |error: std::io::Error| Failure {
            hint: no_room(&error).map(str::to_owned),
            ..Failure::fault(FaultKind::Unavailable, format!("{} cannot be written ({error})", place::shown(file)))
        };
        let is_ours_alone = self.is_ours_alone()?;
        if self.before.is_some() && !is_ours_alone {
            done.backup = Some(copy(file, &self.copies).map_err(failed)?);
        }
        if self.commands.is_empty() {
            write(file, &self.changed_text()?, self.registry.new_mode()).map_err(failed)?;
        } else if let Err(why) = self.by_the_cli().await {
            write(file, &self.changed_text()?, self.registry.new_mode()).map_err(failed)?;
            done.notes.push(format!("the CLI did not do it ({why}), so the file was written"));
            done.commands.clear();
        }
        if is_ours_alone && self.registry.text()?.is_some_and(|text| self.registry.is_empty(&text)) {
            std::fs::remove_file(file).map_err(failed)?;
            // A folder in which something else is stays.
            self.registry.own_folder.as_ref().map(std::fs::remove_dir);
            done.notes.push("nothing else was in the file, so it is gone".to_owned());
        }
        Ok(done)
    }

    /// Whether the file is there only because of the entry that goes: nothing else is in it, and no copy shows that it was
    /// there with nothing in it before. Other copies are of a file that had more, or of an entry that was updated.
    fn is_ours_alone(&self) -> Result<bool, Failure> {
        let (None, Some(before)) = (&self.wanted, &self.before) else { return Ok(false) };
        Ok(self.registry.is_empty(&self.registry.take(before)?)
            && ![&self.copies, &self.registry.file].into_iter().flat_map(|of| list_copies(of)).any(|copy| {
                let text = std::fs::read_to_string(copy).unwrap_or_default();
                self.registry.is_empty(&text) && matches!(self.registry.find(&text), Ok(None))
            }))
    }

    /// The file as it is now, with the entry or without it: the CLI may have written other things into it meanwhile.
    fn changed_text(&self) -> Result<String, Failure> {
        let now = self.registry.text()?.unwrap_or_default();
        match &self.wanted {
            Some(entry) => self.registry.put(&now, entry),
            None => self.registry.take(&now),
        }
    }

    /// Done only if the file says so afterwards.
    async fn by_the_cli(&self) -> Result<(), String> {
        for words in &self.commands {
            run(words).await?;
        }
        let text = self.registry.text().map_err(|failure| failure.message)?.unwrap_or_default();
        let found = self.registry.find(&text).map_err(|failure| failure.message)?;
        if found == self.wanted { Ok(()) } else { Err("it said it had, but the file does not show it".to_owned()) }
    }
}

fn somebody_elses(registry: &Registry, found: &Value) -> Failure {
    let what = format!("a server called iris in {} does not start `iris mcp`", place::shown(&registry.file));
    let whose = if is_address(found) { "it may be Iris MCP's; " } else { "" };
    let how = match registry.agent {
        Agent::Claude => format!("run `claude mcp remove --scope {} iris`", registry.scope_word()),
        Agent::Codex => "run `codex mcp remove iris`".to_owned(),
    };
    let hint = format!("it was left alone; {whose}if you do not need it, {how}, and then this again");
    Failure::fault(FaultKind::Conflict, what).hint(hint)
}

async fn run(words: &[OsString]) -> Result<(), String> {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(Stdio::null()).kill_on_drop(true);
    match timeout(LIMIT, command.output()).await {
        Err(_) => Err(format!("no answer within {} s", LIMIT.as_secs())),
        Ok(Err(error)) => Err(error.to_string()),
        Ok(Ok(output)) if output.status.success() => Ok(()),
        Ok(Ok(output)) => {
            let said = String::from_utf8_lossy(&output.stderr).trim().lines().last().unwrap_or_default().to_owned();
            Err(if said.is_empty() { output.status.to_string() } else { said })
        }
    }
}

/// As it could be typed.
fn shown(words: &[OsString]) -> String {
    let plain = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c));
    let quoted = words.iter().map(|word| word.to_string_lossy()).map(|word| match plain(&word) {
        true => word.into_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    });
    quoted.collect::<Vec<_>>().join(" ")
}

fn list_copies(file: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let begin = format!("{}.before-iris-", file.file_name().unwrap_or_default().to_string_lossy());
    let beside = file.parent().and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let copies = beside.filter(move |entry| entry.file_name().to_string_lossy().starts_with(&begin));
    copies.map(|entry| entry.path())
}

/// With the time in its name, and for the same eyes only.
fn copy(file: &Path, copies: &Path) -> std::io::Result<PathBuf> {
    let stamp = moment::in_file_name(iris_engine::wall_ms());
    let name = copies.file_name().unwrap_or_default().to_string_lossy();
    if let Some(folder) = copies.parent() {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let free = (0..).map(|count: u32| match count {
        0 => format!("{name}.before-iris-{stamp}"),
        count => format!("{name}.before-iris-{stamp}-{count}"),
    });
    let copy =
        free.map(|name| copies.with_file_name(name)).find(|copy| !copy.exists()).expect("numbers do not run out");
    // Takes the mode along, so that it is never more open than the file. Half a copy is none.
    std::fs::copy(file, &copy).inspect_err(|_| drop(std::fs::remove_file(&copy)))?;
    Ok(copy)
}

/// In one step: whoever looks meanwhile sees the old file or the new one. One that was there keeps its mode.
fn write(file: &Path, text: &str, new_mode: u32) -> std::io::Result<()> {
    let mode = std::fs::metadata(file).ok().map(|found| found.permissions().mode());
    let missing: Vec<_> = file.ancestors().skip(1).take_while(|folder| !folder.exists()).collect();
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".iris-new");
    let beside = file.with_file_name(name);
    let write = || {
        file.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        let first = mode.map_or(new_mode, |_| 0o600);
        let mut new = std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(first).open(&beside)?;
        new.write_all(text.as_bytes())?;
        mode.map_or(Ok(()), |mode| new.set_permissions(std::fs::Permissions::from_mode(mode)))?;
        new.sync_all()?;
        std::fs::rename(&beside, file)
    };
    // On a full disk an empty one would stay, and the folders that were made for it.
    write().inspect_err(|_| {
        drop(std::fs::remove_file(&beside));
        missing.iter().for_each(|folder| drop(std::fs::remove_dir(folder)));
    })
}
