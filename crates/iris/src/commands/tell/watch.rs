//! Watching a turn: its reply as it comes, what it does, and what it waits for.

use std::time::Duration;

use iris_api::event::Event;
use iris_api::session::Session;
use iris_api::status::Status;
use iris_api::turn::{TellResponse, Turn};
use iris_core::message::{Message, MessageType};
use serde_json::Value;
use tokio::time::Instant;

use super::outcome::{self, Ended};
use super::patience::Patience;
use super::reply::{Reply, Rest};
use crate::client::follow::{Follower, Met};
use crate::client::{Client, ClientError};
use crate::exit::Exit;
use crate::failure::{Failure, Why};
use crate::interrupt::CtrlC;
use crate::moment;
use crate::printer::Printer;
use crate::said;

/// A team that is listened to.
pub struct Ear {
    follower: Follower,
    from: i64,
}

/// The whole team is followed, not only the turn, which is not there yet; and what happens to the turns ahead of it is
/// what is waited for.
pub async fn listen(client: &Client, team: &str) -> Result<Ear, Failure> {
    let from = client.get::<Status>(&["status"], &[]).await?.newest_event;
    let mut follower = Follower::new(client.clone(), vec![("team", team.to_owned())], from);
    follower.open().await?;
    Ok(Ear { follower, from })
}

pub async fn watch(
    client: Client,
    ear: Ear,
    told: &TellResponse,
    patience: Patience,
    ctrl_c: &mut CtrlC,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let waits = Waits::Queued { ahead: told.position };
    let began = Instant::now();
    let mut watched = Watched { told, printer, reply: Reply::default(), waits, held: None, away: false, began };
    let mut follower = ear.follower;
    if told.seq <= ear.from {
        // The key found an earlier turn: what it has said so far is read first, and its pieces are gone.
        let mut from_there = Follower::new(client.clone(), vec![("session", told.session_id.clone())], told.seq - 1);
        // Opened before the other goes: while one is open, an agent that tells is known to wait.
        from_there.open().await.map_err(|error| watched.lost(error))?;
        follower = from_there;
        watched.reply.lost_pieces();
        if let Ok(turn) = load(&client, &told.turn_id).await
            && turn.finished_at.is_some()
        {
            return watched.end(&client, Some(Ended::of(&turn))).await;
        }
    }
    let limit = match patience {
        Patience::Limit(limit) => Some(Instant::now() + limit.duration()),
        _ => None,
    };
    // What holds it may have happened before it was told.
    if let Ok(session) = client.get::<Session>(&["sessions", &told.session_id], &[]).await
        && let Some(until) = session.held_until
    {
        watched.hold(until);
    }
    watched.show_wait();
    loop {
        tokio::select! {
            met = follower.next() => {
                let met = met.map_err(|error| watched.lost(error))?;
                if let Turned::Over(ended) = watched.meet(met)? {
                    return watched.end(&client, ended).await;
                }
            }
            () = until(limit) => return watched.leave(&client).await,
            () = ctrl_c.pressed() => return Err(watched.broken_off()),
        }
    }
}

async fn until(limit: Option<Instant>) {
    match limit {
        Some(limit) => tokio::time::sleep_until(limit).await,
        None => std::future::pending().await,
    }
}

struct Watched<'a> {
    told: &'a TellResponse,
    printer: &'a mut Printer,
    reply: Reply,
    waits: Waits,
    /// A limit was reached, and is lifted then.
    held: Option<i64>,
    /// The daemon is, and with it all news.
    away: bool,
    began: Instant,
}

const AWAY: &str = "iris is away; waiting for it to come back…";
/// A rest that is not worth a word.
const SHORT_MS: i64 = 2_000;

/// What is being waited for.
enum Waits {
    Scheduled {
        due: i64,
    },
    Queued {
        ahead: i64,
    },
    Place,
    Start,
    Work,
    /// Its agent has asked something.
    Answer,
}

enum Turned {
    On,
    /// As the event says, if that can be read.
    Over(Option<Ended>),
}

impl Watched<'_> {
    fn meet(&mut self, met: Met) -> Result<Turned, Failure> {
        let mut turned = Turned::On;
        match met {
            Met::Event(event) => turned = self.event(&event)?,
            // What a program reads cannot be taken back: it gets each message when it is whole.
            Met::Delta(delta) if delta.turn == self.told.turn_id && self.printer.is_read_by_people() => {
                if delta.anew && self.reply.begin_anew() {
                    self.printer.end_line()?;
                    self.printer.note("it was cut off there, and begins anew:");
                }
                self.printer.piece(self.reply.piece(&delta.text))?;
            }
            Met::Delta(delta) if delta.turn == self.told.turn_id => {
                if delta.anew {
                    self.reply.begin_anew();
                }
                self.reply.hold(&delta.text);
            }
            Met::Delta(_) => {}
            Met::Cut { .. } => {
                self.reply.lost_pieces();
                self.away = true;
                if !self.printer.is_watched() {
                    self.printer.note(AWAY);
                }
                if self.printer.is_mid_line() {
                    self.printer.glimpse(AWAY);
                }
            }
            Met::Back => self.away = false,
        }
        if matches!(turned, Turned::On) {
            self.show_wait();
        }
        Ok(turned)
    }

    fn event(&mut self, event: &Event) -> Result<Turned, Failure> {
        if event.session.as_ref() != Some(&self.told.session_id) {
            return Ok(Turned::On);
        }
        let own = event.turn.as_ref() == Some(&self.told.turn_id);
        let body = || serde_json::from_str::<Value>(event.data.get()).unwrap_or_default();
        match (event.kind.as_str(), own) {
            ("message", true) => self.message(event)?,
            ("turn.finished", true) => return Ok(Turned::Over(Ended::by(event))),
            ("turn.started", true) => (self.waits, self.held) = (Waits::Work, None),
            ("turn.scheduled", true) => self.waits = Waits::Scheduled { due: body()["dueMs"].as_i64().unwrap_or(0) },
            ("turn.queued", true) => {
                self.waits = Waits::Queued { ahead: body()["position"].as_i64().unwrap_or(0) };
            }
            ("turn.finished", false) => {
                if let Waits::Queued { ahead } = &mut self.waits {
                    *ahead = (*ahead - 1).max(0);
                }
            }
            // How the turn ended may have gone with it, and would never be met.
            ("session.deleted", _) => return Err(outcome::deleted(&self.told.to)),
            ("session.waiting", _) => self.waits = Waits::Place,
            ("session.spawning", _) => self.waits = Waits::Start,
            ("session.held", _) => self.hold(body()["until"].as_i64().unwrap_or(0)),
            ("session.released", _) => self.held = None,
            ("question.opened", true) => self.waits = Waits::Answer,
            (kind, true) if kind.starts_with("question.") => self.waits = Waits::Work,
            _ => {}
        }
        Ok(Turned::On)
    }

    fn message(&mut self, event: &Event) -> Result<(), Failure> {
        let Ok(message) = serde_json::from_str::<Message>(event.data.get()) else { return Ok(()) };
        let text = message.text.as_deref().unwrap_or_default();
        if message.is_reply() {
            self.say(text)?;
        }
        if message.is_own() {
            self.printer.end_line()?;
            self.printer.note(text);
        }
        if message.kind == MessageType::ToolUse {
            let inside = if message.parent.is_some() { "  " } else { "" };
            let about = message.calls.first().and_then(|call| call.meaning.about.as_deref());
            self.printer.glimpse(&format!("{inside}· {}", said::call(text, about)));
        }
        Ok(())
    }

    fn say(&mut self, text: &str) -> Result<(), Failure> {
        match self.reply.message(text) {
            Rest::After(rest) => self.printer.piece(rest)?,
            Rest::Whole(whole) => {
                self.printer.end_line()?;
                self.printer.piece(whole)?;
            }
        }
        self.printer.end_line()
    }

    /// Nothing of the session is run before then. Who watches sees what is waited for; a log is told once.
    fn hold(&mut self, until: i64) {
        let is_news = self.held.replace(until) != Some(until) && until > iris_engine::wall_ms() + SHORT_MS;
        if is_news && !self.printer.is_watched() {
            self.printer.note(self.limit(until));
        }
    }

    fn limit(&self, until: i64) -> String {
        format!("{} waits until {}: a limit was reached", self.told.to, moment::zoned(until))
    }

    fn show_wait(&mut self) {
        if self.printer.is_mid_line() {
            return;
        }
        let team = &self.told.to;
        let what = match (&self.waits, self.held) {
            _ if self.away => AWAY.to_owned(),
            (Waits::Queued { .. } | Waits::Place, Some(until)) => format!("{},", self.limit(until)),
            (Waits::Scheduled { due }, _) => format!("{team} is told at {}:", moment::clock(*due)),
            (Waits::Queued { ahead: 0 }, _) => format!("waiting for {team}:"),
            (Waits::Queued { ahead: 1 }, _) => format!("waiting for {team}: 1 turn ahead,"),
            (Waits::Queued { ahead }, _) => format!("waiting for {team}: {ahead} turns ahead,"),
            (Waits::Place, _) => format!("waiting for {team}: all agents are at work,"),
            (Waits::Start, _) => format!("{team} is starting…"),
            (Waits::Work, _) => format!("{team} is working…"),
            (Waits::Answer, _) => format!("{team} has asked something: `iris inbox`,"),
        };
        self.printer.wait_for(&what);
    }

    /// The whole message does not come any more, or is not waited for.
    fn let_go(&mut self) -> Result<(), Failure> {
        let held = self.reply.let_go();
        self.printer.piece(&held)?;
        self.printer.end_line()
    }

    /// The turn is over. It is read only for what is not known: a daemon that is stopping announces the end of a turn as its
    /// last word.
    async fn end(&mut self, client: &Client, ended: Option<Ended>) -> Result<Exit, Failure> {
        let ended = match ended {
            Some(ended) if self.reply.said => ended,
            _ => {
                let turn = load(client, &self.told.turn_id).await.map_err(|error| self.lost(error))?;
                // An agent may give its answer only with the end.
                if let Some(whole) = turn.response.as_deref().filter(|whole| !whole.is_empty() && !self.reply.said) {
                    self.say(whole)?;
                }
                Ended::of(&turn)
            }
        };
        self.let_go()?;
        if ended.state != "completed" {
            // What is said then leads to the conversation, and whoever ended the turn may have done so to delete it.
            if client.get::<Session>(&["sessions", &self.told.session_id], &[]).await.is_err_and(|e| e.is_not_found()) {
                return Err(outcome::deleted(&self.told.to));
            }
            return Err(outcome::failure(&ended, &self.told.turn_id, &self.told.to));
        }
        let took = ended.duration_ms;
        let cost = if ended.cost_usd > 0.0 { format!(", ${:.4}", ended.cost_usd) } else { String::new() };
        // What was tried before, and what it waited for, is no part of the turn; whoever sat here knows of it.
        let whole = i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX);
        let whole = if whole > took + SHORT_MS { format!(" of {}", moment::span(whole)) } else { String::new() };
        self.printer.glimpse(&format!("{} took {}{whole}{cost}", self.told.to, moment::span(took)));
        Ok(Exit::Done)
    }

    /// The caller's patience is over; the turn is not.
    async fn leave(&mut self, client: &Client) -> Result<Exit, Failure> {
        self.let_go()?;
        let id = &self.told.session_id;
        let session: Option<Session> = client.get(&["sessions", id], &[]).await.ok();
        let what = match session {
            Some(Session { held_until: Some(until), .. }) => {
                format!("a limit was reached, it goes on at {}", moment::clock(until))
            }
            Some(session) if session.state.starts_with("waiting_for") => {
                "it has asked something: `iris inbox`".to_owned()
            }
            Some(_) => match load(client, &self.told.turn_id).await.ok().and_then(|turn| turn.note) {
                Some(note) if note.starts_with("waits") => format!("it {note}"),
                Some(note) => format!("it is {note}"),
                None => "still working".to_owned(),
            },
            None => "still working".to_owned(),
        };
        self.printer.note(format!("{what}; read it later with: iris cache inspect {id}"));
        Ok(Exit::Done)
    }

    fn broken_off(&mut self) -> Failure {
        if let Err(failure) = self.let_go() {
            return failure;
        }
        let turn = &self.told.turn_id;
        Failure::new(Why::BrokenOff, format!("no longer watching; {} works on", self.told.to))
            .hint(format!("read it: iris cache inspect {turn}\n      stop it: iris cancel --turn {turn}"))
    }

    fn lost(&mut self, error: ClientError) -> Failure {
        if error.is_not_found() {
            return outcome::deleted(&self.told.to);
        }
        if let Err(failure) = self.let_go() {
            return failure;
        }
        let turn = &self.told.turn_id;
        Failure::from(error).hint(format!("the turn is on disk; read it later: iris cache inspect {turn}"))
    }
}

/// Asked again for a little while, in which a daemon that has just ended may be back.
async fn load(client: &Client, turn: &str) -> Result<Turn, ClientError> {
    const TRIES: u32 = 60;
    for _ in 0..TRIES {
        match client.get(&["turns", turn], &[]).await {
            Err(error) if error.may_pass() => tokio::time::sleep(Duration::from_secs(1)).await,
            found => return found,
        }
    }
    client.get(&["turns", turn], &[]).await
}
