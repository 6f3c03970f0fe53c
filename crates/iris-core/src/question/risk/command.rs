//! The risk of a line for a shell. It is read as words, without the quotes and backslashes that a shell takes away, and
//! rated up by what is found in it; only a closed list of commands is ever rated low.

use super::{Judged, PATTERN, PATTERNS, Place, leaves};
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
const INTERPRETERS: [&str; 16] = [
    "python",
    "pypy",
    "perl",
    "ruby",
    "node",
    "nodejs",
    "deno",
    "bun",
    "php",
    "lua",
    "rscript",
    "osascript",
    "pwsh",
    "xargs",
    "parallel",
    "source",
];
/// Programs that run what stands in their words: by which letters of a flag, and by which first letters it is another one,
/// as in `perl -Mfeature`.
const INLINE: [(&str, &str, &str); 32] = [
    ("python", "c", "WXm"),
    ("pypy", "c", "WXm"),
    ("perl", "eE", "MmICF"),
    ("ruby", "e", "rIWKEC"),
    ("node", "ep", "rC"),
    ("nodejs", "ep", "rC"),
    ("bun", "ep", "r"),
    ("php", "rBRE", "dczf"),
    ("lua", "e", "l"),
    // By a word alone.
    ("deno", "", ""),
    ("rscript", "e", ""),
    ("osascript", "e", "l"),
    ("pwsh", "cCeE", "wWfFnN"),
    ("powershell", "cCeE", "wWfFnN"),
    ("ts-node", "ep", "rC"),
    ("tsx", "ep", "rC"),
    ("ipython", "c", ""),
    ("luajit", "e", "lj"),
    ("jruby", "e", "rIWKEC"),
    ("raku", "e", "MI"),
    ("julia", "eE", "tpJCLO"),
    ("elixir", "e", "rpS"),
    ("r", "e", ""),
    ("scala", "e", ""),
    ("groovy", "e", ""),
    ("clojure", "e", ""),
    ("clj", "e", ""),
    ("swift", "e", ""),
    ("erl", "", ""),
    ("emacs", "", ""),
    ("vim", "c", ""),
    ("nvim", "c", ""),
];
/// The same in words.
const INLINE_WORDS: [&str; 6] = ["--eval", "--print", "eval", "-eval", "--execute", "--rpc-eval"];
/// Their flags whose value is a word of its own.
const VALUED: [&str; 8] = ["-W", "-X", "-I", "-r", "-C", "-d", "--require", "--import"];
/// Words of awk that run a command.
const AWK: [&str; 4] = ["awk", "gawk", "mawk", "nawk"];
const AWK_RUNS: [&str; 2] = ["system", "getline"];
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
        .or_else(|| commands.iter().find_map(holds_program))
        .or_else(|| awk_runs(&commands))
        .or_else(|| empties(command, &commands))
        .or_else(|| commands.iter().find_map(|one| reaches(one, place)))
        .or_else(|| made_up(command))
        .or_else(|| (command.len() > LONG).then(|| format!("it is {} characters long", command.chars().count())));
    match why {
        Some(why) => Judged::high(why),
        None => look(command, place).unwrap_or_else(|| Judged::medium("it runs a command")),
    }
}

/// One command of a line.
#[derive(Debug, Default)]
struct Simple {
    /// What another wrote goes into it.
    is_fed: bool,
    words: Vec<String>,
    /// Which of them are values: they stand behind a `=`.
    values: Vec<usize>,
}

/// The commands of a line. Quotes and backslashes are taken away and what they held is read like the rest: a quoted command
/// may be run as well, and reading too much of it only rates it up.
fn simple_commands(command: &str) -> Vec<Simple> {
    let plain: String = command.replace("\\\n", "").chars().filter(|c| !matches!(c, '\\' | '\'' | '"')).collect();
    let mut commands = vec![Simple::default()];
    let (mut word, mut is_value) = (String::new(), false);
    for c in plain.chars().chain(Some('\n')) {
        let ends_command = ";|&()`{}\n".contains(c);
        if c.is_whitespace() || ends_command || "<>=,$".contains(c) {
            let last = commands.last_mut().expect("there is one");
            if !word.is_empty() {
                last.values.extend(is_value.then_some(last.words.len()));
                last.words.push(std::mem::take(&mut word));
            }
            is_value = matches!(c, '=' | ',') && !last.words.is_empty();
        } else {
            word.push(c);
        }
        if ends_command {
            let last = commands.last().expect("there is one");
            // `|&` and `| (` go on with a pipe; `||` is none.
            let goes_on = last.is_fed && last.words.is_empty();
            commands.push(Simple { is_fed: (c == '|') != goes_on, ..Simple::default() });
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

/// `python3.12` is python.
fn unnumbered(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

/// A program in the words of a command: `python3 -c …`. What it does is not read here.
fn holds_program(command: &Simple) -> Option<String> {
    command.words.iter().enumerate().find_map(|(at, word)| {
        let name = name(word);
        let name = unnumbered(&name);
        let (_, letters, others) = INLINE.iter().find(|(known, ..)| *known == name)?;
        let is_no_value = |(at, _): &(usize, &String)| !command.values.contains(at);
        let rest = command.words.iter().enumerate().skip(at + 1).filter(is_no_value);
        let mut rest = rest.map(|(_, word)| word);
        while let Some(flag) = rest.next() {
            if INLINE_WORDS.contains(&flag.as_str()) || is_inline(flag, letters, others) {
                return Some(format!("'{name} {flag}' runs a program that is not read here"));
            }
            // What follows the name of a script is the script's.
            if !flag.starts_with('-') {
                return None;
            }
            if VALUED.contains(&flag.as_str()) {
                rest.next();
            }
        }
        None
    })
}

fn is_inline(flag: &str, letters: &str, others: &str) -> bool {
    let Some(flags) = flag.strip_prefix('-').filter(|flags| !flags.starts_with('-')) else { return false };
    !flags.starts_with(|first| others.contains(first)) && flags.contains(|flag| letters.contains(flag))
}

fn awk_runs(commands: &[Simple]) -> Option<String> {
    let mut words = commands.iter().flat_map(|command| &command.words);
    words.find(|word| AWK.contains(&name(word).as_str()))?;
    let runs = words.find(|word| AWK_RUNS.contains(&word.as_str()))?;
    Some(format!("'{runs}' of awk runs a command"))
}

/// `> file` and `: > file`: nothing is written, so that all that was in it is gone.
fn empties(command: &str, commands: &[Simple]) -> Option<String> {
    let names = commands.iter().flat_map(|command| &command.words).map(|word| name(word));
    let is_run = names.into_iter().any(|name| SHELLS.contains(&name.as_str()));
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

fn destroys(command: &Simple) -> Option<String> {
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
    let names: Vec<String> = command.words.iter().map(|word| name(word)).collect();
    let shell = names.iter().find(|name| SHELLS.contains(&name.as_str()));
    let shell = shell.or_else(|| names.first().filter(|name| INTERPRETERS.contains(&unnumbered(name))));
    if let Some(shell) = shell.filter(|_| command.is_fed) {
        return Some(format!("'| {shell}' runs what it fetched or made up"));
    }
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

fn reaches(command: &Simple, place: Place<'_>) -> Option<String> {
    let word = REACHING.iter().find(|known| command.words.iter().any(|word| name(word) == **known));
    let elsewhere = |word: &&String| {
        let is_home = matches!(word.split('/').next(), Some("HOME" | "OLDPWD"));
        let is_outside = |path: &str| leaves(path, place) && !NOWHERE.contains(&path);
        is_home || is_outside(word) || glued(word).is_some_and(is_outside)
    };
    let path = || command.words.iter().find(elsewhere).map(|path| super::outside(path).why);
    word.map(|word| format!("it reaches out with {word}")).or_else(path)
}

/// Nothing is read or written there that is anybody's.
const NOWHERE: [&str; 3] = ["/dev/null", "/dev/stdout", "/dev/stderr"];
/// Flags with what separates columns, which is no path.
const SEPARATORS: [&str; 3] = ["-d/", "-F/", "-t/"];

/// What stands in one word with its flag: the path in `-f/etc/passwd`.
fn glued(word: &str) -> Option<&str> {
    let mut letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?.chars();
    letters.next()?;
    Some(letters.as_str()).filter(|rest| !rest.is_empty() && !SEPARATORS.contains(&word))
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
fn look(command: &str, place: Place<'_>) -> Option<Judged> {
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
            &[
                "ls -la src",
                "cat 'a file'",
                "grep -rn x src",
                "grep -n 'fn .*[a-z]{2}' src/main.rs",
                "grep --color=never x src",
                "du -sh src",
                "date",
                "date -u +%s",
                "echo hello",
                "rg -n x",
            ],
        );
    }

    #[test]
    fn where_a_pattern_or_a_link_in_a_folder_leads_cannot_be_known() {
        check(
            Risk::Medium,
            &[
                "cat d/*/passwd",
                "cat a*",
                "cat alin?",
                "cat [a]link",
                "cat {a,b}link",
                "cat 'a'*",
                "ls *.rs",
                "echo d/*/*",
                "grep -R root .",
                "grep -rnR root .",
                "grep --dereference-recursive root .",
                "grep --deref root .",
                "ls -L d",
                "ls -laL d",
                "ls --dereference d",
                "du -L .",
                "du --files0-from=list",
                "wc --files0=list",
                "stat -L d",
                "diff -r d e",
                "grep -rnf/etc/passwd x",
            ],
        );
    }

    #[test]
    fn what_stands_in_one_word_with_its_flag_is_read_like_a_word_of_its_own() {
        check(
            Risk::High,
            &["grep -f/etc/passwd x", "grep -f../x y", "grep -f~/x y", "grep --file=/etc/passwd x", "tar -C/ -xf a"],
        );
        check(Risk::Medium, &["cut -d/ -f2 x", "awk -F/ x", "make -j4", "tar -Cbuild -xf a"]);
        check(Risk::Low, &["head -n5 x", "head -c-5 x", "ls -w80"]);
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
                "git commit -m 'more\n> than before'",
                "git restore --staged x",
                "git commit -m 'Restore the old order'",
                "git checkout -b x",
                "git checkout main",
                "echo x >> y",
                "make 2> y",
                "cat > y <<EOF\n> **Note**\nEOF",
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
                "git checkout .",
                "git checkout HEAD .",
                "git checkout -f main",
                "git restore .",
                "git restore src/main.rs",
                "git -C site restore x",
                "git restore --staged --worktree x",
                ": > src/main.rs",
                ":> src/main.rs",
                "> src/main.rs",
                "make; >src/main.rs",
                "bash -c ': > x'",
                "cp /dev/null x",
                "cat /dev/null > x",
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

    #[test]
    fn a_program_in_the_words_of_a_command_is_not_read() {
        check(
            Risk::High,
            &[
                "python3 -c 'import os'",
                "python3.12 -Ic 'import os'",
                "env X=1 python -W ignore -c 'import os'",
                "perl -e 'unlink x'",
                "perl -i.bak -pe 's/a/b/' x",
                "ruby -rset -e 'p 1'",
                "node -e 'f()'",
                "node --eval 'f()'",
                "node -r ./x -p 1",
                "php -r 'f();'",
                "deno eval 'f()'",
                "node --input-type=module -e 'f()'",
                "node --max-old-space-size=4096 -e 'f()'",
                "node --eval='f()'",
                "perl -MFile::Path=remove_tree,make_path -e 'f()'",
                "php -d memory_limit=512M -r 'f();'",
                "python3 -X utf8=1 -c 'f()'",
                "npx tsx -e 'f()'",
                "ts-node -e 'f()'",
                "ipython -c 'f()'",
                "julia -e 'f()'",
                "elixir -e 'f()'",
                "bun -e 'f()'",
                "Rscript -e 'f()'",
                "R -e 'f()'",
                "lua -e 'f()'",
                "osascript -e 'f()'",
                "erl -noshell -eval 'f().'",
                "vim -es -c '!id' -c q",
                "python3 - <<'EOF'\nimport os\nEOF",
                "python3.12 <<EOF\nimport os\nEOF",
                "awk '{system($1)}' x",
                "awk 'BEGIN { \"date\" | getline x }'",
            ],
        );
        check(
            Risk::Medium,
            &[
                "python3 script.py",
                "python3 script.py -c x",
                "python3 -m pytest -c setup.cfg",
                "python3 -X dev script.py",
                "python3 --version",
                "perl -Mfeature script.pl",
                "ruby -rset x.rb",
                "node server.js -e production",
                "node --test",
                "node --max-old-space-size=4096 server.js -e production",
                "tsx server.ts -e production",
                "julia --project=. run.jl",
                "php -d memory_limit=1 x.php",
                "npm run node",
                "awk -F: '{print $1}' x",
            ],
        );
    }
}
