//! One message to the daemon and back, over whatever happens to the daemon meanwhile.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::time::Duration;

use reqwest::header::{self, HeaderMap};
use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::bridge::Bridge;
use super::message::{Kind, Message, error};
use super::session::Current;
use super::start;
use crate::client::ClientError;
use crate::client::frames::Frames;
use crate::failure::Failure;

/// Why a message did not get its answer.
#[derive(Debug)]
pub enum Trouble {
    /// Nobody is there, and nothing was done.
    Away(String),
    /// It was sent, and what became of it is not known.
    Lost(String),
    /// The same, of what a daemon had begun to answer.
    Cut(String),
    /// The daemon does not know the session any more.
    NoSession,
    /// It will not be answered, however often it is sent.
    Refused(String),
}

/// How long it is tried again when the daemon is away.
const PATIENCE: Duration = Duration::from_secs(60);
/// At an address that was given and where nobody ever answered there may be nobody at all.
const PATIENCE_ELSEWHERE: Duration = Duration::from_secs(3);
const NOBODY_THERE: &str = "is IRIS_URL right, and does a daemon run there? Without IRIS_URL one is started here";
const AGAIN: Duration = Duration::from_millis(250);
/// A daemon that was killed just now may have the home for a moment longer.
const BEGINNING: Duration = Duration::from_secs(2);
/// A request that took longer than this had found the daemon: being away begins anew.
const WAS_THERE: Duration = Duration::from_secs(10);

const NOT_TAKEN: &str = "the daemon does not take the token; set IRIS_TOKEN to one that is good there (`iris token create` \
                         makes one), or unset it to use the one in IRIS_HOME";

/// Sees to it that a request is answered, with an error if nothing else can be had.
pub async fn forward(bridge: &Bridge, message: &Message) {
    if let Err(why) = exchange(bridge, message).await {
        // Clients keep what is on stderr, and often show nothing else.
        tracing::warn!(why, method = message.method(), "a message of the client was not answered by the daemon");
        if message.kind() == Kind::Request {
            bridge.say(error(message.id(), -32603, &why).to_string()).await;
        }
    }
}

/// A daemon is started for a request that begins when there is none, and never after that: one that went away in the midst of a
/// request was ended by somebody, and nobody could end one while a client waits.
async fn exchange(bridge: &Bridge, message: &Message) -> Result<(), String> {
    let (is_request, began) = (message.kind() == Kind::Request, Instant::now());
    let mut was_taken = false;
    let mut away_since: Option<Instant> = None;
    let mut listening = Listening::default();
    loop {
        let session = bridge.session.current().await;
        let sent_at = Instant::now();
        let attempted = attempt(bridge, message, &session, &mut listening).await;
        was_taken |= !matches!(attempted, Err(Trouble::Away(_) | Trouble::Lost(_)));
        let (what, may_repeat) = match attempted {
            Ok(()) => return Ok(()),
            Err(Trouble::Refused(why)) => return Err(why),
            Err(Trouble::NoSession) => match bridge.session.renew(bridge, &session).await {
                Ok(()) => continue,
                Err(Trouble::Refused(why)) => return Err(why),
                Err(Trouble::NoSession) => ("the session cannot be made again".to_owned(), true),
                Err(Trouble::Away(why) | Trouble::Lost(why) | Trouble::Cut(why)) => (why, true),
            },
            Err(Trouble::Away(why)) => (why, true),
            Err(Trouble::Lost(why) | Trouble::Cut(why)) => (why, message.may_repeat()),
        };
        if !may_repeat {
            return Err(format!("{what}; it may have been done, so look before you do it again"));
        }
        // It is about a session that went with its daemon, and what the client sends next would wait behind it.
        if !is_request {
            return Err(what);
        }
        if sent_at.elapsed() > WAS_THERE {
            away_since = None;
        }
        let is_unknown = bridge.client.is_elsewhere() && !bridge.was_there.load(Ordering::Relaxed);
        let patience = if is_unknown { PATIENCE_ELSEWHERE } else { PATIENCE };
        // Who listens would not ask again, and is told of whatever changed meanwhile.
        if away_since.get_or_insert_with(Instant::now).elapsed() > patience && !listening.is_acknowledged {
            return Err(if is_unknown { format!("{what}; {NOBODY_THERE}") } else { what });
        }
        tracing::info!(what, "trying again");
        tokio::time::sleep(AGAIN).await;
        if !was_taken && began.elapsed() < BEGINNING {
            start::ensure(&bridge.client, &bridge.home, &[]).await.map_err(in_one_line)?;
        }
    }
}

/// Why no daemon could be started, and what helps. Of a file that cannot be used the place is told, without a picture of it.
fn in_one_line(failure: Failure) -> String {
    let what = failure.message.lines().next().unwrap_or_default();
    match failure.hint {
        Some(hint) => format!("{what}; {hint}"),
        None => what.to_owned(),
    }
}

/// What a client of the newer revision listens to. The daemon acknowledges it anew after a restart; the client has that already,
/// and hears in its place that all of it may have changed: nobody heard what did while nobody was there.
#[derive(Default)]
struct Listening {
    is_acknowledged: bool,
}

impl Listening {
    fn again(&mut self, said: &Value) -> Option<Vec<Value>> {
        let is_again = said["method"] == "notifications/subscriptions/acknowledged"
            && std::mem::replace(&mut self.is_acknowledged, true);
        let (meta, accepted) = (&said["params"]["_meta"], &said["params"]["notifications"]);
        let uris = accepted["resourceSubscriptions"].as_array().map(Vec::as_slice).unwrap_or_default();
        let updated = |uri: &Value| notice("resources/updated", json!({ "_meta": meta, "uri": uri }));
        let mut missed: Vec<_> = uris.iter().map(updated).collect();
        if accepted["resourcesListChanged"] == true {
            missed.push(notice("resources/list_changed", json!({ "_meta": meta })));
        }
        is_again.then_some(missed)
    }
}

pub fn notice(what: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": format!("notifications/{what}"), "params": params })
}

/// Sends one message of our own and gives the answer, with its headers.
pub async fn ask(bridge: &Bridge, message: &Message, headers: HeaderMap) -> Result<(HeaderMap, Value), Trouble> {
    let response = post(bridge, message, headers).await?;
    let headers = response.headers().clone();
    let (mut answer, mut said) = (Value::Null, Answer::of(response));
    while let Some(text) = said.next().await? {
        answer = serde_json::from_str(&text).unwrap_or_default();
    }
    Ok((headers, answer))
}

/// Sends it once and passes on what comes back.
async fn attempt(
    bridge: &Bridge,
    message: &Message,
    session: &Current,
    listening: &mut Listening,
) -> Result<(), Trouble> {
    let begins = message.method() == "initialize";
    let in_session = !begins && message.own_version().is_none();
    if in_session && !session.is_one() {
        return Err(Trouble::Refused("the client has not introduced itself; send `initialize` first".to_owned()));
    }
    let headers = if in_session { session.headers() } else { message.headers() };
    let response = post(bridge, message, headers).await?;
    let headers = response.headers().clone();
    let status = response.status();
    let is_stream = kind(&response).starts_with("text/event-stream");
    let is_request = message.kind() == Kind::Request;
    let (mut answer, mut said) = (None, Answer::of(response));
    while let Some(text) = said.next().await? {
        let mut value: Value = serde_json::from_str(&text).unwrap_or_default();
        // With its daemon, or with a session whose place another has taken.
        if value.pointer("/error/data/kind").is_some_and(|kind| kind == "unavailable" || kind == "gone") {
            return Err(Trouble::Cut("the daemon ended before it answered".to_owned()));
        }
        // What a whole answer refuses is what was asked, also if the daemon could not read by which id.
        if !is_stream && value.get("error").is_some() {
            if !is_request {
                return Err(Trouble::Refused(value["error"]["message"].as_str().unwrap_or_default().to_owned()));
            }
            value["id"] = message.id().clone();
            bridge.say(value.to_string()).await;
            return Ok(());
        }
        if is_request && value.get("method").is_none() && value["id"] == *message.id() {
            answer = Some(value);
        } else if let Some(missed) = listening.again(&value) {
            for notice in missed {
                bridge.say(notice.to_string()).await;
            }
            continue;
        }
        bridge.say(text).await;
    }
    if is_request && answer.is_none() {
        return Err(match status {
            // It would not be answered the next time either.
            StatusCode::ACCEPTED => Trouble::Refused("the daemon did not take it for a request".to_owned()),
            _ => Trouble::Cut("the daemon ended before it answered".to_owned()),
        });
    }
    match answer {
        Some(answer) if begins && answer.get("error").is_none() => {
            bridge.session.begin(message.params(), &headers, &answer).await;
            bridge.leave(session).await;
        }
        Some(answer) if answer.get("error").is_none() => bridge.session.watch(message).await,
        _ => {}
    }
    Ok(())
}

pub async fn post(bridge: &Bridge, message: &Message, headers: HeaderMap) -> Result<Response, Trouble> {
    let in_session = headers.contains_key("mcp-session-id");
    let sent = bridge.client.mcp(Method::POST, |request| {
        let accept = "application/json, text/event-stream";
        let request = request.header(header::CONTENT_TYPE, "application/json").header(header::ACCEPT, accept);
        request.header("iris-folder", &bridge.folder).headers(headers).body(message.text())
    });
    let response = sent.await.map_err(trouble)?;
    bridge.was_there.store(true, Ordering::Relaxed);
    match response.status().as_u16() {
        200..=299 => Ok(response),
        401 => Err(Trouble::Refused(NOT_TAKEN.to_owned())),
        404 if in_session => Err(Trouble::NoSession),
        502..=504 if !is_json(&response) => Err(Trouble::Away(format!("the daemon answered {}", response.status()))),
        _ => refusal(response).await,
    }
}

pub fn trouble(error: ClientError) -> Trouble {
    match error {
        ClientError::NotRunning(_) | ClientError::Unreachable { .. } => Trouble::Away(error.to_string()),
        ClientError::Lost { .. } => Trouble::Lost(error.to_string()),
        _ => Trouble::Refused(error.to_string()),
    }
}

/// A refusal in the words of the protocol is an answer and passed on; any other is put into them.
async fn refusal(response: Response) -> Result<Response, Trouble> {
    let status = response.status();
    if is_json(&response) {
        return Ok(response);
    }
    let text = response.text().await.unwrap_or_default();
    let problem: Value = serde_json::from_str(&text).unwrap_or_default();
    match (problem["detail"].as_str(), problem["hint"].as_str()) {
        (Some(detail), Some(hint)) => Err(Trouble::Refused(format!("{detail}; {hint}"))),
        (Some(detail), None) => Err(Trouble::Refused(detail.to_owned())),
        // What the daemon says while it ends.
        _ if status.is_server_error() => Err(Trouble::Cut(format!("the daemon answered {status}"))),
        _ => Err(Trouble::Refused(format!("the daemon answered {status}: {text}"))),
    }
}

fn is_json(response: &Response) -> bool {
    kind(response).starts_with("application/json")
}

fn kind(response: &Response) -> &str {
    response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default()
}

/// Every message of an answer: one, or those of a stream until it ends.
pub struct Answer {
    response: Option<Response>,
    frames: Frames,
    ready: VecDeque<String>,
}

impl Answer {
    pub fn of(response: Response) -> Self {
        Self { response: Some(response), frames: Frames::default(), ready: VecDeque::new() }
    }

    pub async fn next(&mut self) -> Result<Option<String>, Trouble> {
        let lost = |error: reqwest::Error| Trouble::Cut(format!("the connection to the daemon was lost ({error})"));
        loop {
            if let Some(text) = self.ready.pop_front() {
                return Ok(Some(text));
            }
            let Some(mut response) = self.response.take() else { return Ok(None) };
            if !kind(&response).starts_with("text/event-stream") {
                let text = response.text().await.map_err(lost)?;
                self.ready.extend(Some(text).filter(|text| !text.trim().is_empty()));
                continue;
            }
            if let Some(bytes) = response.chunk().await.map_err(lost)? {
                let data = self.frames.push(&bytes).into_iter().map(|frame| frame.data);
                // An empty one only says how to come back.
                self.ready.extend(data.filter(|data| !data.is_empty()));
                self.response = Some(response);
            }
        }
    }
}
