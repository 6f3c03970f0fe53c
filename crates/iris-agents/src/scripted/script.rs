//! The script: its shape, loading it, and saying where it is wrong.

mod scalar;
mod step;

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;

pub use scalar::{Delay, Hang, Pattern};
pub use step::*;

use super::text::Template;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    #[serde(default = "default_model")]
    pub model: String,
    #[serde(default)]
    pub start: Start,
    #[serde(default)]
    pub replies: Vec<Reply>,
    #[serde(default = "echo")]
    pub default: Vec<Step>,
}

/// What happens before the first line is read.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    #[serde(default)]
    pub delay: Delay,
    #[serde(default)]
    pub stderr: Option<String>,
    #[serde(default)]
    pub exit: Option<StartExit>,
    /// Reads everything and answers nothing.
    #[serde(default)]
    pub silent: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartExit {
    #[serde(default = "one")]
    pub code: u8,
    #[serde(default)]
    pub stderr: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    #[serde(rename = "match")]
    pub pattern: Pattern,
    #[serde(rename = "do")]
    pub steps: Vec<Step>,
}

#[derive(Debug, Error)]
pub enum ScriptError {
    #[error("cannot read the script {path}: {source}", path = path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{path}:{line}:{column}: {message}", path = path.display())]
    Wrong { path: PathBuf, line: u64, column: u64, message: String },
}

pub fn load(path: &Path) -> Result<Script, ScriptError> {
    let text = fs::read_to_string(path).map_err(|source| ScriptError::Read { path: path.to_owned(), source })?;
    parse(&text).map_err(|error| wrong(path, &error))
}

fn parse(text: &str) -> Result<Script, serde_saphyr::Error> {
    // `yes` and `no` are words, which scripts offer as options.
    let options = serde_saphyr::options! { with_snippet: false, strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options)
}

fn wrong(path: &Path, error: &serde_saphyr::Error) -> ScriptError {
    let (line, column) = error.location().map_or((1, 1), |at| (at.line(), at.column()));
    let told = error.to_string();
    let suffix = format!(" at line {line}, column {column}");
    ScriptError::Wrong {
        path: path.to_owned(),
        line,
        column,
        message: in_the_author_s_words(told.strip_suffix(&suffix).unwrap_or(&told)),
    }
}

/// The only enum of a script is the step, and "variant" is our word for it.
fn in_the_author_s_words(message: &str) -> String {
    [
        ("unknown variant", "unknown step"),
        ("expected end of mapping after enum variant value", "a step has one key; begin the next one with a dash"),
        (
            "cannot deserialize null into string; use Option<String>",
            "a text is missing here; one without words is \"\"",
        ),
        ("invalid boolean (strict mode expects true/false)", "write true or false"),
    ]
    .into_iter()
    .fold(message.to_owned(), |message, (ours, theirs)| message.replace(ours, theirs))
}

fn default_model() -> String {
    "scripted-1".to_owned()
}

fn echo() -> Vec<Step> {
    vec![Step::Say(Template::new("{{text}}".to_owned()))]
}

fn one() -> u8 {
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let error = parse(text).expect_err("the script is wrong");
        assert_eq!(wrong(Path::new("s.yaml"), &error).to_string(), expected);
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        check("replays: []\n", "s.yaml:1:1: unknown field `replays`, expected one of model, start, replies, default");
        check("replies:\n  - match: \"(\"\n    do: []\n", "s.yaml:2:12: `(` is no regular expression: unclosed group");
        check(
            "default:\n  - delay: 5 parsecs\n",
            "s.yaml:2:12: `5 parsecs` is no delay: give milliseconds, or a text like 50ms, 2s, 1m",
        );
        check(
            "default:\n  - tool: {nome: Bash}\n",
            "s.yaml:2:12: unknown field `nome`, expected one of name, input, result, error, delay",
        );
        check("default:\n  - garbage: {bytes: f}\n", "s.yaml:2:14: `f` is no list of hexadecimal bytes");
        check(
            "default:\n  - say: hello\n    delay: 5\n",
            "s.yaml:3:5: a step has one key; begin the next one with a dash",
        );
        check("default:\n  - say: [\n", "s.yaml:2:10: expected string scalar");
        check("default:\n  - say: ~\n", "s.yaml:2:10: a text is missing here; one without words is \"\"");
        check("default:\n  - ask: {question: a, multi: yes}\n", "s.yaml:2:31: write true or false");
    }

    #[test]
    fn what_is_offered_is_what_is_written() {
        let script = parse("default: [{ ask: { question: Go?, options: [yes, no, 2, true] } }]").expect("a script");
        let [Step::Ask(ask)] = script.default.as_slice() else { panic!("{script:?}") };
        let labels: Vec<_> = ask.options.iter().map(|option| format!("{:?}", option.label)).collect();
        let words = ["yes", "no", "2", "true"].map(|word| format!("{:?}", Template::new(word.to_owned())));
        assert_eq!(labels, words);
    }

    #[test]
    fn an_unknown_step_is_told_with_all_known_ones() {
        let error = parse("default:\n  - say: hello\n  - dance: true\n").expect_err("the script is wrong");
        let told = wrong(Path::new("s.yaml"), &error).to_string();
        assert!(told.starts_with("s.yaml:3:5: unknown step `dance`, expected one of say, think, "), "{told}");
    }

    #[test]
    fn an_empty_script_echoes() {
        let script = parse("{}").expect("nothing is required");
        assert_eq!(script.default.len(), 1);
        assert_eq!(script.model, "scripted-1");
    }
}
