//! What is being waited for: one line on stderr that moves and counts, only where somebody watches.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

#[derive(Debug)]
pub struct Waiting {
    watched: bool,
    shown: Option<(String, ProgressBar)>,
}

const TICK: Duration = Duration::from_millis(120);

impl Waiting {
    pub fn new(watched: bool) -> Self {
        Self { watched, shown: None }
    }

    /// The count starts anew when something else is waited for, and goes on when it is the same.
    pub fn show(&mut self, what: &str) {
        if !self.watched {
            return;
        }
        match &mut self.shown {
            Some((shown, bar)) if shown == what => {
                if bar.is_finished() {
                    *bar = spinner(what, bar.elapsed());
                }
            }
            _ => {
                self.hide();
                self.shown = Some((what.to_owned(), spinner(what, Duration::ZERO)));
            }
        }
    }

    pub fn hide(&mut self) {
        if let Some((_, bar)) = &self.shown
            && !bar.is_finished()
        {
            bar.finish_and_clear();
        }
    }
}

fn spinner(what: &str, elapsed: Duration) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}").expect("a template that is right");
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_elapsed(elapsed);
    bar.set_style(style);
    bar.set_message(what.to_owned());
    bar.enable_steady_tick(TICK);
    bar
}
