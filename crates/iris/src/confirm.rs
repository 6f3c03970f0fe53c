//! Asking before something cannot be undone. Only a person at a terminal can be asked.

use std::io::{IsTerminal, stdin};

use crate::failure::{Failure, Why};
use crate::printer::Printer;

/// Whether a person was told beforehand that they would not be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    Given,
    AskIfPossible,
}

impl Consent {
    pub fn from_flag(yes: bool) -> Self {
        if yes { Self::Given } else { Self::AskIfPossible }
    }
}

pub fn confirm(printer: &mut Printer, consent: Consent, question: &str) -> Result<(), Failure> {
    if consent == Consent::Given || !stdin().is_terminal() {
        return Ok(());
    }
    printer.ask(&format!("{question} [y/N] "));
    let mut answer = String::new();
    let read = stdin().read_line(&mut answer);
    let agreed = read.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes");
    if agreed { Ok(()) } else { Err(Failure::new(Why::BrokenOff, "nothing was changed")) }
}
