//! The teams and their sessions, what each does, how its last turn ended and what it has cost.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use iris_api::event::Event;
use iris_api::question::Question;
use iris_api::session::{LastSaid, Session};
use iris_api::team::Team;
use iris_api::turn::TurnFigures;
use iris_core::message::{Message, MessageType};
use iris_core::said;
use iris_core::turn::Ending;
use serde::Deserialize;
use serde_json::Value;

use super::mood::{Mood, mood};
use crate::commands::monitor::text;
use crate::commands::monitor::wish::Read;

/// After so long without a word of an agent at work the daemon is asked about it, and again each time.
const ASKED_AFTER_MS: i64 = 4_000;

#[derive(Debug, Default)]
pub struct Fleet {
    pub teams: Vec<Team>,
    pub sessions: HashMap<String, Known>,
    pub is_read: bool,
    chosen: Option<Row>,
    /// Where it was in the list when it was last there.
    was_at: usize,
    /// The newest thing each agent said or did, and when.
    steps: HashMap<String, (i64, String)>,
    /// When each agent was last heard of, also if that was nothing to show.
    heard: HashMap<String, i64>,
    /// When each agent's newest message came, and whether it calls a tool.
    calls: HashMap<String, (i64, bool)>,
    /// What each session was told last: the number of the turn, and the text.
    told: HashMap<String, (i64, String)>,
    /// What the daemon has counted, however much was said since.
    counted: Option<Box<TurnFigures>>,
    /// How turns ended that it has not counted in, by the number of the event that says so.
    ends: BTreeMap<i64, End>,
}

/// A session, and when it was read: its age is counted from there, whatever the clocks of two machines say.
#[derive(Clone, Debug)]
pub struct Known {
    pub session: Session,
    pub read_at: i64,
}

#[derive(Clone, Debug)]
pub struct End {
    pub at: i64,
    pub session: String,
    pub ending: String,
    /// Why it was terminated.
    pub reason: Option<String>,
    /// What to tell people, if it is not completed.
    pub error: Option<String>,
    pub cost: f64,
}

/// What the list has a line for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    Team(String),
    Session(String),
}

/// What is said of a session is cut to this when it comes in.
const STEP: usize = 300;
/// From so many ends on, the daemon is asked to count them.
const MANY_ENDS: usize = 500;
const ENDS_KEPT: usize = 5_000;
/// For so many sessions it is asked what they were told last: those that were used last.
const TOLD_OF: usize = 100;

impl Known {
    pub fn age(&self, now: i64) -> i64 {
        self.session.state_age_ms + (now - self.read_at).max(0)
    }
}

impl Fleet {
    pub fn take_sessions(&mut self, sessions: Vec<Session>, now: i64) -> Vec<Read> {
        let known = |session: Session| (session.id.clone(), Known { session, read_at: now });
        self.sessions = sessions.into_iter().map(known).collect();
        self.is_read = true;
        self.steps.retain(|id, _| self.sessions.contains_key(id));
        self.heard.retain(|id, _| self.sessions.contains_key(id));
        self.calls.retain(|id, _| self.sessions.contains_key(id));
        self.told.retain(|id, _| self.sessions.contains_key(id));
        let mut newest: Vec<&Known> = self.sessions.values().collect();
        newest.sort_by_key(|known| std::cmp::Reverse(known.session.used_at));
        newest.iter().take(TOLD_OF).filter_map(|known| self.untold(&known.session)).collect()
    }

    pub fn take_session(&mut self, session: Session, now: i64) -> Option<Read> {
        let read = self.untold(&session);
        self.sessions.insert(session.id.clone(), Known { session, read_at: now });
        read
    }

    fn untold(&self, session: &Session) -> Option<Read> {
        let known = self.told.get(&session.id).map_or(0, |(number, _)| *number);
        let number = session.turns;
        (number > known).then(|| Read::Told { session: session.id.clone(), number })
    }

    pub fn take_told(&mut self, session: String, number: i64, message: &str) {
        self.told.insert(session, (number, text::headline(message, STEP)));
    }

    pub fn forget(&mut self, id: &str) {
        self.sessions.remove(id);
        self.steps.remove(id);
        self.heard.remove(id);
        self.calls.remove(id);
        self.told.remove(id);
    }

    pub fn hear(&mut self, event: &Event) {
        let Some(session) = &event.session else { return };
        let body = || serde_json::from_str::<Value>(event.data.get()).unwrap_or_default();
        match event.kind.as_str() {
            "message" => {
                self.heard.insert(session.clone(), event.at);
                let message = serde_json::from_str::<Message>(event.data.get()).ok();
                let is_call = message.as_ref().is_some_and(|message| message.kind == MessageType::ToolUse);
                self.calls.insert(session.clone(), (event.at, is_call));
                if let Some(step) = message.as_ref().and_then(said::step) {
                    self.steps.insert(session.clone(), (event.at, text::headline(&step, STEP)));
                }
            }
            // What it did in the turn before is not what it does now.
            "turn.started" => {
                self.steps.remove(session);
            }
            "turn.finished" => self.end(event.seq, event.at, session, &body()),
            _ => {}
        }
    }

    fn end(&mut self, seq: i64, at: i64, session: &str, body: &Value) {
        if self.counted.as_ref().is_some_and(|counted| seq <= counted.event) {
            return;
        }
        let ending = body["ending"].as_str().unwrap_or("ended").to_owned();
        let reason = body["cause"]["reason"].as_str().map(str::to_owned);
        let error = Ending::deserialize(body).ok().and_then(|ending| ending.explain());
        let cost = body["costUsd"].as_f64().unwrap_or(0.0);
        self.ends.insert(seq, End { at, session: session.to_owned(), ending, reason, error, cost });
        while self.ends.len() > ENDS_KEPT {
            self.ends.pop_first();
        }
    }

    pub fn take_figures(&mut self, counted: Box<TurnFigures>) {
        // There is another log, with other numbers: what was heard is of the one before.
        if self.counted.as_ref().is_some_and(|before| before.event > counted.event) {
            self.ends.clear();
        }
        self.ends.retain(|seq, _| *seq > counted.event);
        self.counted = Some(counted);
    }

    pub fn has_much_to_count(&self) -> bool {
        self.ends.len() > MANY_ENDS
    }

    /// How each session's last turn ended.
    pub fn last_ends(&self) -> HashMap<&str, End> {
        let counted = self.counted.iter().flat_map(|counted| &counted.sessions).filter_map(|of| {
            let last = of.last.as_ref()?;
            let (ending, reason, error) = (last.ending.clone(), last.reason.clone(), last.error.clone());
            let end = End { at: last.at, session: of.session.clone(), ending, reason, error, cost: 0.0 };
            Some((of.session.as_str(), end))
        });
        counted.chain(self.ends.values().map(|end| (end.session.as_str(), end.clone()))).collect()
    }

    /// What each session has cost since midnight.
    pub fn costs(&self, midnight: i64) -> HashMap<&str, f64> {
        let counted = self.counted_since(midnight).into_iter().flat_map(|counted| &counted.sessions);
        let mut costs: HashMap<&str, f64> = counted.map(|of| (of.session.as_str(), of.cost_usd)).collect();
        for end in self.ends.values().filter(|end| end.at >= midnight) {
            *costs.entry(end.session.as_str()).or_insert(0.0) += end.cost;
        }
        costs
    }

    /// What all have cost since midnight.
    pub fn cost(&self, midnight: i64) -> f64 {
        let counted = self.counted_since(midnight).map_or(0.0, |counted| counted.cost_usd);
        let later = self.ends.values().filter(|end| end.at >= midnight).map(|end| end.cost);
        // The sum of nothing has a sign, which nobody wants to read.
        later.fold(counted, |sum, cost| sum + cost)
    }

    /// Of another day nothing is counted: whatever ended on this one was heard of since.
    fn counted_since(&self, midnight: i64) -> Option<&TurnFigures> {
        self.counted.as_deref().filter(|counted| counted.since == midnight)
    }

    /// It is writing just now.
    pub fn hear_writing(&mut self, session: &str, now: i64) {
        if let Some(heard) = self.heard.get_mut(session) {
            *heard = now;
        } else if self.sessions.contains_key(session) {
            self.heard.insert(session.to_owned(), now);
        }
    }

    /// When something was last heard of an agent that is at work and waits for nobody: what the daemon knew when it was
    /// asked, or what came in since.
    pub fn heard_at(&self, known: &Known) -> Option<i64> {
        let then = known.read_at - known.session.silent_ms?;
        Some(self.heard.get(&known.session.id).map_or(then, |heard| then.max(*heard)))
    }

    /// Those at work of whom nothing was heard lately. The daemon may have: of an agent that thinks it hears, and has nothing to
    /// pass on.
    pub fn to_ask_about(&self, now: i64) -> Vec<Read> {
        let is_quiet =
            |known: &&Known| self.heard_at(known).is_some_and(|heard| now - heard.max(known.read_at) >= ASKED_AFTER_MS);
        self.sessions.values().filter(is_quiet).map(|known| Read::Session(known.session.id.clone())).collect()
    }

    /// The newest of its agent is a call that has not come back.
    pub fn is_in_call(&self, session: &Session) -> bool {
        let heard = self.calls.get(&session.id);
        let last = session.last.as_ref().filter(|last| heard.is_none_or(|(at, _)| last.at > *at));
        last.map_or(heard.is_some_and(|(_, is_call)| *is_call), |last| last.kind == "tool_use")
    }

    /// What it does while it does something, else what it was told last.
    pub fn doing<'a>(&'a self, session: &'a Session) -> &'a str {
        let is_busy = session.running.is_some() || session.background > 0;
        let told = self.told.get(&session.id).map(|(_, told)| told.as_str()).unwrap_or_default();
        self.step(session).filter(|_| is_busy).unwrap_or(told)
    }

    /// The newest thing its agent said or did: as it was heard, or as the daemon had it when it was asked.
    fn step<'a>(&'a self, session: &'a Session) -> Option<&'a str> {
        let heard = self.steps.get(&session.id);
        let is_newer = |last: &&LastSaid| !last.text.is_empty() && heard.is_none_or(|(at, _)| last.at > *at);
        let last = session.last.as_ref().filter(is_newer).map(|last| last.text.as_str());
        last.or(heard.map(|(_, step)| step.as_str()))
    }

    /// Teams in their order, then those that only have conversations left; each with its sessions, those that need
    /// somebody first.
    pub fn rows(&self, open: &[Question], me: &str) -> Vec<Row> {
        let known: Vec<&str> = self.teams.iter().map(|team| team.name.as_str()).collect();
        let of_sessions = self.sessions.values().map(|known| known.session.to.as_str());
        let left: BTreeSet<&str> = of_sessions.filter(|team| !known.contains(team)).collect();
        let mut rows = Vec::new();
        for team in known.into_iter().chain(left) {
            rows.push(Row::Team(team.to_owned()));
            let mut sessions: Vec<(Mood, &Known)> = self
                .sessions
                .values()
                .filter(|known| known.session.to == team)
                .map(|known| (mood(&known.session, open, me), known))
                .collect();
            sessions.sort_by_key(|(mood, known)| {
                (mood.order, std::cmp::Reverse(known.session.used_at), known.session.id.clone())
            });
            rows.extend(sessions.into_iter().map(|(_, known)| Row::Session(known.session.id.clone())));
        }
        rows
    }

    /// Where the chosen one is in the list; what has gone leaves its place to the next.
    pub fn at(&self, rows: &[Row]) -> usize {
        let chosen = self.chosen.as_ref();
        let found = rows.iter().position(|row| Some(row) == chosen);
        found.unwrap_or(self.was_at).min(rows.len().saturating_sub(1))
    }

    pub fn choose(&mut self, rows: &[Row], at: usize) {
        let at = at.min(rows.len().saturating_sub(1));
        self.was_at = at;
        self.chosen = rows.get(at).cloned();
    }
}
