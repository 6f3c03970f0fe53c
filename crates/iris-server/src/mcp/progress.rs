//! Progress: what an agent has written so far, what a turn waits for, or that it is still at work. A client that hears of
//! it does not give up.

use std::time::Duration;

use iris_engine::Engine;
use iris_engine::bus::Delta;
use iris_engine::tool::Told;
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use super::Door;

/// At most this often, however fast the agent writes.
const SOON: Duration = Duration::from_millis(250);
/// What an agent says in one piece, and what it waits for, is not announced: it is looked for this often.
const LOOK: Duration = Duration::from_secs(1);
/// And at least this often, though nothing happens.
const QUIET: Duration = Duration::from_secs(3);
/// How much of the text is shown: its end.
const SHOWN: usize = 600;

/// `None` if the client does not want any.
pub(super) struct Progress(Option<Wanted>);

struct Wanted {
    token: ProgressToken,
    peer: Peer<RoleServer>,
    engine: Engine,
    told: Told,
    deltas: Receiver<Delta>,
    began: Instant,
}

impl Progress {
    pub fn of(door: &Door, context: &RequestContext<RoleServer>, told: &Told) -> Self {
        Self(context.meta.get_progress_token().map(|token| {
            let engine = door.app.engine.clone();
            let deltas = engine.bus().subscribe().1;
            let (peer, told) = (context.peer.clone(), told.clone());
            Wanted { token, peer, engine, told, deltas, began: Instant::now() }
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
        let (mut looked, mut said, mut wrote) = (Instant::now(), Instant::now(), false);
        let mut last = String::new();
        loop {
            tokio::select! {
                delta = self.deltas.recv() => match delta {
                    Ok(delta) => wrote |= self.told.turn().as_ref() == Some(&delta.turn),
                    // Pieces were missed. The text is read in whole, so it has them.
                    Err(RecvError::Lagged(_)) => wrote = true,
                    Err(RecvError::Closed) => std::future::pending().await,
                },
                now = tick.tick() => {
                    let is_late = now.duration_since(said) >= QUIET;
                    if !wrote && !is_late && now.duration_since(looked) < LOOK {
                        continue;
                    }
                    let words = self.look().await;
                    (looked, wrote) = (now, false);
                    if is_late || !words.is_empty() && words != last {
                        self.say(&words).await;
                        (said, last) = (Instant::now(), words);
                    }
                }
            }
        }
    }

    /// What is to be told of the turn; nothing if it is only at work.
    async fn look(&self) -> String {
        let Some(turn) = self.told.turn() else { return String::new() };
        // An agent that hangs must not keep its client from hearing that it is waited for.
        let Ok(Ok(standing)) = timeout(QUIET, self.engine.standing(&turn)).await else { return String::new() };
        let text = end_of(standing.text.trim());
        match standing.waits {
            Some(waits) if text.is_empty() => waits.to_string(),
            Some(waits) => format!("{text}\n[{waits}]"),
            None => text.to_owned(),
        }
    }

    async fn say(&self, words: &str) {
        let seconds = self.began.elapsed().as_secs_f64();
        let message = if words.is_empty() { format!("at work for {seconds:.0} s") } else { words.to_owned() };
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
