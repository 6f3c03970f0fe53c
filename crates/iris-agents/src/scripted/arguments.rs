//! The command line: the few flags the scripted agent obeys, and patience with all others of the real CLI.

use std::path::PathBuf;

use thiserror::Error;

/// What the command line asked for.
#[derive(Debug)]
pub struct Arguments {
    pub script: PathBuf,
    pub identity: Identity,
    pub state_dir: Option<PathBuf>,
    pub model: Option<String>,
    pub permission_mode: Option<String>,
}

/// Which conversation this process speaks for.
#[derive(Debug, PartialEq, Eq)]
pub enum Identity {
    /// No flag: a conversation with an id of our own choosing.
    Unnamed,
    New(String),
    Resumed(String),
    /// A new conversation that begins as a copy of another.
    Fork {
        of: String,
        id: String,
    },
}

#[derive(Debug, Error)]
pub enum ArgumentsError {
    #[error("--script FILE is required")]
    NoScript,
    #[error("{0} needs a value")]
    NoValue(String),
    #[error("Invalid session ID. Must be a valid UUID: {0}")]
    NotAUuid(String),
    #[error("--session-id can only be used with --resume if --fork-session is given too")]
    TwoIdentities,
}

pub fn parse(args: impl Iterator<Item = String>) -> Result<Arguments, ArgumentsError> {
    let mut args = args.peekable();
    let (mut script, mut new, mut resumed, mut state_dir) = (None, None, None, None);
    let (mut model, mut permission_mode, mut is_fork) = (None, None, false);
    while let Some(argument) = args.next() {
        let (flag, inline) = split(&argument);
        let mut value = || match inline {
            Some(value) => Ok(value.to_owned()),
            None => args.next().ok_or_else(|| ArgumentsError::NoValue(flag.to_owned())),
        };
        match flag {
            "--script" => script = Some(PathBuf::from(value()?)),
            "--state-dir" => state_dir = Some(PathBuf::from(value()?)),
            "--session-id" => new = Some(uuid(value()?)?),
            "--resume" | "-r" => resumed = Some(uuid(value()?)?),
            "--model" => model = Some(value()?),
            "--fork-session" => is_fork = true,
            "--permission-mode" => permission_mode = Some(value()?),
            // Flags of the real CLI that mean nothing here. Their values are words without a dash and fall through the
            // same way, so that a new flag upstream never breaks a script.
            _ => {}
        }
    }
    let identity = match (new, resumed) {
        (None, None) => Identity::Unnamed,
        (Some(id), None) => Identity::New(id),
        (None, Some(id)) => Identity::Resumed(id),
        (Some(id), Some(of)) if is_fork => Identity::Fork { of, id },
        (Some(_), Some(_)) => return Err(ArgumentsError::TwoIdentities),
    };
    Ok(Arguments { script: script.ok_or(ArgumentsError::NoScript)?, identity, state_dir, model, permission_mode })
}

fn split(argument: &str) -> (&str, Option<&str>) {
    match argument.split_once('=') {
        Some((flag, value)) if flag.starts_with("--") => (flag, Some(value)),
        _ => (argument, None),
    }
}

/// The id becomes a file name, so nothing but a UUID may pass.
fn uuid(text: String) -> Result<String, ArgumentsError> {
    let shaped = text.len() == 36
        && text.bytes().enumerate().all(|(place, byte)| match place {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    if shaped { Ok(text) } else { Err(ArgumentsError::NotAUuid(text)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f0";

    fn check(line: &str) -> Result<Arguments, String> {
        parse(line.split_whitespace().map(str::to_owned)).map_err(|error| error.to_string())
    }

    #[test]
    fn the_real_cli_s_flags_are_passed_over() {
        let line = format!(
            "-p --verbose --input-format stream-json --output-format stream-json --permission-prompt-tool stdio \
             --include-partial-messages --model m --script=s.yaml --resume {ID} --state-dir d"
        );
        let arguments = check(&line).expect("every flag is known or passed over");
        assert_eq!(arguments.identity, Identity::Resumed(ID.to_owned()));
        assert_eq!(arguments.script, PathBuf::from("s.yaml"));
        assert_eq!(arguments.model.as_deref(), Some("m"));
    }

    #[test]
    fn what_cannot_work_is_refused() {
        assert_eq!(check("").expect_err("no script"), "--script FILE is required");
        assert_eq!(check("--script").expect_err("no value"), "--script needs a value");
        assert!(check("--script s --session-id ../../etc/passwd").is_err());
        assert!(check(&format!("--script s --session-id {ID} --resume {ID}")).is_err());
    }
}
