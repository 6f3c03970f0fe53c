//! `iris completions` and `iris man`: for shells and for `man`.

mod man;

use std::path::PathBuf;

use clap::CommandFactory;
use clap_complete::Shell;

use super::Context;
use crate::arguments::Arguments;
use crate::exit::Exit;
use crate::failure::Failure;

/// Print completions for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris completions bash > ~/.local/share/bash-completion/completions/iris
  iris completions zsh > ~/.zfunc/_iris
  iris completions fish > ~/.config/fish/completions/iris.fish")]
pub struct CompletionsArguments {
    shell: Shell,
}

pub fn run(arguments: &CompletionsArguments, context: &mut Context) -> Result<Exit, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "iris", &mut text);
    let script = String::from_utf8_lossy(&text);
    if context.printer.is_json() {
        let shell = arguments.shell.to_string();
        context.printer.json(&serde_json::json!({ "shell": shell, "script": script }))?;
    } else {
        context.printer.line(script.trim_end())?;
    }
    Ok(Exit::Done)
}

/// Write the man pages into a folder
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris man ~/.local/share/man/man1 && man iris-tell")]
pub struct ManArguments {
    /// The folder, made if it is not there
    folder: PathBuf,
}

pub fn man(arguments: &ManArguments, context: &mut Context) -> Result<Exit, Failure> {
    let folder = &arguments.folder;
    let written = std::fs::create_dir_all(folder).and_then(|()| man::write(Arguments::command(), folder));
    written.map_err(|error| Failure::invalid(format!("{} cannot be written ({error})", folder.display())))?;
    if context.printer.is_json() {
        context.printer.json(&serde_json::json!({ "folder": folder }))?;
    } else {
        context.printer.line(format!("man pages are in {}", folder.display()))?;
    }
    Ok(Exit::Done)
}
