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
    /// For what must not wait for anybody: only a person at a terminal is asked.
    pub fn unless_asked(yes: bool) -> Self {
        Self::from_flag(yes || !stdin().is_terminal())
    }

    pub fn from_flag(yes: bool) -> Self {
        if yes { Self::Given } else { Self::AskIfPossible }
    }
}

/// Whether somebody at a terminal says yes, or just presses return. Whoever cannot be asked has not said it.
pub fn offer(printer: &mut Printer, question: &str) -> bool {
    if !can_be_asked(printer) {
        return false;
    }
    printer.ask(&format!("{question} [Y/n] "));
    let mut answer = String::new();
    // No line at all is not a yes: nobody is there.
    let read = stdin().read_line(&mut answer).is_ok_and(|length| length > 0);
    read && matches!(answer.trim().to_lowercase().as_str(), "" | "y" | "yes")
}

pub fn can_be_asked(printer: &Printer) -> bool {
    stdin().is_terminal() && printer.is_watched()
}

/// Whoever cannot be asked has not agreed: a script says so with --yes.
pub fn confirm(printer: &mut Printer, consent: Consent, question: &str) -> Result<(), Failure> {
    if consent == Consent::Given {
        return Ok(());
    }
    if !stdin().is_terminal() {
        let failure = Failure::invalid(format!("nobody can be asked: {question}"));
        return Err(failure.hint("say it beforehand with --yes; nothing was changed"));
    }
    printer.ask(&format!("{question} [y/N] "));
    let mut answer = String::new();
    let read = stdin().read_line(&mut answer);
    let agreed = read.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes");
    if agreed { Ok(()) } else { Err(Failure::new(Why::BrokenOff, "nothing was changed")) }
}
