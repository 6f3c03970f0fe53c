//! Progress: what an agent has written so far, and that it is still at work. A client that hears of it does not give up.

use std::time::Duration;

use iris_engine::bus::Delta;
use iris_engine::tool::Told;
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::Door;

/// At most this often, however fast the agent writes.
const SOON: Duration = Duration::from_millis(250);
/// And at least this often, though it writes nothing.
const QUIET: Duration = Duration::from_secs(3);
/// How much of the text is shown: its end.
const SHOWN: usize = 600;

/// `None` if the client does not want any.
pub(super) struct Progress(Option<Wanted>);

struct Wanted {
    token: ProgressToken,
    peer: Peer<RoleServer>,
    told: Told,
    deltas: Receiver<Delta>,
    began: Instant,
    text: String,
}

impl Progress {
    pub fn of(door: &Door, context: &RequestContext<RoleServer>, told: &Told) -> Self {
        Self(context.meta.get_progress_token().map(|token| Wanted {
            token,
            peer: context.peer.clone(),
            told: told.clone(),
            deltas: door.app.engine.bus().subscribe().1,
            began: Instant::now(),
            text: String::new(),
        }))
    }

    /// Tells as long as it is waited for; never returns.
    pub async fn tell(self) {
        match self.0 {
            Some(wanted) => wanted.tell().await,
            None => std::future::pending().await,
        }
    }
}

impl Wanted {
    async fn tell(mut self) {
        let mut tick = interval(SOON);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut said, mut news) = (Instant::now(), false);
        loop {
            tokio::select! {
                delta = self.deltas.recv() => match delta {
                    Ok(delta) => news |= self.hear(&delta),
                    // Pieces were missed, which only the show suffers from.
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => std::future::pending().await,
                },
                now = tick.tick() => {
                    if news || now.duration_since(said) >= QUIET {
                        self.say().await;
                        (said, news) = (Instant::now(), false);
                    }
                }
            }
        }
    }

    fn hear(&mut self, delta: &Delta) -> bool {
        if self.told.turn().as_ref() != Some(&delta.turn) {
            return false;
        }
        self.text.push_str(&delta.text);
        self.text = end_of(&self.text).to_owned();
        true
    }

    async fn say(&self) {
        let seconds = self.began.elapsed().as_secs_f64();
        let message = match self.text.trim() {
            "" => format!("at work for {seconds:.0} s"),
            text => text.to_owned(),
        };
        let progress = ProgressNotificationParam::new(self.token.clone(), seconds).with_message(message);
        // A client that is gone is found out about by whoever waits for its answer.
        self.peer.notify_progress(progress).await.ok();
    }
}

fn end_of(text: &str) -> &str {
    let skip = text.chars().count().saturating_sub(SHOWN);
    text.char_indices().nth(skip).map_or("", |(at, _)| &text[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_long_text_is_shown() {
        assert_eq!(end_of(""), "");
        assert_eq!(end_of("short"), "short");
        let long = format!("{}ä", "x".repeat(SHOWN));
        assert_eq!(end_of(&long).chars().count(), SHOWN);
        assert!(end_of(&long).ends_with("xä"));
    }
}
