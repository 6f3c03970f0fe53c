//! Commands that destroy something, or take power over it.

use super::program::{is_shell, runs_what_it_is_fed};
use super::{Simple, name};

/// Words that destroy or take power over what is not the folder's.
const DESTROYING: [&str; 31] = [
    "rm",
    "rmdir",
    "unlink",
    "shred",
    "dd",
    "mkfs",
    "wipefs",
    "fdisk",
    "sudo",
    "su",
    "doas",
    "chmod",
    "chown",
    "chattr",
    "kill",
    "pkill",
    "killall",
    "shutdown",
    "reboot",
    "systemctl",
    "crontab",
    "iptables",
    "mount",
    "umount",
    "eval",
    "exec",
    "truncate",
    "docker",
    "kubectl",
    "terraform",
    "nsenter",
];
/// Words that destroy when they follow each other in one command, whatever stands between them.
const TOGETHER: [(&str, &str, &str); 17] = [
    ("reset", "--hard", "throws changes away"),
    ("checkout", "--", "throws changes away"),
    ("checkout", ".", "throws changes away"),
    ("checkout", "./", "throws changes away"),
    ("checkout", "*", "throws changes away"),
    ("checkout", "-f", "throws changes away"),
    ("switch", "--discard-changes", "throws changes away"),
    ("cp", "/dev/null", "empties a file"),
    ("cat", "/dev/null", "empties a file"),
    ("clean", "-f", "deletes files"),
    ("branch", "-d", "deletes a branch"),
    ("stash", "drop", "throws changes away"),
    ("stash", "clear", "throws changes away"),
    ("drop", "table", "deletes data"),
    ("drop", "database", "deletes data"),
    ("delete", "from", "deletes data"),
    ("base64", "-d", "runs or writes what cannot be read here"),
];
/// Flags that destroy or run something, whatever has them.
const FLAGS: [(&str, &str); 8] = [
    ("--force", "forces"),
    ("--force-with-lease", "forces"),
    ("-delete", "deletes files"),
    ("--delete", "deletes files"),
    ("-exec", "runs a command on each file"),
    ("-execdir", "runs a command on each file"),
    ("-ok", "runs a command on each file"),
    ("--decode", "runs or writes what cannot be read here"),
];

pub(super) fn destroys(command: &Simple) -> Option<String> {
    let words: Vec<String> = command.words.iter().map(|word| word.to_lowercase()).collect();
    let follows = |first: &str, then: &str| {
        let at = words.iter().position(|word| word == first);
        at.is_some_and(|at| words[at + 1..].iter().any(|word| is_flag_or_word(word, then)))
    };
    if let Some((first, then, why)) = TOGETHER.iter().find(|(first, then, _)| follows(first, then)) {
        return Some(format!("'{first} {then}' {why}"));
    }
    let has = |wanted: &str| words.iter().any(|word| is_flag_or_word(word, wanted));
    // In the index alone nothing is lost.
    let is_staged = has("--staged") || has("-s");
    if of_git(&words) == Some("restore") && (!is_staged || has("--worktree") || has("-w")) {
        return Some("'git restore' throws changes away".to_owned());
    }
    if let Some((flag, why)) = FLAGS.iter().find(|(flag, _)| words.iter().any(|word| word == flag)) {
        return Some(format!("'{flag}' {why}"));
    }
    if let Some(why) = runs_what_it_is_fed(command) {
        return Some(why);
    }
    let names: Vec<String> = command.words.iter().map(|word| name(word)).collect();
    // `mkfs.ext4` is one of them.
    let found = DESTROYING.iter().find(|known| names.iter().any(|name| name.split('.').next() == Some(known)));
    found.map(|word| format!("it uses {word}"))
}

/// What git is to do, behind its own flags.
fn of_git(words: &[String]) -> Option<&str> {
    let mut rest = words.iter().skip_while(|word| name(word) != "git").skip(1);
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-c" => drop(rest.next()),
            flag if flag.starts_with('-') => {}
            verb => return Some(verb),
        }
    }
    None
}

/// `-f` is also in `-fdx`.
fn is_flag_or_word(word: &str, wanted: &str) -> bool {
    match (wanted.strip_prefix('-'), word.strip_prefix('-')) {
        (Some(letter), Some(letters)) if letter.len() == 1 && letter != "-" && !letters.starts_with('-') => {
            letters.contains(letter)
        }
        _ => word == wanted,
    }
}

/// `> file` and `: > file`: nothing is written, so that all that was in it is gone.
pub(super) fn empties(command: &str, commands: &[Simple]) -> Option<String> {
    let names = commands.iter().flat_map(|command| &command.words).map(|word| name(word));
    let is_run = names.into_iter().any(|name| is_shell(&name));
    let mut quote = None;
    let mut before = String::new();
    let mut rest = command.chars().peekable();
    while let Some(c) = rest.next() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => before.push(c),
            // What a shell is given in quotes is run as well.
            (None, '\'' | '"') if !is_run => quote = Some(c),
            // What follows is a text, and no command.
            (None, '<') if rest.peek() == Some(&'<') => return None,
            (None, ';' | '|' | '&' | '(' | '{' | '\n' | '\'' | '"') => before.clear(),
            (None, '>') if !matches!(rest.peek(), Some('&' | '>' | '=')) && writes_nothing(&before) => {
                return Some("'>' with nothing before it empties a file".to_owned());
            }
            _ => before.push(c),
        }
    }
    None
}

fn writes_nothing(before: &str) -> bool {
    matches!(before.trim(), "" | ":" | "true" | "printf" | "echo -n")
}
