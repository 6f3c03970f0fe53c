//! The one voice of the command line: what goes to stdout for whoever asked, and to stderr for whoever watches.
//!
//! What an agent wrote is data. On a terminal it is shown with everything visible that could move the cursor, colour
//! the text or hide in it; into a file or a pipe it goes as it is.

mod escape;
mod style;
mod table;
mod waiting;

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use crate::failure::{Failure, Why};

pub use style::{Span, Tone};
pub use table::{Column, Table};
pub use waiting::Indicator;

use style::Screen;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Human,
    Json,
}

#[derive(Debug)]
pub struct Printer {
    format: Format,
    output: Screen,
    notes: Screen,
    waiting: Indicator,
    /// Text was written to stdout and its line has not ended.
    mid_line: bool,
}

impl Printer {
    pub fn new(format: Format) -> Self {
        let notes = Screen::of(io::stderr().is_terminal());
        Self {
            format,
            output: Screen::of(io::stdout().is_terminal()),
            waiting: Indicator::new(notes.is_terminal() && format == Format::Human),
            notes,
            mid_line: false,
        }
    }

    pub fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Whether somebody watches as it happens.
    pub fn is_watched(&self) -> bool {
        self.notes.is_terminal() && self.format == Format::Human
    }

    /// Whether what is printed is on a screen, and no program's input.
    pub fn is_read_by_people(&self) -> bool {
        self.output.is_terminal()
    }

    /// How many columns a line of output may have; none if it does not matter.
    pub fn width(&self) -> Option<usize> {
        self.output.width()
    }

    /// The first line of a text as it will be shown, cut to so many characters.
    pub fn fit(&self, text: &str, room: usize) -> String {
        first_line(&self.output.visible(text), room)
    }

    /// One value for machines, on one line.
    pub fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let json = serde_json::to_string(value).expect("the shapes on the wire are plain data");
        let shown = if self.output.is_terminal() { escape::in_json(&json) } else { json };
        self.write(&format!("{shown}\n"))
    }

    /// A line of plain text.
    pub fn line(&mut self, text: impl AsRef<str>) -> Result<(), Failure> {
        self.spans([Span::plain(text.as_ref())])
    }

    /// A line of several parts, each in its tone.
    pub fn spans<'a>(&mut self, spans: impl IntoIterator<Item = Span<'a>>) -> Result<(), Failure> {
        let line: String = spans.into_iter().map(|span| self.output.render(&span)).collect();
        self.write(&format!("{line}\n"))
    }

    pub fn table(&mut self, table: &Table) -> Result<(), Failure> {
        let lines = table.render(&self.output);
        self.write(&lines)
    }

    /// Names and values, one pair on each line.
    pub fn pairs(&mut self, pairs: &[(&str, String)]) -> Result<(), Failure> {
        let longest = pairs.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, value) in pairs {
            let name = format!("{name:longest$}  ");
            self.spans([Span::faint(&name), Span::plain(value)])?;
        }
        Ok(())
    }

    /// Text as it comes; the line stays open.
    pub fn piece(&mut self, text: &str) -> Result<(), Failure> {
        if text.is_empty() {
            return Ok(());
        }
        self.set_mid_line(!text.ends_with('\n'));
        let shown = self.output.render(&Span::plain(text));
        self.write(&shown)
    }

    /// Ends the line if one is open.
    pub fn end_line(&mut self) -> Result<(), Failure> {
        let was_open = self.mid_line;
        self.set_mid_line(false);
        if was_open { self.write("\n") } else { Ok(()) }
    }

    fn set_mid_line(&mut self, is_open: bool) {
        self.mid_line = is_open;
        self.waiting.hold(is_open);
    }

    pub fn is_mid_line(&self) -> bool {
        self.mid_line
    }

    /// A remark for people, on stderr.
    pub fn note(&mut self, text: impl AsRef<str>) {
        self.aside(&[Span::plain(text.as_ref())]);
    }

    /// Something small that happened, for who watches; nobody else sees it.
    pub fn glimpse(&mut self, text: &str) {
        if self.is_watched() {
            let room = self.notes.width().unwrap_or(80).saturating_sub(1);
            let text = first_line(&self.notes.visible(text), room);
            self.aside(&[Span::faint(&text)]);
        }
    }

    /// What is being waited for, with the time it has taken so far. Shown only to who watches, and never over text.
    pub fn wait_for(&mut self, what: &str) {
        if !self.mid_line {
            let shown = self.notes.visible(what).into_owned();
            self.waiting.show(&shown);
        }
    }

    /// Says what is waited for once it has taken longer than somebody looks at a terminal without wondering.
    pub async fn while_waiting<T>(&mut self, what: &str, done: impl Future<Output = T>) -> T {
        self.waiting.notice(what, done).await
    }

    /// For those who wait and have no printer at hand.
    pub fn indicator(&self) -> Indicator {
        self.waiting.clone()
    }

    pub fn stop_waiting(&mut self) {
        self.waiting.hide();
    }

    /// A question whose answer is typed behind it.
    pub fn ask(&mut self, question: &str) {
        self.stop_waiting();
        let shown = self.notes.visible(question).into_owned();
        write_note(&shown);
    }

    pub fn failure(&mut self, failure: &Failure) {
        if failure.why == Why::ReaderGone {
            return;
        }
        // The line of a reply that broke off is ended first, so that the reason stands for itself.
        self.end_line().ok();
        if self.is_json() {
            let json = serde_json::json!({
                "kind": failure.why.word(), "detail": failure.message, "hint": failure.hint,
            });
            return write_note(&format!("{json}\n"));
        }
        // Breaking off was asked for, which is no error.
        let lead = if failure.why == Why::BrokenOff { "" } else { "error: " };
        self.aside(&[Span::of(Tone::Bad, lead), Span::plain(&failure.message)]);
        if let Some(hint) = &failure.hint {
            self.aside(&[Span::strong("hint: "), Span::plain(hint)]);
        }
    }

    fn aside(&mut self, spans: &[Span<'_>]) {
        self.stop_waiting();
        let lead = if self.mid_line && self.output.is_terminal() { "\n" } else { "" };
        self.set_mid_line(self.mid_line && lead.is_empty());
        let line: String = spans.iter().map(|span| self.notes.render(span)).collect();
        write_note(&format!("{lead}{line}\n"));
    }

    fn write(&mut self, text: &str) -> Result<(), Failure> {
        self.stop_waiting();
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| Failure::output(&error))
    }
}

fn first_line(text: &str, room: usize) -> String {
    let mut lines = text.trim().lines();
    let line = lines.next().unwrap_or_default();
    let more = lines.next().is_some();
    if line.chars().count() <= room && !more {
        return line.to_owned();
    }
    let kept: String = line.chars().take(room.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

fn write_note(text: &str) {
    // When stderr is gone there is nobody left to tell.
    io::stderr().lock().write_all(text.as_bytes()).ok();
}
