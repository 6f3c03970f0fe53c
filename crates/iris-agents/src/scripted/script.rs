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
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{path}:{line}:{column}: {message}", path = path.display())]
    Wrong {
        path: PathBuf,
        line: u64,
        column: u64,
        message: String,
    },
}

pub fn load(path: &Path) -> Result<Script, ScriptError> {
    let text = fs::read_to_string(path).map_err(|source| ScriptError::Read {
        path: path.to_owned(),
        source,
    })?;
    parse(&text).map_err(|error| wrong(path, &error))
}

fn parse(text: &str) -> Result<Script, serde_saphyr::Error> {
    let options = serde_saphyr::options! { with_snippet: false };
    serde_saphyr::from_str_with_options(text, options)
}

fn wrong(path: &Path, error: &serde_saphyr::Error) -> ScriptError {
    let (line, column) = error
        .location()
        .map_or((1, 1), |at| (at.line(), at.column()));
    let told = error.to_string();
    let suffix = format!(" at line {line}, column {column}");
    ScriptError::Wrong {
        path: path.to_owned(),
        line,
        column,
        message: told.strip_suffix(&suffix).unwrap_or(&told).to_owned(),
    }
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
        check("replays: []\n", "");
        check("default:\n  - say: hello\n  - dance: true\n", "");
        check("replies:\n  - match: \"(\"\n    do: []\n", "");
        check("default:\n  - delay: 5 parsecs\n", "");
        check("default:\n  - tool: {nome: Bash}\n", "");
        check("default:\n  - say: [\n", "");
    }

    #[test]
    fn an_empty_script_echoes() {
        let script = parse("{}").expect("nothing is required");
        assert_eq!(script.default.len(), 1);
        assert_eq!(script.model, "scripted-1");
    }
}
