//! What is being waited for: one line on stderr that moves and counts, only where somebody watches.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The line, for all who may have to wait: there is only one.
#[derive(Clone, Debug)]
pub struct Indicator(Arc<Mutex<Waiting>>);

/// How long nothing needs to be said.
const UNNOTICED: Duration = Duration::from_secs(1);

impl Indicator {
    pub fn new(watched: bool) -> Self {
        Self(Arc::new(Mutex::new(Waiting { watched, held: false, shown: None })))
    }

    /// The count starts anew when something else is waited for, and goes on when it is the same.
    pub fn show(&self, what: &str) {
        self.lock().show(what);
    }

    pub fn hide(&self) {
        self.lock().hide();
    }

    /// While a line of text is open, nothing is shown over it.
    pub fn hold(&self, is_held: bool) {
        self.lock().held = is_held;
    }

    /// Says what is waited for once it has taken longer than somebody looks at a terminal without wondering, unless
    /// something is shown already.
    pub async fn notice<T>(&self, what: &str, done: impl Future<Output = T>) -> T {
        let mut done = std::pin::pin!(done);
        if let Ok(done) = tokio::time::timeout(UNNOTICED, &mut done).await {
            return done;
        }
        let _shown = self.lock().show_if_free(what).then(|| Shown { indicator: self, what });
        done.await
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().expect("nothing panics while it holds the line")
    }
}

/// Hidden at the end, also of what is given up on; what somebody else has put in its place stays.
struct Shown<'a> {
    indicator: &'a Indicator,
    what: &'a str,
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        self.indicator.lock().hide_if(self.what);
    }
}

#[derive(Debug)]
struct Waiting {
    watched: bool,
    held: bool,
    shown: Option<(String, ProgressBar)>,
}

const TICK: Duration = Duration::from_millis(120);

impl Waiting {
    fn show_if_free(&mut self, what: &str) -> bool {
        let is_free = self.shown.as_ref().is_none_or(|(_, bar)| bar.is_finished());
        if is_free {
            self.show(what);
        }
        is_free
    }

    fn hide_if(&mut self, what: &str) {
        if self.shown.as_ref().is_some_and(|(shown, _)| shown == what) {
            self.hide();
        }
    }

    fn show(&mut self, what: &str) {
        if !self.watched || self.held {
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

    fn hide(&mut self) {
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
