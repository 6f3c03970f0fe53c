//! A small HTTP client on one kept-alive connection. Written by hand because a benchmark must not measure its client, and
//! a test of a server should not share the server's code.

mod answer;
pub mod socket;
pub mod stalled;

use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use answer::parse;
pub use answer::{Answer, is_whole};

pub struct Client {
    address: String,
    token: String,
    stream: Option<TcpStream>,
    buffer: Vec<u8>,
}

const PATIENCE: Duration = Duration::from_secs(60);

impl Client {
    pub fn new(address: &str, token: &str) -> Self {
        Self { address: address.to_owned(), token: token.to_owned(), stream: None, buffer: Vec::new() }
    }

    pub async fn get(&mut self, path: &str) -> Result<Answer> {
        self.send(&self.head("GET", path, 0), &[]).await
    }

    pub async fn delete(&mut self, path: &str) -> Result<Answer> {
        self.send(&self.head("DELETE", path, 0), &[]).await
    }

    pub async fn post(&mut self, path: &str, body: &Value) -> Result<Answer> {
        let body = serde_json::to_vec(body)?;
        self.send(&self.head("POST", path, body.len()), &body).await
    }

    /// A tell that waits until its end.
    pub async fn tell(&mut self, from: &str, to: &str, message: &str) -> Result<Value> {
        let body = serde_json::json!({"toTeam": to, "fromTeam": from, "message": message, "timeout": 0});
        let answer = self.post("/api/teams/tell", &body).await?;
        if answer.status != 200 {
            bail!("{}: {}", answer.status, String::from_utf8_lossy(&answer.body));
        }
        answer.json()
    }

    /// One piece of a stream: for reading server-sent events.
    pub async fn follow(&mut self, path: &str) -> Result<Stream> {
        let mut stream = TcpStream::connect(&self.address).await?;
        let head = format!(
            "GET {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\naccept: text/event-stream\r\n\r\n",
            self.address, self.token
        );
        stream.write_all(head.as_bytes()).await?;
        Ok(Stream { stream, raw: Vec::new(), is_begun: false, is_over: false, text: String::new() })
    }

    /// A request word for word: with these headers beside `host`, and no others.
    pub async fn ask(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Result<Answer> {
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        let own = [("host", self.address.as_str())].into_iter().filter(|(name, _)| !has(headers, name));
        for (name, value) in own.chain(headers.iter().copied()) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !has(headers, "content-length") && (method != "GET" || !body.is_empty()) {
            head.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        self.send(&head, body).await
    }

    fn head(&self, method: &str, path: &str, length: usize) -> String {
        format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n",
            self.address, self.token
        )
    }

    async fn send(&mut self, head: &str, body: &[u8]) -> Result<Answer> {
        let mut request = Vec::with_capacity(head.len() + body.len());
        request.extend_from_slice(head.as_bytes());
        request.extend_from_slice(body);
        // Longer than anything a test waits for: a daemon that hangs fails the test instead of holding it up for ever.
        let answer = tokio::time::timeout(PATIENCE, self.exchange(&request)).await.context("no answer came in time")?;
        if answer.as_ref().map_or(true, |answer| answer.header("connection") == Some("close")) {
            self.stream = None;
        }
        answer
    }

    async fn exchange(&mut self, request: &[u8]) -> Result<Answer> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            None => {
                let stream = TcpStream::connect(&self.address).await?;
                stream.set_nodelay(true)?;
                self.buffer.clear();
                self.stream.insert(stream)
            }
        };
        stream.write_all(request).await?;
        loop {
            if let Some((answer, used)) = parse(&self.buffer)? {
                self.buffer.drain(..used);
                return Ok(answer);
            }
            if stream.read_buf(&mut self.buffer).await? == 0 {
                bail!("the connection was closed before an answer came");
            }
        }
    }
}

fn has(headers: &[(&str, &str)], name: &str) -> bool {
    headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
}

pub struct Stream {
    stream: TcpStream,
    /// What came and is not unpacked yet.
    raw: Vec<u8>,
    /// Behind the head of the answer.
    is_begun: bool,
    is_over: bool,
    text: String,
}

impl Stream {
    /// The data of the next frame as JSON, with its event name.
    pub async fn next(&mut self, patience: Duration) -> Result<(String, Value)> {
        tokio::time::timeout(patience, self.read()).await.context("no frame came in time")?
    }

    async fn read(&mut self) -> Result<(String, Value)> {
        loop {
            while let Some(end) = self.text.find("\n\n") {
                let frame: String = self.text.drain(..end + 2).collect();
                let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
                if let Some(data) = field("data:") {
                    return Ok((field("event:").unwrap_or_default().to_owned(), serde_json::from_str(data)?));
                }
            }
            // The connection may stay open after the last piece.
            if self.is_over || self.stream.read_buf(&mut self.raw).await? == 0 {
                bail!("the stream ended");
            }
            self.unpack()?;
        }
    }

    /// A frame may come in several pieces, each behind its length.
    fn unpack(&mut self) -> Result<()> {
        if !self.is_begun {
            let Some(end) = self.raw.windows(4).position(|window| window == b"\r\n\r\n") else { return Ok(()) };
            self.raw.drain(..end + 4);
            self.is_begun = true;
        }
        while let Some(end) = self.raw.windows(2).position(|window| window == b"\r\n") {
            let size = usize::from_str_radix(std::str::from_utf8(&self.raw[..end])?.trim(), 16)?;
            let begin = end + 2;
            if self.raw.len() < begin + size + 2 {
                break;
            }
            self.text.push_str(&String::from_utf8_lossy(&self.raw[begin..begin + size]));
            self.raw.drain(..begin + size + 2);
            self.is_over = size == 0;
        }
        Ok(())
    }
}
