//! The command line that starts a scripted agent: this very program, under a hidden subcommand.

use std::path::PathBuf;

use crate::launch::{AgentSpec, Conversation, Launch, LaunchError, environment};

/// The hidden subcommand of `iris` that runs a scripted agent.
pub const SUBCOMMAND: &str = "scripted-agent";

pub(crate) fn launch(spec: &AgentSpec) -> Result<Launch, LaunchError> {
    let script = spec.script.as_ref().ok_or_else(|| LaunchError::NoScript(spec.team.clone()))?;
    let program = match &spec.command {
        Some(command) => command.clone(),
        // The very program that runs, also when the file it came from has been replaced by a newer one.
        None => PathBuf::from("/proc/self/exe"),
    };
    let mut args = vec![SUBCOMMAND.to_owned(), "--script".to_owned(), script.display().to_string()];
    match &spec.conversation {
        Conversation::New => args.extend(["--session-id".to_owned(), spec.session.to_string()]),
        Conversation::Resumed => args.extend(["--resume".to_owned(), spec.session.to_string()]),
        Conversation::ForkOf(origin) => args.extend([
            "--resume".to_owned(),
            origin.to_string(),
            "--fork-session".to_owned(),
            "--session-id".to_owned(),
            spec.session.to_string(),
        ]),
    }
    args.extend(["--state-dir".to_owned(), spec.state_folder.display().to_string()]);
    args.extend(spec.args.iter().cloned());
    Ok(Launch {
        kind: spec.kind,
        program,
        args,
        env: environment(spec, &[]),
        folder: spec.path.clone(),
        instructions: spec.instructions.clone(),
    })
}
