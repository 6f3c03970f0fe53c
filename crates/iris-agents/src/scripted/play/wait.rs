//! Waiting, with an ear on the host: the only places where a turn stands still and can be interrupted.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Cut, Played, Player};
use crate::scripted::input::{CommandEnd, Event, Response};
use crate::scripted::script::Delay;

/// What is waited for. An interrupt ends every wait.
pub enum Until<'a> {
    Time(Instant),
    Answer(&'a str),
    Command { serial: u64, deadline: Instant },
    Never,
}

pub enum Woken {
    Time,
    Answer(Response),
    Command(CommandEnd),
    /// The host closed the pipe, so no answer will come.
    Closed,
}

/// An interrupt that is still to be answered, because some lines must go before the answer.
pub struct Interrupt {
    pub id: String,
    pub cancel_queued: bool,
}

/// What an event was, once the player has done with it what it always does.
enum Received {
    Nothing,
    Interrupt(Interrupt),
    Answer(String, Response),
    Command(CommandEnd),
}

impl Player {
    pub fn pause(&mut self, delay: Delay) -> Played {
        if !delay.0.is_zero() {
            self.wait(&Until::Time(Self::deadline(delay)))?;
        }
        Ok(())
    }

    pub fn wait(&mut self, until: &Until<'_>) -> Played<Woken> {
        self.output.flush();
        loop {
            if let Until::Answer(id) = until {
                if let Some(response) = self.answers.remove(*id) {
                    return Ok(Woken::Answer(response));
                }
                if self.closed {
                    return Ok(Woken::Closed);
                }
            }
            let Some(event) = self.next_event(until) else {
                return Ok(Woken::Time);
            };
            match self.receive(event)? {
                Received::Nothing => {}
                Received::Interrupt(interrupt) => self.obey(&interrupt, until)?,
                Received::Answer(id, response) => {
                    self.answers.insert(id, response);
                }
                Received::Command(end) => {
                    if matches!(until, Until::Command { serial, .. } if *serial == end.serial) {
                        return Ok(Woken::Command(end));
                    }
                }
            }
            self.play_between()?;
        }
    }

    /// Looks for an interrupt without waiting: for steps that write much and pause never.
    pub fn glance(&mut self) -> Played {
        while let Some(event) = self.inbox.poll() {
            match self.receive(event)? {
                Received::Interrupt(interrupt) => self.obey(&interrupt, &Until::Never)?,
                Received::Answer(id, response) => {
                    self.answers.insert(id, response);
                }
                Received::Nothing | Received::Command(_) => {}
            }
        }
        Ok(())
    }

    /// One event while no turn and no background work is on.
    pub fn idle(&mut self) -> Played {
        self.output.flush();
        let event = self.inbox.next(None).expect("there is no deadline");
        if let Received::Interrupt(interrupt) = self.receive(event)? {
            self.answer_interrupt(&interrupt);
            self.output.flush();
        }
        Ok(())
    }

    fn next_event(&mut self, until: &Until<'_>) -> Option<Event> {
        let deadline = match until {
            Until::Time(deadline) | Until::Command { deadline, .. } => Some(*deadline),
            Until::Answer(_) => None,
            Until::Never if self.closed => loop {
                thread::sleep(Duration::from_secs(3600));
            },
            Until::Never => None,
        };
        self.inbox.next(deadline)
    }

    fn receive(&mut self, event: Event) -> Played<Received> {
        Ok(match event {
            Event::User(message) => {
                self.lifecycle(message.uuid.as_deref(), "queued");
                self.queue.push_back(message);
                if self.turn_running {
                    self.output.flush();
                }
                Received::Nothing
            }
            Event::Request { id, request } => match self.answer_host(id, &request)? {
                Some(interrupt) => Received::Interrupt(interrupt),
                None => Received::Nothing,
            },
            Event::Response { id, response } => Received::Answer(id, response),
            Event::CommandEnded(end) => Received::Command(end),
            Event::Closed => {
                self.closed = true;
                Received::Nothing
            }
            Event::Fatal(message) => {
                self.output.flush();
                crate::scripted::tell_stderr(&message);
                return Err(Cut::Leave(1));
            }
        })
    }

    /// An interrupt ends the running turn. It also ends background work, unless the host said in `initialize` that it
    /// can stop tasks one by one.
    fn obey(&mut self, interrupt: &Interrupt, until: &Until<'_>) -> Played {
        let stops = self.turn_running || !self.background.survives_interrupts;
        if let (Until::Answer(id), true) = (until, stops) {
            self.output.line(&json!({"type": "control_cancel_request", "request_id": id}));
        }
        self.answer_interrupt(interrupt);
        if self.turn_running && !self.background.survives_interrupts {
            self.stop_background();
        }
        if stops { Err(Cut::Interrupted) } else { Ok(()) }
    }

    fn answer_interrupt(&mut self, interrupt: &Interrupt) {
        let queued: Vec<String> = self.queue.iter().filter_map(|m| m.uuid.clone()).collect();
        let mut answer = json!({"still_queued": queued});
        if interrupt.cancel_queued {
            self.queue.clear();
            for uuid in &queued {
                self.lifecycle(Some(uuid), "cancelled");
            }
            answer = json!({"still_queued": [], "cancelled": queued});
        }
        self.succeed(&interrupt.id, answer);
    }

    /// While only background work is on, a message does not wait for it: its turn is played inside the wait.
    fn play_between(&mut self) -> Played {
        if self.turn_running {
            return Ok(());
        }
        while let Some(message) = self.queue.pop_front() {
            self.play_message(message)?;
        }
        if std::mem::take(&mut self.background.stop_current) {
            return Err(Cut::Interrupted);
        }
        Ok(())
    }

    /// Asks the host something and waits for the answer.
    pub fn request(&mut self, request: Value) -> Played<Woken> {
        let id = self.ids.uuid();
        self.output.line(&json!({"type": "control_request", "request_id": id.as_str(), "request": request}));
        self.wait(&Until::Answer(id.as_str()))
    }
}
