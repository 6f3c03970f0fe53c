//! The risk of a line for a shell. It is read as words, without the quotes and backslashes that a shell takes away, and
//! rated up by what is found in it; only a closed list of commands is ever rated low.

use super::{Judged, Place, leaves};
use crate::visible::acts;

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
/// Words that send something out, or bring something in that runs.
const REACHING: [&str; 20] = [
    "curl", "wget", "ssh", "scp", "sftp", "rsync", "nc", "ncat", "telnet", "ftp", "push", "publish", "deploy", "gh",
    "aws", "gcloud", "az", "mail", "sendmail", "release",
];
/// What runs whatever comes to it through a pipe.
const SHELLS: [&str; 8] = ["sh", "bash", "zsh", "dash", "ksh", "fish", "ash", "busybox"];
/// So do these, but their names are also ordinary words.
const INTERPRETERS: [&str; 9] = ["python", "python3", "perl", "ruby", "node", "php", "xargs", "parallel", "source"];
/// Words that destroy when they follow each other in one command, whatever stands between them.
const TOGETHER: [(&str, &str, &str); 10] = [
    ("reset", "--hard", "throws changes away"),
    ("checkout", "--", "throws changes away"),
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
/// Longer commands are not read to their end by everybody.
const LONG: usize = 2000;

pub(super) fn judge(command: &str, place: Place<'_>) -> Judged {
    if command.chars().any(|c| acts(c) && !matches!(c, '\n' | '\t')) {
        return super::hidden();
    }
    let commands = simple_commands(command);
    let why = commands
        .iter()
        .find_map(destroys)
        .or_else(|| commands.iter().find_map(|one| reaches(one, place)))
        .or_else(|| made_up(command))
        .or_else(|| (command.len() > LONG).then(|| format!("it is {} characters long", command.chars().count())));
    match why {
        Some(why) => Judged::high(why),
        None if only_looks(command) => Judged::low("it only looks"),
        None => Judged::medium("it runs a command"),
    }
}

/// One command of a line.
#[derive(Debug, Default)]
struct Simple {
    /// What another wrote goes into it.
    is_fed: bool,
    words: Vec<String>,
}

/// The commands of a line. Quotes and backslashes are taken away and what they held is read like the rest: a quoted command
/// may be run as well, and reading too much of it only rates it up.
fn simple_commands(command: &str) -> Vec<Simple> {
    let plain: String = command.replace("\\\n", "").chars().filter(|c| !matches!(c, '\\' | '\'' | '"')).collect();
    let mut commands = vec![Simple::default()];
    let mut word = String::new();
    for c in plain.chars().chain(Some('\n')) {
        let ends_command = ";|&()`{}\n".contains(c);
        if c.is_whitespace() || ends_command || "<>=,$".contains(c) {
            let last = commands.last_mut().expect("there is one");
            last.words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
        } else {
            word.push(c);
        }
        if ends_command {
            let last = commands.last().expect("there is one");
            // `|&` and `| (` go on with a pipe; `||` is none.
            let goes_on = last.is_fed && last.words.is_empty();
            commands.push(Simple { is_fed: (c == '|') != goes_on, words: Vec::new() });
        } else if c == '<' {
            commands.last_mut().expect("there is one").is_fed = true;
        }
    }
    commands.retain(|command| !command.words.is_empty());
    commands
}

/// The name of a program, without where it is.
fn name(word: &str) -> String {
    word.rsplit('/').next().unwrap_or(word).to_lowercase()
}

fn destroys(command: &Simple) -> Option<String> {
    let words: Vec<String> = command.words.iter().map(|word| word.to_lowercase()).collect();
    let follows = |first: &str, then: &str| {
        let at = words.iter().position(|word| word == first);
        at.is_some_and(|at| words[at + 1..].iter().any(|word| is_flag_or_word(word, then)))
    };
    if let Some((first, then, why)) = TOGETHER.iter().find(|(first, then, _)| follows(first, then)) {
        return Some(format!("'{first} {then}' {why}"));
    }
    if let Some((flag, why)) = FLAGS.iter().find(|(flag, _)| words.iter().any(|word| word == flag)) {
        return Some(format!("'{flag}' {why}"));
    }
    let names: Vec<String> = command.words.iter().map(|word| name(word)).collect();
    let shell = names.iter().find(|name| SHELLS.contains(&name.as_str()));
    let shell = shell.or_else(|| names.first().filter(|name| INTERPRETERS.contains(&name.as_str())));
    if let Some(shell) = shell.filter(|_| command.is_fed) {
        return Some(format!("'| {shell}' runs what it fetched or made up"));
    }
    // `mkfs.ext4` is one of them.
    let found = DESTROYING.iter().find(|known| names.iter().any(|name| name.split('.').next() == Some(known)));
    found.map(|word| format!("it uses {word}"))
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

fn reaches(command: &Simple, place: Place<'_>) -> Option<String> {
    let word = REACHING.iter().find(|known| command.words.iter().any(|word| name(word) == **known));
    let elsewhere = |word: &&String| {
        let is_home = matches!(word.split('/').next(), Some("HOME" | "OLDPWD"));
        (is_home || leaves(word, place)) && !matches!(word.as_str(), "/dev/null" | "/dev/stdout" | "/dev/stderr")
    };
    let path = || command.words.iter().find(elsewhere).map(|path| super::outside(path).why);
    word.map(|word| format!("it reaches out with {word}")).or_else(path)
}

/// What is run, or one of its words, is not what can be read here.
fn made_up(command: &str) -> Option<String> {
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

/// A command that looks, whatever its flags are.
const LOOKING: [&str; 11] = ["ls", "cat", "head", "tail", "wc", "grep", "pwd", "which", "stat", "du", "df"];
/// Commands that look, unless they have other flags than these.
const LOOKING_WITH: [(&str, &[&str]); 5] = [
    ("echo", &["-n", "-e", "-E"]),
    ("diff", &["-u", "-r", "-q", "-w", "-b", "-i", "-ru", "-ur"]),
    ("rg", &["-n", "-i", "-l", "-w", "-c", "-v", "-F", "-e", "-o", "-g", "-t", "-A", "-B", "-C", "-S", "-uu"]),
    ("file", &["-b", "-i", "-L"]),
    ("date", &["-u", "-R", "-I", "--utc", "--iso-8601"]),
];

/// Nothing but one known command, with flags that are known to be harmless.
fn only_looks(command: &str) -> bool {
    if command.contains([';', '|', '&', '`', '$', '>', '<', '\n', '(', '{', '\\']) {
        return false;
    }
    let Some(words) = shlex::split(command) else { return false };
    let Some((name, rest)) = words.split_first() else { return false };
    if LOOKING.contains(&name.as_str()) {
        return true;
    }
    let Some((_, flags)) = LOOKING_WITH.iter().find(|(known, _)| known == name) else { return false };
    // The time of the machine is set by a mere number.
    let is_harmless = |word: &String| match name.as_str() {
        "date" => word.starts_with('+') || flags.contains(&word.as_str()),
        _ => !word.starts_with('-') || flags.contains(&word.as_str()),
    };
    rest.iter().all(is_harmless)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::Risk;
    use crate::question::risk::as_written;

    fn check(expected: Risk, commands: &[&str]) {
        for command in commands {
            let judged = judge(command, Place { folder: "/srv/site", real: as_written });
            assert_eq!(judged.risk, expected, "{command:?}: {}", judged.why);
        }
    }

    #[test]
    fn a_closed_list_only_looks() {
        check(
            Risk::Low,
            &["ls -la src", "cat 'a file'", "grep -rn x src", "date", "date -u +%s", "echo hello", "rg -n x"],
        );
    }

    #[test]
    fn what_is_not_on_the_list_is_never_low() {
        check(
            Risk::Medium,
            &[
                "make",
                "lsof",
                "LS",
                "find . -name x",
                "x=1 ls",
                "ls > out",
                "cat <<< x",
                "date -s 12:00",
                "date 0101",
                "date --set=12:00",
                "rg --pre ./x y",
                "file -C -m x",
                "diff --output=x a b",
                "sed -i s/a/b/ x",
                "tee x",
                "git commit -m done",
                "echo \"a b\" | wc",
                "cargo test -- --nocapture",
                "bash build.sh",
                "make || bash build.sh",
                "cat package.json | grep node",
            ],
        );
    }

    #[test]
    fn quotes_spaces_and_backslashes_hide_nothing() {
        check(
            Risk::High,
            &[
                "git reset --hard",
                "git reset  --hard",
                "git\treset\t--hard HEAD~1",
                "git reset -q --hard",
                "git reset \\\n--hard",
                "git clean -fdx",
                "git clean -xdf",
                "git checkout -- .",
                "git branch -D x",
                "find . -delete",
                "find . -name x -exec ls {} +",
                "r\\m -rf x",
                "r''m x",
                "\"rm\" x",
                "r\\\nm x",
                "bash -c 'rm x'",
                "rm${IFS}x",
                "$(rm x)",
                "`rm x`",
                "x=$(rm y)",
                "mkfs.ext4 disk",
                "git push  --force",
            ],
        );
    }

    #[test]
    fn what_is_piped_into_a_shell_is_not_known() {
        check(
            Risk::High,
            &[
                "echo x | sh",
                "echo x |sh",
                "echo x|bash",
                "cat x | /bin/sh -s",
                "echo x |& sh",
                "cat x | env sh",
                "cat x | (sh)",
                "cat x |\nsh",
                "echo x | python3",
                "ls | xargs touch",
                "bash < x",
                "sh <<< x",
                "sh <(cat x)",
                "echo eA== | base64 -d",
                "$'\\x72\\x6d' x",
                "$cmd x",
                "a=r; b=m; $a$b x",
                "/bin/r? x",
                "cat $HOME/.netrc",
                "cat \"$HOME\"/x",
                "cat ~/.netrc",
                "cat --number=/etc/passwd",
            ],
        );
    }
}
