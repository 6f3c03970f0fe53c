//! One thing in a conversation, as it is shown: a tell, a word, a call with what came back, the end of a turn.

use iris_api::call::CallResult;
use iris_api::turn::{Message, Turn};
use iris_core::said;
use ratatui::text::Line;

use crate::commands::monitor::draw::session;
use crate::commands::monitor::text;

#[derive(Clone, Debug)]
pub struct Entry {
    pub order: Order,
    pub what: What,
    /// How it is drawn at the width of the screen.
    pub lines: Vec<Line<'static>>,
}

/// The number of the turn, then that of the message. A tell comes before all messages, the end after them.
pub type Order = (i64, i64);

pub const FIRST: i64 = 0;
pub const LAST: i64 = i64::MAX;

#[derive(Clone, Debug)]
pub enum What {
    Tell { number: i64, state: String, text: String, at: i64, origin: Option<String> },
    Say { text: String, inside: bool },
    Think { text: String },
    Call { id: String, text: String, inside: bool, result: Option<Outcome> },
    Note { text: String },
    End { text: String, is_good: bool },
}

/// What a call gave back, in a line.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub is_error: bool,
    pub text: String,
}

/// Longer texts are cut when they come in: they are whole in the cache.
const LONGEST: usize = 6000;
const ONE_LINE: usize = 300;

impl Entry {
    pub fn new(order: Order, what: What, width: usize) -> Self {
        let lines = session::lines(&what, width);
        Self { order, what, lines }
    }

    pub fn draw(&mut self, width: usize) {
        self.lines = session::lines(&self.what, width);
    }
}

pub fn tell(turn: &Turn) -> What {
    What::Tell {
        number: turn.number,
        state: turn.state.clone(),
        text: shortened(&turn.message),
        at: turn.accepted_at,
        origin: turn.origin.clone(),
    }
}

pub fn end(turn: &Turn) -> Option<What> {
    turn.finished_at?;
    let took = turn.started_at.and(turn.duration_ms).map(|took| format!(" after {}", crate::moment::span(took)));
    let cost = turn.usage.as_ref().map(|usage| usage.cost_usd).filter(|cost| *cost > 0.0);
    let cost = cost.map(|cost| format!(", ${cost:.4}")).unwrap_or_default();
    let why = turn.error.as_deref().map(|why| format!(": {}", text::headline(why, ONE_LINE))).unwrap_or_default();
    let text = format!("turn {} {}{}{cost}{why}", turn.number, turn.state, took.unwrap_or_default());
    Some(What::End { text, is_good: turn.state == "completed" })
}

/// What a message shows, if it shows anything by itself.
pub fn of_message(message: &Message) -> Vec<What> {
    let said = message.text.as_deref().unwrap_or_default();
    let inside = message.parent.is_some();
    match message.kind.as_str() {
        "assistant" if said.is_empty() => Vec::new(),
        "assistant" => vec![What::Say { text: shortened(said), inside }],
        "thinking" => vec![What::Think { text: text::headline(said, ONE_LINE) }],
        "tool_use" => calls(message, said, inside),
        "system" if message.noise || said.is_empty() => Vec::new(),
        // Seen with the call it belongs to.
        "tool_result" | "task" => Vec::new(),
        kind => vec![What::Note { text: format!("{kind}: {}", text::headline(said, ONE_LINE)) }],
    }
}

fn calls(message: &Message, name: &str, inside: bool) -> Vec<What> {
    let call = |id: &str, name: &str, about: Option<&str>| What::Call {
        id: id.to_owned(),
        text: text::headline(&said::call(name, about), ONE_LINE),
        inside,
        result: None,
    };
    match message.calls.as_slice() {
        [] => vec![call("", name, None)],
        calls => calls.iter().map(|made| call(&made.id, &made.name, made.meaning.about.as_deref())).collect(),
    }
}

/// What calls gave back: the id of each, and the outcome.
pub fn outcomes(message: &Message) -> Vec<(String, Outcome)> {
    let outcome = |result: &CallResult| {
        let said = result.text.as_ref().or(message.text.as_ref()).map_or("", String::as_str);
        let outcome = Outcome { is_error: result.is_error, text: text::headline(said, ONE_LINE) };
        (result.call.clone(), outcome)
    };
    message.results.iter().map(outcome).collect()
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}\n[{} more bytes; whole: iris cache inspect]", &text[..end], text.len() - end),
    }
}
