//! A conversation: a window of it that moves, with a bound on what is kept, and the place that is looked at.

use std::collections::{BTreeSet, HashMap, VecDeque};

use iris_api::call::{Call, CallResult};
use iris_api::event::{Delta, Event};
use iris_api::turn::{Message, Turn};
use serde::Deserialize;

use super::entry::{self, Entry, FIRST, LAST, Order, Outcome, What};
use super::inbox::DEAF_MS;
use crate::commands::events::describe::describe;
use crate::commands::monitor::wish::{Page, Piece, Read};

#[derive(Debug)]
pub struct Conversation {
    pub id: String,
    pub team: String,
    pub from: String,
    pub entries: VecDeque<Entry>,
    /// What the agent is writing and has not finished.
    pub writing: String,
    pub is_read: bool,
    /// Whether there is more than what is kept, before and behind it.
    pub has_before: bool,
    pub has_after: bool,
    reading: Option<Page>,
    /// The first line in view, of all that are kept. None: the newest is in view, and stays so.
    top: Option<usize>,
    width: usize,
    numbers: HashMap<String, i64>,
    /// What was said while a page was being read, or in a turn whose number is not known yet; with the turn.
    early: VecDeque<(String, Message)>,
    /// Turns of which something was heard while a page was being read: the page may know less of them.
    unsettled: BTreeSet<String>,
    /// The question that it asks, and when that became so before somebody's eyes.
    asked: Option<String>,
    asked_at: Option<i64>,
}

#[derive(Deserialize)]
struct Said {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
    parent: Option<String>,
    #[serde(default)]
    calls: Vec<Call>,
    #[serde(default)]
    results: Vec<CallResult>,
    #[serde(default)]
    noise: bool,
    #[serde(default)]
    aside: bool,
}

/// How many things of a conversation are kept. What is further away is read again when somebody goes there.
pub const KEPT: usize = 1500;
/// When more is said than this before a page has come, the page is read again.
const EARLY: usize = 2000;
const WRITING: usize = 8000;

impl Conversation {
    pub fn new(id: &str, team: &str, from: &str, width: usize) -> Self {
        Self {
            id: id.to_owned(),
            team: team.to_owned(),
            from: from.to_owned(),
            entries: VecDeque::new(),
            writing: String::new(),
            is_read: false,
            has_before: false,
            has_after: false,
            reading: None,
            top: None,
            width,
            numbers: HashMap::new(),
            early: VecDeque::new(),
            unsettled: BTreeSet::new(),
            asked: None,
            asked_at: None,
        }
    }

    pub fn ask(&mut self, question: Option<String>, now: i64) {
        if self.asked != question {
            self.asked_at = self.is_read.then_some(now);
            self.asked = question;
        }
    }

    /// What it asks comes into view where something else was looked at until now.
    pub fn move_up(&mut self, now: i64) {
        self.asked_at = Some(now);
    }

    pub fn is_deaf(&self, now: i64) -> bool {
        self.asked_at.is_some_and(|at| (0..DEAF_MS).contains(&(now - at)))
    }

    pub fn is_followed(&self) -> bool {
        self.top.is_none()
    }

    /// Reads the newest part, and follows it.
    pub fn seek_newest(&mut self) -> Option<Read> {
        self.top = None;
        if self.is_read && !self.has_after { None } else { self.read(Page::Newest) }
    }

    /// Reads the newest part anew: something may have been missed.
    pub fn reload(&mut self) -> Option<Read> {
        self.writing.clear();
        self.top = None;
        self.reading = None;
        self.read(Page::Newest)
    }

    fn read(&mut self, page: Page) -> Option<Read> {
        if self.reading.as_ref().is_some_and(|reading| *reading == page) {
            return None;
        }
        self.reading = Some(page.clone());
        Some(Read::Page { session: self.id.clone(), page })
    }

    pub fn take(&mut self, page: &Page, piece: Piece) -> Vec<Read> {
        // What was asked for last counts.
        if self.reading.as_ref() != Some(page) {
            return Vec::new();
        }
        self.reading = None;
        self.is_read = true;
        let first_turn = piece.parts.first().map(|part| part.turn.number);
        let has_before = piece.is_cut_before || first_turn.is_some_and(|number| number > 1);
        match page {
            Page::Newest => {
                self.entries.clear();
                (self.has_before, self.has_after) = (has_before, false);
            }
            Page::Earlier { .. } => self.has_before = has_before,
            Page::Later { .. } => self.has_after = piece.is_cut_after || piece.has_after,
        }
        let last = piece.parts.len().saturating_sub(1);
        for (index, part) in piece.parts.into_iter().enumerate() {
            let number = part.turn.number;
            self.numbers.insert(part.turn.id.clone(), number);
            if index > 0 || !piece.is_cut_before {
                self.put((number, FIRST), entry::tell(&part.turn));
            }
            part.messages.iter().for_each(|message| self.add(number, message));
            if index < last || !piece.is_cut_after {
                entry::end(&part.turn).into_iter().for_each(|end| self.put((number, LAST), end));
                self.cut_off(&part.turn);
            }
        }
        self.trim(*page == Page::Newest || matches!(page, Page::Later { .. }));
        if self.early.len() >= EARLY {
            self.early.clear();
            return self.reload().into_iter().collect();
        }
        self.take_early();
        std::mem::take(&mut self.unsettled).into_iter().map(Read::Turn).collect()
    }

    /// Something happened in this session.
    pub fn hear(&mut self, event: &Event) -> Option<Read> {
        if event.kind == "session.cache_cleared" {
            self.entries.clear();
            return self.reload();
        }
        let turn = event.turn.as_ref()?;
        match event.kind.as_str() {
            "message" => self.hear_message(turn, event),
            kind if kind.starts_with("turn.") => {
                if kind == "turn.finished" {
                    self.writing.clear();
                }
                if self.reading.is_some() {
                    self.unsettled.insert(turn.clone());
                }
                Some(Read::Turn(turn.clone()))
            }
            kind if kind.starts_with("question.") && kind != "question.opened" => {
                let number = *self.numbers.get(turn)?;
                let text = format!("{}: {}", event.kind.replace('.', " "), describe(event));
                self.put_live((number, event.seq), What::Note { text });
                None
            }
            _ => None,
        }
    }

    fn hear_message(&mut self, turn: &str, event: &Event) -> Option<Read> {
        if self.has_after {
            return None;
        }
        let said: Said = serde_json::from_str(event.data.get()).ok()?;
        let (seq, at) = (event.seq, event.at);
        let Said { kind, text, parent, calls, results, noise, aside } = said;
        let message = Message { seq, at, kind, text, parent, calls, results, noise, aside, model: None, data: None };
        if message.kind == "assistant" && message.parent.is_none() {
            self.writing.clear();
        }
        let number = self.numbers.get(turn).copied();
        match number.filter(|_| self.reading.is_none()) {
            Some(number) => {
                self.add(number, &message);
                self.trim(self.is_followed());
                None
            }
            None => {
                if self.early.len() < EARLY {
                    self.early.push_back((turn.to_owned(), message));
                }
                number.is_none().then(|| Read::Turn(turn.to_owned()))
            }
        }
    }

    pub fn write(&mut self, delta: &Delta) {
        if self.has_after {
            return;
        }
        if delta.anew {
            self.writing.clear();
        }
        self.writing.push_str(&delta.text);
        if let Some(over) = self.writing.len().checked_sub(WRITING) {
            let start = (over..).find(|at| self.writing.is_char_boundary(*at)).unwrap_or(over);
            self.writing.drain(..start);
        }
    }

    /// Pieces were missed, so that what follows does not go on from here.
    pub fn lost_pieces(&mut self) {
        self.writing.clear();
    }

    pub fn take_turn(&mut self, turn: &Turn) {
        if turn.session_id != self.id {
            return;
        }
        self.numbers.insert(turn.id.clone(), turn.number);
        self.put_live((turn.number, FIRST), entry::tell(turn));
        if let Some(end) = entry::end(turn) {
            self.put_live((turn.number, LAST), end);
        }
        self.take_early();
        if !self.has_after {
            self.cut_off(turn);
        }
    }

    /// What has not come back when a turn ends early never will.
    fn cut_off(&mut self, turn: &Turn) {
        if turn.finished_at.is_none() || turn.state == "completed" {
            return;
        }
        for entry in self.entries.iter_mut().rev().filter(|entry| entry.order.0 == turn.number) {
            if let What::Call { result: result @ None, .. } = &mut entry.what {
                *result = Some(Outcome { is_error: true, text: "cut off".to_owned() });
                entry.draw(self.width);
            }
        }
    }

    fn take_early(&mut self) {
        if self.reading.is_some() || self.has_after {
            return;
        }
        for (turn, message) in std::mem::take(&mut self.early) {
            match self.numbers.get(&turn).copied() {
                Some(number) => self.add(number, &message),
                None => self.early.push_back((turn, message)),
            }
        }
        self.trim(self.is_followed());
    }

    fn add(&mut self, number: i64, message: &Message) {
        for (id, outcome) in entry::outcomes(message) {
            self.settle(&id, outcome);
        }
        let order = (number, message.seq);
        if self.find(order).is_err() {
            entry::of_message(message).into_iter().for_each(|what| self.put_behind(order, what));
        }
    }

    /// A call is newer than most things, and is looked for from the end.
    fn settle(&mut self, id: &str, outcome: Outcome) {
        let is_meant = |what: &What| matches!(what, What::Call { id: own, .. } if own == id);
        let Some(entry) = self.entries.iter_mut().rev().find(|entry| is_meant(&entry.what)) else { return };
        if let What::Call { result, .. } = &mut entry.what {
            *result = Some(outcome);
        }
        entry.draw(self.width);
    }

    /// Only within what is kept: what is before or behind it comes with its page.
    fn put_live(&mut self, order: Order, what: What) {
        let is_before = self.has_before && self.entries.front().is_some_and(|entry| order < entry.order);
        let is_behind = self.has_after && self.entries.back().is_some_and(|entry| order > entry.order);
        if self.is_read && !is_before && !is_behind {
            self.put(order, what);
            self.trim(self.is_followed());
        }
    }

    /// In its place, or instead of what was there.
    fn put(&mut self, order: Order, what: What) {
        match self.find(order) {
            Err(_) => self.put_behind(order, what),
            Ok(at) => {
                self.entries[at].what = what;
                self.entries[at].draw(self.width);
            }
        }
    }

    fn put_behind(&mut self, order: Order, what: What) {
        let at = self.entries.partition_point(|entry| entry.order <= order);
        let entry = Entry::new(order, what, self.width);
        // What is in view stays where it is.
        if self.top.is_some_and(|top| self.line_of(at) <= top && at < self.entries.len()) {
            self.top = self.top.map(|top| top + entry.lines.len());
        }
        self.entries.insert(at, entry);
    }

    fn find(&self, order: Order) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&order, |entry| entry.order)
    }

    /// Lets go of what is too much: the oldest, or the newest if that is not what is looked at.
    fn trim(&mut self, oldest: bool) {
        while self.entries.len() > KEPT {
            if oldest {
                let gone = self.entries.pop_front().map_or(0, |entry| entry.lines.len());
                self.top = self.top.map(|top| top.saturating_sub(gone));
                self.has_before = true;
            } else {
                self.entries.pop_back();
                self.has_after = true;
                self.writing.clear();
                self.early.clear();
            }
        }
    }

    pub fn draw(&mut self, width: usize) {
        if width == self.width {
            return;
        }
        self.width = width;
        let anchor = self.top.map(|top| self.entry_at(top));
        self.entries.iter_mut().for_each(|entry| entry.draw(width));
        self.top = anchor.map(|at| self.line_of(at));
    }

    pub fn lines(&self) -> usize {
        self.line_of(self.entries.len())
    }

    fn line_of(&self, at: usize) -> usize {
        self.entries.iter().take(at).map(|entry| entry.lines.len()).sum()
    }

    fn entry_at(&self, line: usize) -> usize {
        let mut before = 0;
        let found = self.entries.iter().position(|entry| {
            before += entry.lines.len();
            before > line
        });
        found.unwrap_or(self.entries.len())
    }

    /// The first line in view, when `height` of them are and `tail` more come behind the entries.
    pub fn first_line(&self, height: usize, tail: usize) -> usize {
        let last = (self.lines() + tail).saturating_sub(height);
        self.top.map_or(last, |top| top.min(last))
    }

    pub fn scroll(&mut self, by: isize, height: usize, tail: usize) -> Option<Read> {
        let last = (self.lines() + tail).saturating_sub(height);
        let top = self.first_line(height, tail).saturating_add_signed(by).min(last);
        if by < 0 {
            // Where everything is in view there is nothing to go back to.
            self.top = Some(top).filter(|_| last > 0 || self.has_before);
            return if top == 0 && self.has_before { self.earlier() } else { None };
        }
        self.top = Some(top).filter(|top| *top < last || self.has_after);
        if top == last && self.has_after { self.later() } else { None }
    }

    fn earlier(&mut self) -> Option<Read> {
        if self.reading.is_some() {
            return None;
        }
        let (turn, seq) = self.entries.front()?.order;
        let said = self.entries.iter().map(|entry| entry.order.1).find(|seq| (FIRST + 1..LAST).contains(seq));
        let before = said.unwrap_or(LAST);
        let turn = if seq == FIRST { turn - 1 } else { turn };
        self.read(Page::Earlier { turn, before })
    }

    fn later(&mut self) -> Option<Read> {
        if self.reading.is_some() {
            return None;
        }
        let page = match self.entries.back()?.order {
            (turn, LAST) => Page::Later { turn: turn + 1, after: FIRST },
            (turn, after) => Page::Later { turn, after },
        };
        self.read(page)
    }

    /// The read did not come back well: it may be tried again.
    pub fn gave_up(&mut self, page: &Page) {
        if self.reading.as_ref() == Some(page) {
            self.reading = None;
        }
    }

    pub fn is_reading(&self) -> bool {
        self.reading.is_some()
    }
}
