//! Everything that is known and shown. Pure: it changes by what is heard, read and pressed, and says what it wants.

pub mod entry;
pub mod fleet;
pub mod inbox;
pub mod mood;
pub mod problem;
pub mod session;

use std::time::Duration;

use crossterm::event::KeyCode;
use iris_api::event::Event;
use iris_api::question::Question;
use iris_api::status::Status;
use ratatui::layout::Size;

use super::edit::Editor;
use super::wish::{Act, Got, Read, Wish};
use crate::client::ClientError;
use crate::client::follow::Met;
use crate::commands::inbox::list;
use crate::printer::Tone;
use fleet::Fleet;
use inbox::Inbox;
use session::Conversation;

#[derive(Debug)]
pub struct State {
    /// Wall-clock milliseconds, as of the last time anything happened.
    pub now: i64,
    pub size: Size,
    pub address: String,
    /// The party we are.
    pub me: String,
    pub link: Link,
    pub status: Option<Status>,
    pub view: View,
    pub mode: Mode,
    pub notice: Option<Notice>,
    pub inbox: Inbox,
    pub fleet: Fleet,
    pub session: Option<Conversation>,
    /// The newest event that was heard.
    seen: i64,
    pub pressed: Option<Pressed>,
    /// What somebody wrote and what cannot be sent any more to whom it was meant for.
    pub kept: Vec<String>,
}

/// The key that was pressed last.
#[derive(Debug)]
pub struct Pressed {
    pub code: KeyCode,
    /// When it came last, and when it came last and was not taken for one that is held.
    pub last: i64,
    pub counted: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link {
    Live,
    /// What is shown is as it was then.
    Lost {
        since: i64,
        why: Option<String>,
    },
    /// It is there again, but what is shown still is as it was then, until all of this has been read.
    Back {
        since: i64,
        unread: Vec<Read>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    Inbox,
    Fleet,
    Session,
}

#[derive(Debug)]
pub enum Mode {
    Look,
    Help {
        scroll: usize,
    },
    Write {
        editor: Editor,
        purpose: Purpose,
    },
    /// Something that is done only if it is said again.
    Confirm {
        question: String,
        act: Act,
    },
}

#[derive(Clone, Debug)]
pub enum Purpose {
    /// As it was when it was open, or as it was closed: it stays in view for as long as somebody writes to it.
    Reply {
        question: Box<Question>,
    },
    Tell {
        team: String,
        from: String,
    },
}

/// What came of the last thing that was done.
#[derive(Clone, Debug)]
pub struct Notice {
    pub text: String,
    pub tone: Tone,
    pub at: i64,
    /// The question whose answer this is about.
    about: Option<String>,
}

/// A notice is read by then; one that something is wrong takes longer.
const NOTICE_MS: i64 = 10_000;
const BAD_NOTICE_MS: i64 = 60_000;

impl State {
    pub fn new(address: String, me: String, status: Status, now: i64, size: Size) -> Self {
        Self {
            now,
            size,
            address,
            me,
            link: Link::Live,
            seen: status.newest_event,
            pressed: None,
            kept: Vec::new(),
            status: Some(status),
            view: View::Inbox,
            mode: Mode::Look,
            notice: None,
            inbox: Inbox::default(),
            fleet: Fleet::default(),
            session: None,
        }
    }

    /// Everything that is shown whatever is looked at.
    pub fn everything() -> Vec<Read> {
        vec![Read::Questions, Read::Status, Read::Teams, Read::Sessions, Read::Ends, Read::Decided]
    }

    /// For whom the agent works that asks.
    pub fn party_of(&self, question: &Question) -> Option<String> {
        let known = self.fleet.sessions.get(&question.session);
        list::whom(question, known.map(|known| known.session.from.as_str()))
    }

    /// The time up to which what is shown is true.
    pub fn as_of(&self) -> i64 {
        match self.link {
            Link::Live => self.now,
            Link::Lost { since, .. } | Link::Back { since, .. } => since,
        }
    }

    pub fn say(&mut self, tone: Tone, text: impl Into<String>) {
        self.notice = Some(Notice { text: text.into(), tone, at: self.now, about: None });
    }

    /// What is to be read now. What came of an answer is not said under another question, as long as its own is there.
    pub fn notice(&self) -> Option<&Notice> {
        let is_open = |id: &String| self.inbox.questions.iter().any(|question| question.id == *id);
        let is_elsewhere = |id: &String| self.question().is_some_and(|looked_at| looked_at.id != *id);
        self.notice.as_ref().filter(|notice| !notice.about.as_ref().is_some_and(|id| is_open(id) && is_elsewhere(id)))
    }

    pub fn tick(&mut self, now: i64) {
        self.now = now;
        let lasts = |notice: &Notice| if notice.tone == Tone::Bad { BAD_NOTICE_MS } else { NOTICE_MS };
        self.notice.take_if(|notice| now - notice.at > lasts(notice));
    }

    /// Nobody is asked while the connection is away.
    pub fn to_ask_about(&self) -> Vec<Wish> {
        let live = matches!(self.link, Link::Live).then(|| self.fleet.to_ask_about(self.now));
        live.into_iter().flatten().map(Wish::Read).collect()
    }

    pub fn resize(&mut self, size: Size) {
        self.size = size;
        self.inbox.unroll();
        if let Some(session) = &mut self.session {
            session.draw(usize::from(size.width));
        }
    }

    pub fn meet(&mut self, met: Result<Met, ClientError>) -> Vec<Wish> {
        match met {
            Ok(Met::Event(event)) => self.hear(&event).into_iter().map(Wish::Read).collect(),
            Ok(Met::Delta(delta)) => {
                self.fleet.hear_writing(&delta.session, self.now);
                let looked_at = self.session.as_mut().filter(|session| session.id == delta.session);
                looked_at.into_iter().for_each(|session| session.write(&delta));
                Vec::new()
            }
            Ok(Met::Cut { unheard }) => {
                self.lose(None, unheard);
                Vec::new()
            }
            Ok(Met::Back) => {
                // What came of an answer is to be read also if the connection was away only for a moment.
                self.notice.take_if(|notice| notice.about.is_none());
                let unread = vec![Read::Questions, Read::Status, Read::Teams, Read::Sessions];
                self.link = Link::Back { since: self.as_of(), unread };
                Self::everything().into_iter().map(Wish::Read).collect()
            }
            Err(error) => {
                self.lose(Some(error.to_string()), Duration::ZERO);
                Vec::new()
            }
        }
    }

    fn lose(&mut self, why: Option<String>, unheard: Duration) {
        let since = self.as_of().min(self.now - unheard.as_millis() as i64);
        self.link = Link::Lost { since, why };
        self.session.iter_mut().for_each(Conversation::lost_pieces);
    }

    /// What an event makes out of date.
    fn hear(&mut self, event: &Event) -> Vec<Read> {
        self.seen = self.seen.max(event.seq);
        self.fleet.hear(event);
        let looked_at = self.session.as_mut().filter(|session| Some(&session.id) == event.session.as_ref());
        let mut stale: Vec<Read> = looked_at.and_then(|session| session.hear(event)).into_iter().collect();
        let noun = event.kind.split('.').next().unwrap_or_default();
        if matches!(noun, "question" | "rule") {
            stale.extend([Read::Questions, Read::Decided]);
        }
        if self.fleet.has_much_to_count() {
            stale.push(Read::Ends);
        }
        if matches!(noun, "session" | "turn" | "question") {
            match &event.session {
                Some(session) if event.kind == "session.deleted" => self.fleet.forget(session),
                Some(session) => stale.push(Read::Session(session.clone())),
                None => {}
            }
            stale.extend([Read::Teams, Read::Status]);
        }
        if matches!(noun, "daemon" | "config") {
            stale.extend([Read::Questions, Read::Status, Read::Teams, Read::Sessions]);
        }
        stale
    }

    pub fn got(&mut self, read: &Read, got: Got) -> Vec<Wish> {
        if let Link::Back { unread, .. } = &mut self.link {
            unread.retain(|other| other != read);
            if unread.is_empty() {
                self.link = Link::Live;
            }
        }
        let reads: Vec<Read> = match got {
            Got::Questions(questions) => {
                self.kept.extend(self.inbox.take(questions, &self.me, self.now));
                self.look_at_question();
                self.miss_question().into_iter().collect()
            }
            Got::Question(closed) => {
                if let Mode::Write { purpose: Purpose::Reply { question }, .. } = &mut self.mode
                    && question.id == closed.id
                {
                    *question = closed;
                }
                Vec::new()
            }
            Got::Status { status, address } => return self.take_status(*status, address),
            Got::Teams(teams) => {
                self.fleet.teams = teams;
                Vec::new()
            }
            Got::Sessions(sessions) => self.fleet.take_sessions(sessions, self.now),
            Got::Session(session) => self.fleet.take_session(*session, self.now).into_iter().collect(),
            Got::Told { session, number, turn } => {
                let told = turn.map(|turn| turn.origin.unwrap_or(turn.message)).unwrap_or_default();
                self.fleet.take_told(session, number, &told);
                Vec::new()
            }
            Got::Turn(turn) => {
                self.session.iter_mut().for_each(|session| session.take_turn(&turn));
                Vec::new()
            }
            Got::Page { session, page, piece } => {
                let looked_at = self.session.as_mut().filter(|looked_at| looked_at.id == session);
                looked_at.map(|looked_at| looked_at.take(&page, piece)).unwrap_or_default()
            }
            Got::Ends(figures) => {
                self.fleet.take_figures(figures);
                Vec::new()
            }
            Got::Decided { since, count } => {
                self.inbox.decided = Some((since, count));
                Vec::new()
            }
        };
        reads.into_iter().map(Wish::Read).collect()
    }

    /// Which question keys in the session answer now.
    pub fn look_at_question(&mut self) {
        let Some(session) = &mut self.session else { return };
        let asked = self.inbox.of_session(&session.id).map(|question| question.id.clone());
        session.ask(asked, self.now);
    }

    /// The one that is being answered may be closed by somebody else meanwhile.
    fn miss_question(&mut self) -> Option<Read> {
        match &self.mode {
            Mode::Write { purpose: Purpose::Reply { question }, .. }
                if question.state == "open" && self.closed(question).is_some() =>
            {
                Some(Read::Question(question.id.clone()))
            }
            Mode::Confirm { act: Act::Answer { id, .. }, .. } if self.inbox.find(id).is_none() => {
                self.mode = Mode::Look;
                self.say(Tone::Bad, "nothing was done: what you were asked about is not open any more");
                None
            }
            _ => None,
        }
    }

    /// What became of a question that is not open any more, as far as is known.
    pub fn closed(&self, question: &Question) -> Option<String> {
        match self.inbox.find(&question.id) {
            Some(_) => None,
            None if question.state == "open" => Some("closed".to_owned()),
            None => Some(list::closing(question)),
        }
    }

    fn take_status(&mut self, status: Status, address: String) -> Vec<Wish> {
        self.address = address;
        let newest = status.newest_event;
        self.status = Some(status);
        if newest >= self.seen {
            return Vec::new();
        }
        // The daemon has another log than before: an older copy was put back.
        self.seen = newest;
        let reload = self.session.as_mut().and_then(Conversation::reload);
        let reads = Self::everything().into_iter().chain(reload).map(Wish::Read);
        [Wish::Follow(newest)].into_iter().chain(reads).collect()
    }

    /// Something could not be read, and that will not change by itself.
    pub fn missed(&mut self, read: &Read, error: &ClientError) {
        let is_gone = matches!(error, ClientError::Refused(problem) if problem.kind == "not_found");
        match read {
            Read::Session(id) if is_gone => self.fleet.forget(id),
            Read::Question(_) | Read::Turn(_) | Read::Told { .. } if is_gone => {}
            Read::Page { page, .. } => {
                self.session.iter_mut().for_each(|session| session.gave_up(page));
                self.say(Tone::Bad, error.to_string());
            }
            _ => self.say(Tone::Bad, error.to_string()),
        }
    }

    pub fn acted(&mut self, act: &Act, came: Result<String, String>) -> Vec<Wish> {
        let was_taken = came.is_ok();
        match came {
            Ok(text) => self.say(Tone::Good, text),
            Err(text) => self.say(Tone::Bad, text),
        }
        let words = act.words().filter(|_| !was_taken);
        let Act::Answer { id, .. } = act else {
            words.into_iter().for_each(|words| self.keep(words));
            return Vec::new();
        };
        self.inbox.sending.remove(id);
        words.into_iter().for_each(|words| self.put_right(id, words));
        self.notice.iter_mut().for_each(|notice| notice.about = Some(id.clone()));
        vec![Wish::Read(Read::Questions)]
    }

    /// What was not taken is there again, to be put right: at once if the question is still looked at.
    fn put_right(&mut self, id: &str, typed: &str) {
        let looked_at = self.question().filter(|question| question.id == id && matches!(self.mode, Mode::Look));
        if let Some(question) = looked_at.cloned() {
            let purpose = Purpose::Reply { question: Box::new(question) };
            self.mode = Mode::Write { editor: Editor::with(typed), purpose };
        } else if self.inbox.find(id).is_some() {
            self.inbox.unsent.insert(id.to_owned(), typed.to_owned());
        } else {
            self.keep(typed);
        }
    }

    /// It never comes back by itself: it was meant for somebody else.
    pub fn keep(&mut self, words: &str) {
        self.kept.push(words.to_owned());
        self.notice.iter_mut().for_each(|notice| notice.text.push_str("; Ctrl-Y has your words, where you write"));
    }
}
