//! Commands that only look: a closed list.

use super::reach::glued;
use crate::question::risk::{Judged, PATTERN, PATTERNS, Place, leaves};

/// Commands that look, with the flags by which they go where links or lists of names lead: in letters, and in words.
const LOOKING: [(&str, &str, &[&str]); 11] = [
    ("ls", "LH", &["dereference", "dereference-command-line", "dereference-command-line-symlink-to-dir"]),
    ("cat", "", &[]),
    ("head", "", &[]),
    ("tail", "", &[]),
    ("wc", "", &["files0-from"]),
    ("grep", "ROS", &["dereference-recursive"]),
    ("pwd", "", &[]),
    ("which", "", &[]),
    ("stat", "L", &["dereference"]),
    ("du", "LDH", &["dereference", "dereference-args", "files0-from"]),
    ("df", "", &[]),
];
/// Commands that look, unless they have other flags than these.
const LOOKING_WITH: [(&str, &[&str]); 4] = [
    ("echo", &["-n", "-e", "-E"]),
    ("rg", &["-n", "-i", "-l", "-w", "-c", "-v", "-F", "-e", "-o", "-g", "-t", "-A", "-B", "-C", "-S", "-uu"]),
    ("file", &["-b", "-i", "-L"]),
    ("date", &["-u", "-R", "-I", "--utc", "--iso-8601"]),
];

/// Nothing but one known command, with flags that are known to be harmless. `diff` is none: it follows every link in the
/// folders it compares.
pub(super) fn look(command: &str, place: Place<'_>) -> Option<Judged> {
    if command.contains([';', '|', '&', '`', '$', '>', '<', '\n', '(', '\\']) {
        return None;
    }
    let words = shlex::split(command)?;
    let (name, rest) = words.split_first()?;
    let follows = match LOOKING.iter().find(|(known, ..)| known == name) {
        Some((_, letters, long)) => rest.iter().any(|word| has_flag(word, letters, long)),
        None if has_harmless_flags(name, rest) => false,
        None => return None,
    };
    Some(if has_pattern(command) {
        Judged::medium(PATTERN)
    } else if follows || rest.iter().any(|word| may_hold_outside(word, place)) {
        Judged::medium("where its flags lead it cannot be known")
    } else {
        Judged::low("it only looks")
    })
}

/// Whether a word is a flag with one of these letters, or the beginning of one of these: a long flag may be cut short.
fn has_flag(word: &str, letters: &str, long: &[&str]) -> bool {
    match (word.strip_prefix("--"), word.strip_prefix('-')) {
        (Some(name), _) => {
            let name = name.split('=').next().unwrap_or(name);
            !name.is_empty() && long.iter().any(|known| known.starts_with(name))
        }
        (None, Some(flags)) => flags.contains(|flag| letters.contains(flag)),
        (None, None) => false,
    }
}

/// Whether a shell would put the names of files in place of a word. It does so only outside of quotes.
fn has_pattern(command: &str) -> bool {
    let mut quote = None;
    command.chars().any(|c| {
        match quote {
            Some(open) if open == c => quote = None,
            None if matches!(c, '\'' | '"') => quote = Some(c),
            _ => {}
        }
        quote.is_none() && PATTERNS.contains(&c)
    })
}

/// Longer flags are not looked through.
const LONG_FLAG: usize = 100;

/// A path may stand behind any number of letters: `-rnf/etc/passwd`. Which are letters is known only to the command.
fn may_hold_outside(word: &str, place: Place<'_>) -> bool {
    let Some(rest) = glued(word) else { return false };
    rest.len() > LONG_FLAG || rest.char_indices().any(|(at, _)| leaves(&rest[at..], place))
}

fn has_harmless_flags(name: &str, rest: &[String]) -> bool {
    let Some((_, flags)) = LOOKING_WITH.iter().find(|(known, _)| *known == name) else { return false };
    // The time of the machine is set by a mere number.
    let is_harmless = |word: &String| match name {
        "date" => word.starts_with('+') || flags.contains(&word.as_str()),
        _ => !word.starts_with('-') || flags.contains(&word.as_str()),
    };
    rest.iter().all(is_harmless)
}
