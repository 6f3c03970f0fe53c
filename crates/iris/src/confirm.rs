//! Asking before something cannot be undone. Only a person at a terminal can be asked; for everybody else it has to be said
//! beforehand.

use std::io::{IsTerminal, stdin};

use crate::failure::{Failure, Why};
use crate::printer::Printer;

/// Whether it was said beforehand, and what holds if it was not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    Given,
    /// Without an answer it is not done.
    Ask,
    /// Where nobody can be asked it is done: what stops things must not wait for anybody.
    AskIfPossible,
}

impl Consent {
    pub fn from_flag(yes: bool) -> Self {
        if yes { Self::Given } else { Self::Ask }
    }

    pub fn to_stop(yes: bool) -> Self {
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

pub fn confirm(printer: &mut Printer, consent: Consent, question: &str) -> Result<(), Failure> {
    let can_be_asked = stdin().is_terminal() && !printer.is_json();
    match consent {
        Consent::Given => return Ok(()),
        Consent::AskIfPossible if !can_be_asked => return Ok(()),
        Consent::Ask if !can_be_asked => {
            let what = format!("nobody can be asked here: {question}");
            return Err(Failure::invalid(what).hint("nothing was changed; if it is meant, say --yes"));
        }
        Consent::Ask | Consent::AskIfPossible => {}
    }
    printer.ask(&format!("{question} [y/N] "));
    let mut answer = String::new();
    let read = stdin().read_line(&mut answer);
    let agreed = read.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes");
    if agreed { Ok(()) } else { Err(Failure::new(Why::BrokenOff, "nothing was changed")) }
}
