//! Commands that reach out of their folder, or for what cannot be read here.

use super::{Simple, name};
use crate::question::risk::{Place, leaves, outside};

/// Words that send something out, or bring something in that runs.
const REACHING: [&str; 20] = [
    "curl", "wget", "ssh", "scp", "sftp", "rsync", "nc", "ncat", "telnet", "ftp", "push", "publish", "deploy", "gh",
    "aws", "gcloud", "az", "mail", "sendmail", "release",
];
/// Nothing is read or written there that is anybody's.
const NOWHERE: [&str; 3] = ["/dev/null", "/dev/stdout", "/dev/stderr"];
/// Flags with what separates columns, which is no path.
const SEPARATORS: [&str; 3] = ["-d/", "-F/", "-t/"];

pub(super) fn reaches(command: &Simple, place: Place<'_>) -> Option<String> {
    let word = REACHING.iter().find(|known| command.words.iter().any(|word| name(word) == **known));
    let elsewhere = |word: &&String| {
        let is_home = matches!(word.split('/').next(), Some("HOME" | "OLDPWD"));
        let is_outside = |path: &str| leaves(path, place) && !NOWHERE.contains(&path);
        is_home || is_outside(word) || glued(word).is_some_and(is_outside)
    };
    let path = || command.words.iter().find(elsewhere).map(|path| outside(path).why);
    word.map(|word| format!("it reaches out with {word}")).or_else(path)
}

/// What stands in one word with its flag: the path in `-f/etc/passwd`.
pub(super) fn glued(word: &str) -> Option<&str> {
    let mut letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?.chars();
    letters.next()?;
    Some(letters.as_str()).filter(|rest| !rest.is_empty() && !SEPARATORS.contains(&word))
}

/// What is run, or one of its words, is not what can be read here.
pub(super) fn made_up(command: &str) -> Option<String> {
    if command.contains("$'") {
        return Some("it spells words in escapes".to_owned());
    }
    if command.contains(":(){") {
        return Some("it starts processes without end".to_owned());
    }
    let heads = command.split([';', '|', '&', '\n', '(', '`', '{']).map(str::trim_start);
    let is_made_up = |head: &str| {
        let word = head.split_whitespace().next().unwrap_or_default().trim_matches('"');
        word.starts_with('$') || (!word.contains('=') && word.contains(['*', '?', '[']) && word.len() > 2)
    };
    heads.into_iter().any(is_made_up).then(|| "which command it runs is known only when it runs".to_owned())
}
