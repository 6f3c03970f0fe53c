//! Following the log: events in order and deltas as they come, over lost connections and restarts of the daemon.

use std::collections::VecDeque;
use std::time::Duration;

use iris_api::event::{Delta, Event};
use reqwest::{Method, RequestBuilder, Response, header};
use tokio::time::Instant;

use super::frames::{Frame, Frames};
use super::{Client, ClientError};

/// What a follower comes across.
#[derive(Debug)]
pub enum Met {
    Event(Box<Event>),
    Delta(Delta),
    /// The connection is gone and is being made again. Events will go on where they were; deltas will have a gap. Before
    /// that, nothing was heard for so long.
    Cut {
        unheard: Duration,
    },
    /// What was known may be out of date.
    Back,
}

#[derive(Debug)]
pub struct Follower {
    client: Client,
    filter: Vec<(&'static str, String)>,
    /// The last event that was seen.
    after: i64,
    stream: Option<Response>,
    frames: Frames,
    /// When anything came last, also if it was only that the daemon is there.
    heard: Instant,
    ready: VecDeque<Met>,
    /// The daemon said that it ends the stream, so it is there: what it says next decides whether that is a cut.
    is_dropped: bool,
    unsaid: Option<Met>,
    cut_at: Option<Instant>,
    patience: Option<Duration>,
    attempt: Duration,
}

/// The daemon's log is not the one whose number was asked for.
#[derive(serde::Deserialize)]
struct Reset {
    head: i64,
}

/// How long a daemon may be away before following is given up.
const PATIENCE: Duration = Duration::from_secs(60);
const AGAIN: Duration = Duration::from_millis(250);
/// The daemon's heart beats every 5 seconds, that of an older daemon every 15; a stream without one is dead, whatever the
/// network says.
const SILENCE: Duration = Duration::from_secs(20);
/// How long one attempt may take until the daemon says that it streams.
const ATTEMPT: Duration = Duration::from_secs(10);

impl Follower {
    pub fn new(client: Client, filter: Vec<(&'static str, String)>, after: i64) -> Self {
        Self {
            client,
            filter,
            after,
            stream: None,
            frames: Frames::default(),
            heard: Instant::now(),
            ready: VecDeque::new(),
            is_dropped: false,
            unsaid: None,
            cut_at: None,
            patience: Some(PATIENCE),
            attempt: ATTEMPT,
        }
    }

    /// However long the daemon is away.
    pub fn for_ever(self) -> Self {
        Self { patience: None, ..self }
    }

    /// Makes the connection, so that everything from here on is met, also the pieces that nobody keeps.
    pub async fn open(&mut self) -> Result<(), ClientError> {
        while self.stream.is_none() {
            self.connect().await?;
        }
        Ok(())
    }

    pub async fn next(&mut self) -> Result<Met, ClientError> {
        loop {
            if let Some(met) = self.ready.pop_front() {
                return Ok(met);
            }
            match &mut self.stream {
                None => self.connect().await?,
                Some(stream) => match tokio::time::timeout(SILENCE, stream.chunk()).await {
                    Ok(Ok(Some(bytes))) => {
                        self.heard = Instant::now();
                        let frames = self.frames.push(&bytes);
                        frames.into_iter().for_each(|frame| self.take(frame));
                    }
                    Ok(Ok(None) | Err(_)) | Err(_) => self.cut(),
                },
            }
        }
    }

    fn take(&mut self, frame: Frame) {
        let met = match frame.event.as_str() {
            // It ends; it is come back to with the number.
            "dropped" => return self.is_dropped = true,
            "reset" => serde_json::from_str(&frame.data).map(|Reset { head }| {
                self.after = head;
                Met::Back
            }),
            "delta" => serde_json::from_str(&frame.data).map(Met::Delta),
            _ => serde_json::from_str(&frame.data).map(|event| Met::Event(Box::new(event))),
        };
        match met {
            // What was seen before a cut is not seen again.
            Ok(Met::Event(event)) if event.seq <= self.after => {}
            Ok(met) => {
                if let Met::Event(event) = &met {
                    self.after = event.seq;
                }
                self.ready.push_back(met);
            }
            Err(error) => tracing::debug!(%error, "a frame of the stream was not understood"),
        }
    }

    fn cut(&mut self) {
        self.stream = None;
        self.frames = Frames::default();
        self.cut_at = Some(Instant::now());
        let cut = Met::Cut { unheard: self.heard.elapsed() };
        match std::mem::take(&mut self.is_dropped) {
            true => self.unsaid = Some(cut),
            false => self.ready.push_back(cut),
        }
    }

    /// Tries once; after a cut it may be tried again for a while, before the first connection it may not.
    async fn connect(&mut self) -> Result<(), ClientError> {
        let mut query: Vec<(&str, String)> = self.filter.clone();
        query.push(("after", self.after.to_string()));
        let accept = |request: RequestBuilder| request.header(header::ACCEPT, "text/event-stream");
        let sent = tokio::time::timeout(self.attempt, self.client.send(Method::GET, &["events"], &query, accept)).await;
        let sent = sent.unwrap_or_else(|_| Err(self.client.silent(self.attempt)));
        match (sent, self.cut_at) {
            (Ok(stream), cut_at) => {
                self.stream = Some(stream);
                self.heard = Instant::now();
                self.cut_at = None;
                self.ready.extend(self.unsaid.take());
                self.ready.extend(cut_at.map(|_| Met::Back));
                Ok(())
            }
            (Err(error), Some(cut_at)) if error.may_pass() && self.waits_on(cut_at) => {
                self.ready.extend(self.unsaid.take());
                tokio::time::sleep(AGAIN).await;
                Ok(())
            }
            (Err(error), _) => Err(error),
        }
    }

    fn waits_on(&self, cut_at: Instant) -> bool {
        self.patience.is_none_or(|patience| cut_at.elapsed() < patience)
    }
}

#[cfg(test)]
mod tests {
    use iris_engine::home::Home;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    const STREAM: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n:\n\n";

    /// Somebody who connects and asks for something.
    async fn accept(listener: &TcpListener) -> TcpStream {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let _read = stream.read(&mut [0; 4096]).await;
        stream
    }

    async fn place() -> (TcpListener, Client) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = Some(format!("http://{}", listener.local_addr().expect("an address")));
        let nowhere = Home::at(std::path::Path::new("/nonexistent"));
        (listener, Client { url, token: Some("made-up".to_owned()), ..Client::new(nowhere) })
    }

    /// Whose token was revoked is not told that the daemon is away.
    #[tokio::test]
    async fn a_stream_that_was_ended_for_good_is_not_cut() {
        let (listener, client) = place().await;
        let daemon = async {
            let dropped = b"event: dropped\ndata: {}\n\n";
            accept(&listener).await.write_all(&[STREAM, dropped].concat()).await.expect("it is heard, and ends");
            let refusal = b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n";
            accept(&listener).await.write_all(refusal).await.expect("it is heard");
        };
        let mut follower = Follower::new(client, Vec::new(), 7);
        let (met, ()) = tokio::join!(follower.next(), daemon);
        assert!(matches!(met, Err(ClientError::Strange { status: 401, .. })), "{met:?}");
    }

    #[tokio::test]
    async fn an_attempt_that_hangs_is_given_up_for_the_next() {
        let (listener, client) = place().await;
        let daemon = async {
            accept(&listener).await.write_all(STREAM).await.expect("it is heard, and cut");
            let mut open = vec![accept(&listener).await];
            loop {
                open.push(accept(&listener).await);
                open.last_mut().expect("it was put there").write_all(STREAM).await.ok();
            }
        };
        let follow = async {
            let mut follower = Follower::new(client, Vec::new(), 7).for_ever();
            follower.open().await.expect("it is there");
            follower.attempt = Duration::from_millis(200);
            (follower.next().await.expect("it is cut"), follower.next().await.expect("it is back"))
        };
        let met = tokio::select! { met = follow => met, () = daemon => unreachable!("it never ends") };
        assert!(matches!(met, (Met::Cut { .. }, Met::Back)), "{met:?}");
    }
}
