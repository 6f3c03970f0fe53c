//! How things look: sixteen colours, and nothing that cannot be read without them.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use crate::printer::Tone;

pub fn style(tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::new(),
        Tone::Strong => Style::new().add_modifier(Modifier::BOLD),
        Tone::Faint => Style::new().add_modifier(Modifier::DIM),
        Tone::Good => Style::new().fg(Color::Green),
        Tone::Busy => Style::new().fg(Color::Yellow),
        Tone::Bad => Style::new().fg(Color::Red).add_modifier(Modifier::BOLD),
    }
}

/// The one accent: somebody needs you.
pub const NEEDS: Style = Style::new().fg(Color::Cyan).add_modifier(Modifier::BOLD);
pub const BAR: Style = Style::new().add_modifier(Modifier::REVERSED);
pub const ALARM: Style = Style::new().fg(Color::Red).add_modifier(Modifier::REVERSED).add_modifier(Modifier::BOLD);

pub fn line(tone: Tone, text: impl Into<String>) -> Line<'static> {
    Line::from(span(tone, text))
}

pub fn span(tone: Tone, text: impl Into<String>) -> Span<'static> {
    Span::styled(text.into(), style(tone))
}
