//! The memory of one conversation: a journal of the messages it was sent, and what it has cost.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::arguments::Identity;
use super::input::UserMessage;
use super::output::Ids;
use super::script::Usage;

pub struct Conversation {
    pub id: String,
    pub turn: u64,
    pub totals: Totals,
    /// What the last result had told of; the next tells of the difference too.
    reported: Totals,
    /// None keeps the memory in the process only.
    directory: Option<PathBuf>,
    journal: Option<File>,
}

/// Sums over the whole conversation. They go on over a resume, as the real CLI's do.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize)]
pub struct Totals {
    pub cost: f64,
    pub usage: Usage,
}

#[derive(Debug, Error)]
pub enum OpenError {
    #[error("Error: Session ID {0} is already in use.")]
    InUse(String),
    #[error("No conversation found with session ID: {0}")]
    Unknown(String),
    #[error("Error: cannot keep the conversation in {path}: {source}", path = path.display())]
    Storage { path: PathBuf, source: io::Error },
}

#[derive(Serialize)]
struct Entry<'a> {
    turn: u64,
    uuid: Option<&'a str>,
    text: &'a str,
}

impl Conversation {
    pub fn open(identity: Identity, directory: Option<PathBuf>, ids: &mut Ids) -> Result<Self, OpenError> {
        if let Identity::Fork { of, id } = &identity {
            copy(directory.as_deref(), of, id)?;
        }
        let (id, resumed) = match identity {
            Identity::Fork { id, .. } => (id, true),
            Identity::Unnamed => (ids.uuid().as_str().to_owned(), false),
            Identity::New(id) => (id, false),
            Identity::Resumed(id) => (id, true),
        };
        let mut conversation =
            Self { id, turn: 0, totals: Totals::default(), reported: Totals::default(), directory, journal: None };
        match conversation.known()? {
            Some(turn) if resumed => conversation.turn = turn,
            Some(_) => return Err(OpenError::InUse(conversation.id)),
            None if resumed => return Err(OpenError::Unknown(conversation.id)),
            None => {}
        }
        if resumed {
            conversation.totals = conversation.load_totals();
            conversation.reported = conversation.totals;
        }
        Ok(conversation)
    }

    /// Numbers a message and writes it down, so that whatever happens to the reply, the message is known to have
    /// arrived. The journal begins with the first message: a process that was sent none leaves its id free.
    pub fn record(&mut self, message: &UserMessage) -> Result<u64, OpenError> {
        self.turn += 1;
        let Some(directory) = &self.directory else {
            return Ok(self.turn);
        };
        let entry = Entry { turn: self.turn, uuid: message.uuid.as_deref(), text: &message.text };
        let mut line = serde_json::to_vec(&entry).expect("an entry has string keys");
        line.push(b'\n');
        let path = journal_path(directory, &self.id);
        append(&mut self.journal, directory, &path, &line).map_err(|source| OpenError::Storage { path, source })?;
        Ok(self.turn)
    }

    /// Where it is kept, if it is.
    pub fn journal(&self) -> Option<PathBuf> {
        self.directory.as_deref().map(|directory| journal_path(directory, &self.id))
    }

    /// Adds what a turn cost. Free turns, the common case, touch no file.
    pub fn spend(&mut self, cost: f64, usage: Usage) -> Result<(), OpenError> {
        if cost == 0.0 && usage == Usage::default() {
            return Ok(());
        }
        self.totals.cost += cost;
        self.totals.usage.input += usage.input;
        self.totals.usage.output += usage.output;
        let Some(directory) = &self.directory else {
            return Ok(());
        };
        let path = totals_path(directory, &self.id);
        let text = serde_json::to_vec(&self.totals).expect("totals have string keys");
        fs::write(&path, text).map_err(|source| OpenError::Storage { path, source })
    }

    /// The number of the last turn in the journal; None when there is no journal.
    fn known(&self) -> Result<Option<u64>, OpenError> {
        let Some(directory) = &self.directory else {
            return Ok(None);
        };
        let path = journal_path(directory, &self.id);
        match fs::read(&path) {
            Ok(journal) => Ok(Some(last_turn(&journal))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(OpenError::Storage { path, source }),
        }
    }

    /// What was spent since this was last asked.
    pub fn spent_since_last_result(&mut self) -> Totals {
        let before = std::mem::replace(&mut self.reported, self.totals);
        Totals {
            cost: self.totals.cost - before.cost,
            usage: Usage {
                input: self.totals.usage.input - before.usage.input,
                output: self.totals.usage.output - before.usage.output,
            },
        }
    }

    fn load_totals(&self) -> Totals {
        self.directory
            .as_ref()
            .and_then(|directory| fs::read(totals_path(directory, &self.id)).ok())
            .and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_default()
    }
}

fn append(journal: &mut Option<File>, directory: &Path, path: &Path, line: &[u8]) -> io::Result<()> {
    let file = match journal {
        Some(file) => file,
        None => {
            fs::create_dir_all(directory)?;
            let mut file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
            if is_torn(&file)? {
                file.write_all(b"\n")?;
            }
            journal.insert(file)
        }
    };
    let written = file.write_all(line);
    if written.is_err() {
        *journal = None;
    }
    written
}

/// Whether the last line was never ended, because the disk was full or the process was killed: the next must not be glued to
/// it.
fn is_torn(file: &File) -> io::Result<bool> {
    let length = file.metadata()?.len();
    let mut last = [b'\n'];
    if length > 0 {
        file.read_exact_at(&mut last, length - 1)?;
    }
    Ok(last != [b'\n'])
}

/// A process that was killed in the middle of writing leaves a torn last line; the one before it counts.
fn last_turn(journal: &[u8]) -> u64 {
    #[derive(Deserialize)]
    struct Numbered {
        turn: u64,
    }
    journal
        .rsplit(|byte| *byte == b'\n')
        .find_map(|line| serde_json::from_slice::<Numbered>(line).ok())
        .map_or(0, |entry| entry.turn)
}

/// Every text the conversation was sent, also before this process.
pub fn texts(journal: &Path) -> Vec<String> {
    #[derive(Deserialize)]
    struct Said {
        text: String,
    }
    let journal = fs::read_to_string(journal).unwrap_or_default();
    journal.lines().filter_map(|line| serde_json::from_str::<Said>(line).ok()).map(|said| said.text).collect()
}

/// Copies a conversation under another id, unless that one has been begun already.
fn copy(directory: Option<&Path>, of: &str, id: &str) -> Result<(), OpenError> {
    let Some(directory) = directory else { return Err(OpenError::Unknown(of.to_owned())) };
    let (from, to) = (journal_path(directory, of), journal_path(directory, id));
    if to.exists() {
        return Err(OpenError::InUse(id.to_owned()));
    }
    fs::copy(&from, &to).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => OpenError::Unknown(of.to_owned()),
        _ => OpenError::Storage { path: to, source: error },
    })?;
    Ok(())
}

/// Takes away what is kept of a conversation, if anything is.
pub fn forget(directory: &Path, id: &str) -> io::Result<()> {
    for path in [journal_path(directory, id), totals_path(directory, id)] {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn journal_path(directory: &Path, id: &str) -> PathBuf {
    directory.join(format!("{id}.jsonl"))
}

fn totals_path(directory: &Path, id: &str) -> PathBuf {
    directory.join(format!("{id}.totals.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_is_forgotten_and_no_other() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let files = ["a.jsonl", "a.totals.json", "ab.jsonl"].map(|name| folder.path().join(name));
        for file in &files {
            fs::write(file, "{}").expect("written");
        }
        forget(folder.path(), "a").expect("forgotten");
        assert_eq!(files.map(|file| file.exists()), [false, false, true]);
        forget(folder.path(), "a").expect("nothing is there, which is as good");
    }

    #[test]
    fn what_follows_a_torn_line_is_a_line_of_its_own() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a.jsonl");
        fs::write(&path, "{\"turn\":1}\n{\"tu").expect("written");
        for line in ["{\"turn\":2}\n", "{\"turn\":3}\n"] {
            append(&mut None, folder.path(), &path, line.as_bytes()).expect("written");
        }
        let journal = fs::read_to_string(&path).expect("read");
        assert_eq!(journal, "{\"turn\":1}\n{\"tu\n{\"turn\":2}\n{\"turn\":3}\n");
    }

    #[test]
    fn a_torn_last_line_does_not_count() {
        assert_eq!(last_turn(b""), 0);
        assert_eq!(last_turn(b"{\"turn\":1}\n{\"turn\":2}\n"), 2);
        assert_eq!(last_turn(b"{\"turn\":1}\n{\"turn\":2}\n{\"tur"), 2);
    }
}
