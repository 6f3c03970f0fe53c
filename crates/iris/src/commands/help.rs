//! `iris help`: as `--help`, for those who type it so.

use clap::Parser;
use clap::error::ErrorKind;

use super::Context;
use crate::arguments::Arguments;
use crate::exit::Exit;
use crate::failure::Failure;

pub fn run(words: &[String], context: &mut Context) -> Result<Exit, Failure> {
    let asked = ["iris"].into_iter().chain(words.iter().map(String::as_str)).chain(["--help"]);
    match Arguments::try_parse_from(asked) {
        Err(told) if told.kind() == ErrorKind::DisplayHelp => {
            context.printer.line(told.to_string().trim_end())?;
            Ok(Exit::Done)
        }
        _ => Err(Failure::invalid(format!("there is no command '{}'", words.join(" "))).hint("see `iris --help`")),
    }
}
