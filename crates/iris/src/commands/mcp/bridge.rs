//! The bridge: lines in, lines out, and the requests that are under way between them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use iris_engine::tasks;
use nix::unistd::{Pid, getppid};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Method;
use reqwest::header::ACCEPT;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::{Notify, mpsc};
use tokio::task::AbortHandle;
use uuid::Uuid;

use super::forward::{Answer, Trouble, forward, post, trouble};
use super::message::{Kind, Message, error};
use super::session::{Current, Session};
use super::within;
use crate::client::Client;
use crate::commands::Context;
use crate::commands::serve::Signals;
use crate::failure::Failure;

pub struct Bridge {
    pub client: Client,
    pub home: PathBuf,
    /// Where it runs, for the daemon to know whose team that is.
    pub folder: String,
    pub session: Session,
    /// `None` is the end: nothing is written after it.
    out: mpsc::Sender<Option<String>>,
    /// By a number of our own: a client may use an id again, and does when it introduces itself again.
    open: Mutex<HashMap<u64, Open>>,
    /// How many there ever were.
    begun: AtomicU64,
    /// Told whenever one of them has ended.
    fewer: Notify,
    /// Makes the keys of this bridge's tells its own.
    name: Uuid,
    hears: Mutex<Option<AbortHandle>>,
    /// The daemon has answered something: one that does not any more may come back.
    pub was_there: AtomicBool,
    within_agent: bool,
}

/// A request that waits for its answer.
struct Open {
    task: AbortHandle,
    message: Message,
    key: Option<String>,
}

/// Lines that wait to be written. When it is full, answers wait too: the client does not read.
const WAITING_LINES: usize = 64;
/// More than this at once is a mistake of the client.
const MOST_OPEN: usize = 256;
/// A message may be six times as long as its text, if every character of it has to be escaped.
const LONGEST_LINE: usize = 64 * 1024 * 1024;
const GOODBYE: Duration = Duration::from_secs(2);
/// How long what was asked is waited for when nothing more can be asked. A client that is in a hurry sends a signal.
const LAST_ANSWERS: Duration = Duration::from_secs(5 * 60);
const AGAIN: Duration = Duration::from_secs(1);

/// A bridge with what it writes to.
pub struct Ends {
    bridge: Arc<Bridge>,
    lines: mpsc::Receiver<Option<String>>,
}

impl Bridge {
    #[expect(clippy::new_ret_no_self, reason = "it is not of use without its other end")]
    pub fn new(context: &Context, within_agent: bool) -> Result<Ends, Failure> {
        let folder = std::env::current_dir().unwrap_or_default();
        let folder = utf8_percent_encode(&folder.to_string_lossy(), NON_ALPHANUMERIC).to_string();
        let (out, lines) = mpsc::channel(WAITING_LINES);
        let bridge = Self {
            client: context.client(),
            home: context.home.clone(),
            folder,
            session: Session::default(),
            out,
            open: Mutex::default(),
            begun: AtomicU64::new(0),
            fewer: Notify::new(),
            name: Uuid::new_v4(),
            hears: Mutex::default(),
            was_there: AtomicBool::new(false),
            within_agent,
        };
        Ok(Ends { bridge: Arc::new(bridge), lines })
    }

    /// Writes a line, sooner or later. Whoever does not listen any more is not told.
    pub async fn say(&self, text: String) {
        let line = if text.contains('\n') { in_one_line(&text) } else { text };
        self.out.send(Some(line)).await.ok();
    }

    fn open(&self) -> MutexGuard<'_, HashMap<u64, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn take(self: &Arc<Self>, line: &str) {
        let message = match Message::parse(line) {
            Ok(message) => message,
            Err(answer) => return self.say(answer.to_string()).await,
        };
        match message.kind() {
            Kind::Request if self.within_agent => self.say(within::answer(&message).to_string()).await,
            _ if self.within_agent => {}
            // What follows rests on its answer.
            Kind::Request if message.method() == "initialize" => forward(self, &message).await,
            Kind::Request => self.begin(message).await,
            Kind::Notification if message.method() == "notifications/cancelled" => self.cancel(&message).await,
            // In order, because what follows may rest on it.
            Kind::Notification | Kind::Response => {
                forward(self, &message).await;
                if message.method() == "notifications/initialized" {
                    self.listen();
                }
            }
        }
    }

    async fn begin(self: &Arc<Self>, mut message: Message) {
        if self.open().len() >= MOST_OPEN {
            let why = format!("{MOST_OPEN} requests are under way already; wait for one of them");
            return self.say(error(message.id(), -32603, &why).to_string()).await;
        }
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        let key = match message.give_key(format!("{}/{number}", self.name)) {
            Ok(key) => key,
            Err(why) => return self.say(error(message.id(), -32602, &why).to_string()).await,
        };
        let (bridge, sent) = (Arc::clone(self), message.clone());
        // It is in the table before it can end.
        let mut open = self.open();
        let task = tasks::spawn("mcp request", async move {
            forward(&bridge, &sent).await;
            bridge.open().remove(&number);
            bridge.fewer.notify_one();
        });
        open.insert(number, Open { task: task.abort_handle(), message, key });
    }

    /// The client no longer wants an answer, and gets none. Where there is a session it is told; else the daemon is, by
    /// the key, because a connection that only breaks does not mean that.
    async fn cancel(self: &Arc<Self>, cancelled: &Message) {
        let wanted = &cancelled.params()["requestId"];
        let found: Vec<Open> = {
            let mut open = self.open();
            open.extract_if(|_, open| open.message.id() == wanted).map(|(_, open)| open).collect()
        };
        for open in found {
            self.break_off(open, cancelled).await;
        }
        self.fewer.notify_one();
    }

    async fn break_off(self: &Arc<Self>, open: Open, cancelled: &Message) {
        open.task.abort();
        let Some(version) = open.message.own_version() else { return forward(self, cancelled).await };
        let Some(key) = &open.key else { return };
        let request = json!({ "jsonrpc": "2.0", "id": "iris-cancel", "method": "iris/cancel", "params": {
            "key": key,
            "fromTeam": open.message.params()["arguments"]["fromTeam"],
            "_meta": { "io.modelcontextprotocol/protocolVersion": version,
                       "io.modelcontextprotocol/clientCapabilities": {} },
        } });
        let request = Message::of(request);
        if let Err(trouble) = post(self, &request, request.headers()).await {
            tracing::warn!(?trouble, "what was cancelled may go on");
        }
    }

    /// What the daemon says by itself in a session: resources that changed. Never starts a daemon, or nobody could end
    /// one while a client is open.
    fn listen(self: &Arc<Self>) {
        let bridge = Arc::clone(self);
        let hears = tasks::spawn("mcp listen", async move {
            loop {
                let session = bridge.session.current().await;
                if !session.is_one() {
                    return;
                }
                match bridge.hear(session.headers()).await {
                    Err(Trouble::Refused(why)) => return tracing::debug!(why, "nothing is heard from the daemon"),
                    // A client that only watches makes no request that would make the session anew.
                    Err(Trouble::NoSession) => {
                        if let Err(trouble) = bridge.session.renew(&bridge, &session).await {
                            tracing::debug!(?trouble, "the session is not made anew yet");
                        }
                    }
                    Err(Trouble::Away(_) | Trouble::Lost(_) | Trouble::Cut(_)) | Ok(()) => {}
                }
                tokio::time::sleep(AGAIN).await;
            }
        });
        // A client that introduces itself again hears nothing of its session before.
        let before = self.hears.lock().unwrap_or_else(PoisonError::into_inner).replace(hears.abort_handle());
        before.inspect(AbortHandle::abort);
    }

    async fn hear(&self, headers: reqwest::header::HeaderMap) -> Result<(), Trouble> {
        let sent = self.client.mcp(Method::GET, |request| {
            request.header(ACCEPT, "text/event-stream").header("iris-folder", &self.folder).headers(headers)
        });
        let response = sent.await.map_err(trouble)?;
        match response.status().as_u16() {
            200 => {
                let mut said = Answer::of(response);
                while let Some(text) = said.next().await? {
                    self.say(text).await;
                }
                Ok(())
            }
            404 => Err(Trouble::NoSession),
            // What is said while the daemon ends, or to too many at once.
            status @ (429 | 500..=599) => Err(Trouble::Away(format!("the daemon answered {status}"))),
            status => Err(Trouble::Refused(format!("the daemon answered {status}"))),
        }
    }

    /// Until everything that was asked has its answer. What only listens would never have one.
    async fn answered(&self) {
        while self.open().values().any(|open| open.message.method() != "subscriptions/listen") {
            self.fewer.notified().await;
        }
    }

    /// The client is gone: what it waited for is not waited for any more.
    async fn end(&self) {
        for (_, open) in self.open().drain() {
            open.task.abort();
        }
        self.leave(&self.session.current().await).await;
    }

    /// The daemon need not keep a session that nobody will come back to.
    pub async fn leave(&self, session: &Current) {
        if session.is_one() {
            let bye = self.client.mcp(Method::DELETE, |request| request.headers(session.headers()));
            tokio::time::timeout(GOODBYE, bye).await.ok();
        }
    }
}

/// A client that died leaves its bridge to somebody else, and needs no answers.
async fn gone(client: Pid) {
    while getppid() == client {
        tokio::time::sleep(AGAIN).await;
    }
}

impl Ends {
    /// Until the client closes its end and has its answers, or ends it. Whether there ever was a daemon.
    pub async fn run(self) -> Result<bool, Failure> {
        let Self { bridge, lines } = self;
        let mut signals = Signals::listen()?;
        let client = getppid();
        let mut writing = std::pin::pin!(write(lines));
        let reading = async {
            read_lines(&bridge).await;
            tokio::select! {
                () = bridge.answered() => {}
                () = gone(client) => {}
                () = tokio::time::sleep(LAST_ANSWERS) => {
                    tracing::warn!("some requests had no answer in {} s", LAST_ANSWERS.as_secs());
                }
            }
            bridge.out.send(None).await.ok();
            std::future::pending().await
        };
        tokio::select! {
            () = reading => {}
            // All is written, or nobody reads any more.
            () = &mut writing => {}
            () = signals.next() => {}
        }
        bridge.end().await;
        Ok(bridge.was_there.load(Ordering::Relaxed))
    }
}

async fn read_lines(bridge: &Arc<Bridge>) {
    let mut input = BufReader::new(tokio::io::stdin());
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line).await {
            Ok(0) => return,
            Ok(_) if line.len() > LONGEST_LINE => {
                bridge.say(error(&Value::Null, -32600, "a line is too long").to_string()).await;
            }
            Ok(_) => {
                let text = String::from_utf8_lossy(&line);
                if !text.trim().is_empty() {
                    bridge.take(text.trim()).await;
                }
            }
            Err(error) => return tracing::warn!(%error, "stdin cannot be read"),
        }
    }
}

async fn write(mut lines: mpsc::Receiver<Option<String>>) {
    let mut output = tokio::io::stdout();
    while let Some(Some(line)) = lines.recv().await {
        let written = async {
            output.write_all(line.as_bytes()).await?;
            output.write_all(b"\n").await?;
            output.flush().await
        };
        if written.await.is_err() {
            return;
        }
    }
}

/// The protocol has one message on a line.
fn in_one_line(text: &str) -> String {
    serde_json::from_str::<Value>(text).map_or_else(|_| text.replace('\n', " "), |value| value.to_string())
}
