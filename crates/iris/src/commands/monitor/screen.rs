//! The terminal while it is ours, and as it was before when it is not, whatever happens.

use std::io::{self, stdout};
use std::mem::ManuallyDrop;

use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::execute;
use ratatui::DefaultTerminal;
use ratatui::layout::Size;

use super::draw::{self, Colours};
use super::state::State;
use crate::failure::Failure;

pub struct Screen {
    /// Never dropped: it would complain on stderr that it cannot show the cursor, and with the terminal stderr is gone,
    /// which ends the process by a signal.
    terminal: ManuallyDrop<DefaultTerminal>,
    colours: Colours,
}

impl Screen {
    /// From here on, a panic puts the terminal back before it says anything.
    pub fn open() -> Result<Self, Failure> {
        let terminal = ratatui::try_init().map_err(|error| lost(&error))?;
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let colours = if unwanted { Colours::None } else { Colours::Sixteen };
        let screen = Self { terminal: ManuallyDrop::new(terminal), colours };
        // Only so that what is pasted is not taken for keys; a terminal that cannot say it does without.
        execute!(stdout(), EnableBracketedPaste).ok();
        Ok(screen)
    }

    pub fn size(&self) -> Size {
        self.terminal.size().unwrap_or(Size::new(80, 24))
    }

    pub fn draw(&mut self, state: &State) -> io::Result<()> {
        self.terminal.draw(|frame| draw::draw(frame, state, self.colours)).map(|_| ())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // When the terminal is gone there is nothing to put back.
        execute!(stdout(), DisableBracketedPaste).ok();
        self.terminal.show_cursor().ok();
        // A panic has done the rest already. To do it again would put the cursor back over what it said.
        if !std::thread::panicking() {
            ratatui::try_restore().ok();
        }
    }
}

fn lost(error: &io::Error) -> Failure {
    Failure::internal(format!("the terminal cannot be used ({error})"))
        .hint("print what there is now with `iris monitor --once`")
}
