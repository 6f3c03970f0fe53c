//! Tones, and what a stream can show of them. Everything is readable without colour.

use std::borrow::Cow;

use super::escape;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Strong,
    Faint,
    Good,
    Busy,
    Bad,
}

impl Tone {
    fn code(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Strong => Some("1"),
            Self::Faint => Some("2"),
            Self::Good => Some("32"),
            Self::Busy => Some("33"),
            Self::Bad => Some("31"),
        }
    }

    /// The tone of a session's or a turn's state.
    pub fn of_state(state: &str) -> Self {
        match state {
            "idle" | "completed" => Self::Good,
            "processing" | "spawning" | "terminating" | "running" | "queued" | "scheduled" => Self::Busy,
            "waiting_for_input" | "waiting_for_approval" => Self::Strong,
            "failed" | "terminated" => Self::Bad,
            _ => Self::Faint,
        }
    }
}

/// A part of a line.
#[derive(Clone, Debug)]
pub struct Span<'a> {
    tone: Tone,
    text: Cow<'a, str>,
}

impl<'a> Span<'a> {
    pub fn of(tone: Tone, text: impl Into<Cow<'a, str>>) -> Self {
        Self { tone, text: text.into() }
    }

    pub fn plain(text: impl Into<Cow<'a, str>>) -> Self {
        Self::of(Tone::Plain, text)
    }

    pub fn faint(text: impl Into<Cow<'a, str>>) -> Self {
        Self::of(Tone::Faint, text)
    }

    pub fn strong(text: impl Into<Cow<'a, str>>) -> Self {
        Self::of(Tone::Strong, text)
    }
}

/// What a stream leads to.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    terminal: bool,
    colour: bool,
}

impl Screen {
    pub fn of(terminal: bool) -> Self {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let unable = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self { terminal, colour: terminal && !unwanted && !unable }
    }

    #[cfg(test)]
    pub fn test(terminal: bool, colour: bool) -> Self {
        Self { terminal, colour }
    }

    pub fn is_terminal(self) -> bool {
        self.terminal
    }

    pub fn has_colour(self) -> bool {
        self.colour
    }

    /// None if lines may be as long as they like.
    pub fn width(self) -> Option<usize> {
        // A terminal that does not know its size says 0.
        let told = || comfy_table::Table::new().width().map(usize::from).filter(|width| *width >= 20);
        self.terminal.then(|| told().unwrap_or(80))
    }

    pub fn visible(self, text: &str) -> Cow<'_, str> {
        if self.terminal { escape::for_terminal(text) } else { Cow::Borrowed(text) }
    }

    /// The text is made visible first, so that the only escape codes are our own.
    pub fn render(self, span: &Span<'_>) -> String {
        let text = self.visible(&span.text);
        match span.tone.code().filter(|_| self.colour && !text.is_empty()) {
            Some(code) => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            None => text.into_owned(),
        }
    }
}
