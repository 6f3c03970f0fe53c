//! What a key means, where it is pressed.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use iris_api::question::{Question, Response};
use serde_json::Value;

use super::draw;
use super::edit::{Editor, Typed};
use super::state::fleet::Row;
use super::state::inbox::{is_risky, is_unknowable, is_yes_or_no, numbered, written_before};
use super::state::session::Conversation;
use super::state::{Mode, Pressed, Purpose, State, View};
use super::wish::{Act, Wish};
use crate::commands::answer::response;
use crate::commands::inbox::how;
use crate::printer::Tone;

/// A key that comes again within this time of what it did may be held down, or was pressed without looking in between: no
/// terminal says which. Longer than keyboards commonly wait until they repeat a key.
const HELD_MS: i64 = 1000;
/// From then on a key that is held comes more often than this, and nobody presses one so quickly.
const REPEATS_MS: i64 = 150;

impl State {
    pub fn press(&mut self, key: KeyEvent) -> Vec<Wish> {
        let before = self.pressed.take().filter(|before| before.code == key.code);
        let is_within = |since: i64, most: i64| (0..most).contains(&(self.now - since));
        let is_held = before
            .as_ref()
            .is_some_and(|before| is_within(before.last, REPEATS_MS) || is_within(before.counted, HELD_MS));
        // A press that is refused keeps nobody waiting for longer.
        let counted = before.filter(|_| is_held).map_or(self.now, |before| before.counted);
        self.pressed = Some(Pressed { code: key.code, last: self.now, counted });
        match &self.mode {
            Mode::Look if is_held && is_decisive(key.code) && self.question().is_some() => self.look_first(),
            Mode::Confirm { .. } if is_held => self.look_first(),
            Mode::Look => self.look(key),
            Mode::Help { .. } => self.help(key),
            Mode::Write { .. } => self.write(key),
            Mode::Confirm { .. } => self.confirm(key),
        }
    }

    /// One press of a key decides one thing.
    fn look_first(&mut self) -> Vec<Wish> {
        self.say(Tone::Plain, "too quick: look, then press it again");
        Vec::new()
    }

    pub fn paste(&mut self, pasted: &str) {
        match &mut self.mode {
            Mode::Write { editor, .. } => editor.paste(pasted),
            // What was pasted by mistake is no answer.
            _ => self.say(Tone::Plain, "pasted text goes where you write: r replies, t tells"),
        }
    }

    fn look(&mut self, key: KeyEvent) -> Vec<Wish> {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return match key.code {
                KeyCode::Char('d') => self.page(1),
                KeyCode::Char('u') => self.page(-1),
                _ => Vec::new(),
            };
        }
        match key.code {
            KeyCode::Char('q') => vec![Wish::Leave],
            KeyCode::Char('?') => {
                self.mode = Mode::Help { scroll: 0 };
                Vec::new()
            }
            KeyCode::Tab => self.turn_to(self.next_view(1)),
            KeyCode::BackTab => self.turn_to(self.next_view(2)),
            KeyCode::Char('i') => self.turn_to(View::Inbox),
            KeyCode::Char('f') => self.turn_to(View::Fleet),
            KeyCode::Esc => self.back(),
            KeyCode::Down | KeyCode::Char('j') => self.step(1),
            KeyCode::Up | KeyCode::Char('k') => self.step(-1),
            KeyCode::PageDown | KeyCode::Char(' ') => self.page(1),
            KeyCode::PageUp | KeyCode::Char('b') => self.page(-1),
            KeyCode::Home | KeyCode::Char('g') => self.step(isize::MIN),
            KeyCode::End | KeyCode::Char('G') => self.seek_end(),
            KeyCode::Enter => self.enter(),
            code => self.act(code),
        }
    }

    fn next_view(&self, by: usize) -> View {
        let views = match self.session {
            Some(_) => &[View::Inbox, View::Fleet, View::Session][..],
            None => &[View::Inbox, View::Fleet],
        };
        let at = views.iter().position(|view| *view == self.view).unwrap_or(0);
        // Two forward is one back among three, and as good among two.
        let by = if by == 2 { views.len() - 1 } else { by };
        views[(at + by) % views.len()]
    }

    fn turn_to(&mut self, view: View) -> Vec<Wish> {
        self.view = view;
        Vec::new()
    }

    fn back(&mut self) -> Vec<Wish> {
        self.notice = None;
        if self.view == View::Session { self.turn_to(View::Fleet) } else { Vec::new() }
    }

    fn step(&mut self, by: isize) -> Vec<Wish> {
        match self.view {
            View::Inbox => self.inbox.choose(self.inbox.at().saturating_add_signed(by)),
            View::Fleet => {
                let rows = self.rows();
                self.fleet.choose(&rows, self.fleet.at(&rows).saturating_add_signed(by));
            }
            View::Session => return self.scroll(by),
        }
        Vec::new()
    }

    fn page(&mut self, by: isize) -> Vec<Wish> {
        let height = isize::try_from(draw::body(self.size).height).unwrap_or(1);
        let by = by * (height / 2).max(1);
        match self.view {
            View::Inbox => self.read_on(by),
            View::Fleet => self.step(by),
            View::Session => self.scroll(by),
        }
    }

    /// Scrolls the chosen question, by less than is in view of it: no line is passed over.
    fn read_on(&mut self, by: isize) -> Vec<Wish> {
        let reach = draw::inbox::reach(self);
        self.inbox.seen = self.inbox.seen.max(reach.end);
        let most = isize::try_from(reach.height.saturating_sub(1).max(1)).unwrap_or(isize::MAX);
        let scroll = self.inbox.scroll.saturating_add_signed(by.clamp(-most, most));
        self.inbox.scroll = scroll.min(reach.lines.saturating_sub(reach.height));
        self.inbox.seen = self.inbox.seen.max(draw::inbox::reach(self).end);
        Vec::new()
    }

    fn scroll(&mut self, by: isize) -> Vec<Wish> {
        let (height, tail) = (draw::session::height(self.size), draw::session::tail(self).len());
        let read = self.session.as_mut().and_then(|session| session.scroll(by, height, tail));
        read.into_iter().map(Wish::Read).collect()
    }

    fn seek_end(&mut self) -> Vec<Wish> {
        match self.view {
            View::Session => {
                let read = self.session.as_mut().and_then(Conversation::seek_newest);
                read.into_iter().map(Wish::Read).collect()
            }
            _ => self.step(isize::MAX),
        }
    }

    fn enter(&mut self) -> Vec<Wish> {
        let session = match self.view {
            View::Inbox => self.inbox.chosen().map(|question| question.session.clone()),
            View::Fleet => self.session_at_hand(),
            View::Session => None,
        };
        session.map(|id| self.open(&id)).unwrap_or_default()
    }

    /// The chosen one; of a chosen team the first, which is the line below it.
    fn session_at_hand(&mut self) -> Option<String> {
        let rows = self.rows();
        let at = self.fleet.at(&rows);
        match (rows.get(at)?, rows.get(at + 1)) {
            (Row::Session(id), _) | (Row::Team(_), Some(Row::Session(id))) => Some(id.clone()),
            (Row::Team(team), _) => {
                self.say(Tone::Plain, format!("nobody has told {team} anything yet; t does"));
                None
            }
        }
    }

    fn open(&mut self, id: &str) -> Vec<Wish> {
        let Some(known) = self.fleet.sessions.get(id) else {
            self.say(Tone::Bad, "that session is not there any more");
            return Vec::new();
        };
        self.view = View::Session;
        if self.session.as_ref().is_some_and(|session| session.id == id) {
            return Vec::new();
        }
        let (team, from) = (&known.session.to, &known.session.from);
        let mut session = Conversation::new(id, team, from, usize::from(self.size.width));
        let read = session.seek_newest();
        self.session = Some(session);
        self.look_at_question();
        read.into_iter().map(Wish::Read).collect()
    }

    fn rows(&self) -> Vec<Row> {
        self.fleet.rows(&self.inbox.questions, &self.me)
    }

    fn chosen_row(&self) -> Option<Row> {
        let rows = self.rows();
        rows.get(self.fleet.at(&rows)).cloned()
    }

    /// The question that keys answer where one looks. What one writes to stays, whatever becomes of it.
    pub(super) fn question(&self) -> Option<&Question> {
        match (&self.mode, self.view) {
            (Mode::Write { purpose: Purpose::Reply { question }, .. }, _) => Some(question),
            (_, View::Inbox) => self.inbox.chosen(),
            (_, View::Fleet) => None,
            (_, View::Session) => self.session.as_ref().and_then(|session| self.inbox.of_session(&session.id)),
        }
    }

    /// The team and whose conversation with it is meant.
    fn party(&self) -> Option<(String, String)> {
        match self.view {
            View::Inbox => None,
            View::Session => self.session.as_ref().map(|session| (session.team.clone(), session.from.clone())),
            View::Fleet => match self.chosen_row()? {
                Row::Team(team) => Some((team, self.me.clone())),
                Row::Session(id) => {
                    let session = &self.fleet.sessions.get(&id)?.session;
                    Some((session.to.clone(), session.from.clone()))
                }
            },
        }
    }

    fn act(&mut self, code: KeyCode) -> Vec<Wish> {
        let KeyCode::Char(c) = code else { return Vec::new() };
        if let Some(question) = self.question().cloned() {
            let given = match c {
                'y' if is_yes_or_no(&question) => numbered(&question, 1),
                'n' if is_yes_or_no(&question) => numbered(&question, 2),
                'r' => {
                    self.write_to(Purpose::Reply { question: Box::new(question) });
                    return Vec::new();
                }
                digit => digit.to_digit(10).and_then(|number| numbered(&question, number as usize)),
            };
            if let Some(response) = given {
                return self.answer(&question, response);
            }
            if c.is_ascii_digit() || matches!(c, 'y' | 'n') {
                let why = match how::typed(&question) {
                    Some(_) => "no one key is the answer to this question; r answers",
                    None => "this question has no such answer; r replies in your own words",
                };
                self.say(Tone::Plain, why);
                return Vec::new();
            }
        }
        let Some((team, from)) = self.party() else { return Vec::new() };
        match c {
            't' => self.write_to(Purpose::Tell { team, from }),
            'w' => return self.perform(Act::Wake { team, from }),
            's' => return self.perform(Act::Sleep { team, from }),
            'c' => {
                let question = format!("cancel what {team} does for {from}, and what waits?");
                self.mode = Mode::Confirm { question, act: Act::Cancel { team, from } };
            }
            _ => {}
        }
        Vec::new()
    }

    fn answer(&mut self, question: &Question, response: Response) -> Vec<Wish> {
        if self.inbox.sending.contains(&question.id) {
            return Vec::new();
        }
        let is_deaf = match self.view {
            View::Session => self.session.as_ref().is_some_and(|session| session.is_deaf(self.now)),
            _ => self.inbox.is_deaf(self.now),
        };
        if is_deaf {
            self.say(Tone::Plain, "another question has just moved up here; look, then press again");
            return Vec::new();
        }
        let is_no = response.value == Value::Bool(false);
        let meant = match &response.value {
            Value::Bool(_) => format!("let {} do it", question.team),
            value => format!("answer {}", label(question, value)),
        };
        let digest = question.action.as_ref().map(|action| action.digest.clone());
        let act = Act::Answer { id: question.id.clone(), digest, response, typed: None };
        let unseen = match self.view {
            View::Session => draw::session::unseen(self),
            _ => draw::inbox::unseen(self),
        };
        // A no harms nobody.
        let doubt = doubt(question, unseen).filter(|_| !is_no);
        match doubt {
            Some(doubt) => {
                self.mode = Mode::Confirm { question: format!("{doubt}: {meant}?"), act };
                Vec::new()
            }
            None => self.perform(act),
        }
    }

    fn perform(&mut self, act: Act) -> Vec<Wish> {
        let doing = match &act {
            Act::Answer { id, .. } => {
                self.inbox.sending.insert(id.clone());
                // What was written before and left is given up for this.
                self.inbox.unsent.remove(id);
                "answering…".to_owned()
            }
            Act::Wake { team, .. } => format!("waking {team}…"),
            Act::Sleep { team, .. } => format!("putting {team} to sleep…"),
            Act::Cancel { team, .. } => format!("cancelling what {team} does…"),
            Act::Tell { team, .. } => format!("telling {team}…"),
        };
        self.say(Tone::Plain, doing);
        vec![Wish::Act(act)]
    }

    fn confirm(&mut self, key: KeyEvent) -> Vec<Wish> {
        let Mode::Confirm { act, .. } = std::mem::replace(&mut self.mode, Mode::Look) else { return Vec::new() };
        // Never a key that asks: one that is held down would answer itself.
        if key.code == KeyCode::Enter {
            return self.perform(act);
        }
        self.say(Tone::Plain, "nothing was done");
        Vec::new()
    }

    fn help(&mut self, key: KeyEvent) -> Vec<Wish> {
        let Mode::Help { scroll } = &mut self.mode else { return Vec::new() };
        match key.code {
            KeyCode::Down | KeyCode::Char('j') | KeyCode::PageDown | KeyCode::Char(' ') => {
                *scroll = (*scroll + 1).min(draw::help::unseen(self.size));
            }
            KeyCode::Up | KeyCode::Char('k') | KeyCode::PageUp => *scroll = scroll.saturating_sub(1),
            _ => self.mode = Mode::Look,
        }
        Vec::new()
    }

    fn write_to(&mut self, purpose: Purpose) {
        self.notice = None;
        let unsent = match &purpose {
            // Without words of one's own, what was answered to the same before is what one would write.
            Purpose::Reply { question } => self.inbox.unsent.remove(&question.id).or_else(|| written_before(question)),
            Purpose::Tell { .. } => None,
        };
        let editor = unsent.map(|typed| Editor::with(&typed)).unwrap_or_default();
        self.mode = Mode::Write { editor, purpose };
    }

    fn write(&mut self, key: KeyEvent) -> Vec<Wish> {
        let Mode::Write { editor, purpose } = &mut self.mode else { return Vec::new() };
        if key.code == KeyCode::Char('y') && key.modifiers.contains(KeyModifiers::CONTROL) {
            self.kept.pop().into_iter().for_each(|words| editor.paste(&words));
            return Vec::new();
        }
        let typed = editor.press(key);
        let purpose = purpose.clone();
        match typed {
            Typed::On => {}
            Typed::Left(text) => self.leave(&purpose, text.trim()),
            Typed::Done(text) if text.trim().is_empty() => self.leave(&purpose, ""),
            Typed::Done(text) => return self.written(purpose, text.trim()),
        }
        Vec::new()
    }

    /// What was written to a question is there when one comes back to it, and kept if nobody can any more.
    fn leave(&mut self, purpose: &Purpose, text: &str) {
        self.mode = Mode::Look;
        self.say(Tone::Plain, "nothing was sent");
        let Purpose::Reply { question } = purpose else { return };
        let is_closed = self.closed(question).is_some();
        if is_closed {
            self.inbox.move_up(self.now);
            self.session.iter_mut().for_each(|session| session.move_up(self.now));
        }
        match text {
            "" => {}
            text if is_closed => self.keep(text),
            text => drop(self.inbox.unsent.insert(question.id.clone(), text.to_owned())),
        }
    }

    /// A reply that does not fit stays, to be put right.
    fn written(&mut self, purpose: Purpose, text: &str) -> Vec<Wish> {
        let act = match purpose {
            Purpose::Tell { team, from } => Ok(Act::Tell { team, from, text: text.to_owned() }),
            Purpose::Reply { question } => self.reply(&question, text),
        };
        match act {
            Ok(act) => {
                self.mode = Mode::Look;
                self.perform(act)
            }
            Err(why) => {
                self.say(Tone::Bad, why);
                Vec::new()
            }
        }
    }

    fn reply(&self, question: &Question, text: &str) -> Result<Act, String> {
        if let Some(closed) = self.closed(question) {
            return Err(format!("Esc keeps your words; they cannot be sent: already {closed}"));
        }
        let words: Vec<String> = match question.questions.len() {
            // To an approval, words are why not.
            _ if is_yes_or_no(question) => vec!["no".to_owned(), text.to_owned()],
            0 | 1 => vec![text.to_owned()],
            // Several questions, each its answer.
            _ => how::split(question, text)?,
        };
        let response = match how::refusal(question) {
            Some(no) => Response { kind: None, value: Value::from(no.value.as_str()), text: Some(text.to_owned()) },
            None => response(question, &words).map_err(|failure| failure.message)?,
        };
        let digest = question.action.as_ref().map(|action| action.digest.clone());
        Ok(Act::Answer { id: question.id.clone(), digest, response, typed: Some(text.to_owned()) })
    }
}

fn is_decisive(code: KeyCode) -> bool {
    matches!(code, KeyCode::Char('y' | 'n' | '0'..='9'))
}

fn label<'a>(question: &'a Question, value: &'a Value) -> &'a str {
    let value = value.as_str().unwrap_or_default();
    question.options.iter().find(|option| option.value == value).map_or(value, |option| &option.label)
}

/// Why an answer is asked for twice, and how much of what it is about has not been seen.
fn doubt(question: &Question, unseen: usize) -> Option<String> {
    let risk = question.risk.as_deref();
    let lines = match unseen {
        1 => "1 line not seen".to_owned(),
        unseen => format!("{unseen} lines not seen"),
    };
    let asks_leave = is_yes_or_no(question);
    let why = if asks_leave && risk != Some("high") && is_unknowable(question) {
        "what it may do cannot be known".to_owned()
    } else if asks_leave && is_risky(question) {
        format!("the risk is {}", risk.unwrap_or("not known"))
    } else {
        return Some(lines).filter(|_| (question.action.is_some() || !asks_leave) && unseen > 0);
    };
    Some(if unseen > 0 { format!("{why}, {lines}") } else { why })
}
