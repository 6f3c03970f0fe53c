//! Programs in a command: in its words, or fed to something that runs them.

use super::{Simple, name};

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

/// A program in the words of a command: `python3 -c …`. What it does is not read here.
pub(super) fn holds_program(command: &Simple) -> Option<String> {
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

pub(super) fn awk_runs(commands: &[Simple]) -> Option<String> {
    let mut words = commands.iter().flat_map(|command| &command.words);
    words.find(|word| AWK.contains(&name(word).as_str()))?;
    let runs = words.find(|word| AWK_RUNS.contains(&word.as_str()))?;
    Some(format!("'{runs}' of awk runs a command"))
}

/// `python3.12` is python.
fn unnumbered(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

/// What runs what goes into it.
pub(super) fn runs_what_it_is_fed(command: &Simple) -> Option<String> {
    let names: Vec<String> = command.words.iter().map(|word| name(word)).collect();
    let shell = names.iter().find(|name| is_shell(name));
    let shell = shell.or_else(|| names.first().filter(|name| INTERPRETERS.contains(&unnumbered(name))));
    shell.filter(|_| command.is_fed).map(|shell| format!("'| {shell}' runs what it fetched or made up"))
}

pub(super) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}
