//! Load: tells in closed loops, and what they took.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::daemon::Daemon;

/// An agent that answers at once.
pub const SCRIPT: &str = "replies:\n  - match: '^flood$'\n    do: [{ flood: { messages: 10000, size: 200 } }]\n\
                          default: [{ say: 'You said: {{text}}' }]\n";

#[derive(Clone, Debug, Default)]
pub struct Latencies {
    milliseconds: Vec<f64>,
}

impl Latencies {
    pub fn add(&mut self, took: Duration) {
        self.milliseconds.push(took.as_secs_f64() * 1000.0);
    }

    /// Those of all callers together.
    pub async fn gather(calling: tokio::task::JoinSet<Result<Self>>) -> Result<Self> {
        let mut all = Self::default();
        for caller in calling.join_all().await {
            all.milliseconds.extend(caller?.milliseconds);
        }
        Ok(all)
    }

    pub fn add_all(&mut self, others: Self) {
        self.milliseconds.extend(others.milliseconds);
    }

    pub fn len(&self) -> usize {
        self.milliseconds.len()
    }

    /// How many would be done in a second, one after the other.
    pub fn per_second(&self) -> f64 {
        1000.0 * self.milliseconds.len() as f64 / self.milliseconds.iter().sum::<f64>()
    }

    pub fn p50(&self) -> f64 {
        self.percentile(0.50)
    }

    pub fn p99(&self) -> f64 {
        self.percentile(0.99)
    }

    fn percentile(&self, part: f64) -> f64 {
        let mut sorted = self.milliseconds.clone();
        sorted.sort_by(f64::total_cmp);
        let index = ((sorted.len() as f64 - 1.0) * part).round();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index of a list")]
        sorted.get(index as usize).copied().unwrap_or(f64::NAN)
    }
}

pub struct Loaded {
    pub latencies: Latencies,
    pub per_second: f64,
}

/// Callers that each wait for their answer before they tell again, spread over the sessions.
pub async fn closed_loops(daemon: &Daemon, sessions: usize, callers: usize, lasts: Duration) -> Result<Loaded> {
    for session in 0..sessions {
        daemon.client().tell(&format!("s{session}"), "alpha", "warm").await?;
    }
    let began = Instant::now();
    let mut calling = tokio::task::JoinSet::new();
    for caller in 0..callers {
        let mut client = daemon.client();
        calling.spawn(async move {
            let mut latencies = Latencies::default();
            let from = format!("s{}", caller % sessions);
            while began.elapsed() < lasts {
                let sent = Instant::now();
                client.tell(&from, "alpha", "hello there").await?;
                latencies.add(sent.elapsed());
            }
            anyhow::Ok(latencies)
        });
    }
    let latencies = Latencies::gather(calling).await?;
    let per_second = latencies.len() as f64 / began.elapsed().as_secs_f64();
    Ok(Loaded { latencies, per_second })
}

/// A caller that does nothing but wait for its answer, on a thread of its own: what it measures is the daemon.
pub struct Caller {
    stream: std::net::TcpStream,
    request: Vec<u8>,
    buffer: Vec<u8>,
}

impl Caller {
    pub fn new(daemon: &Daemon, method: &str, path: &str, body: &str) -> Result<Self> {
        Self::with_headers(daemon, method, path, "", body)
    }

    /// With further headers, each with its line end.
    pub fn with_headers(daemon: &Daemon, method: &str, path: &str, headers: &str, body: &str) -> Result<Self> {
        let stream = std::net::TcpStream::connect(&daemon.address)?;
        stream.set_nodelay(true)?;
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n{headers}\r\n{body}",
            daemon.address,
            daemon.token,
            body.len()
        );
        Ok(Self { stream, request: request.into_bytes(), buffer: vec![0; 64 * 1024] })
    }

    pub fn tell(daemon: &Daemon, from: &str) -> Result<Self> {
        let body = format!(r#"{{"toTeam":"alpha","fromTeam":"{from}","message":"hello there","timeout":0}}"#);
        Self::new(daemon, "POST", "/api/teams/tell", &body)
    }

    /// The same tell as a tool call.
    pub fn tell_over_mcp(daemon: &Daemon, from: &str) -> Result<Self> {
        let headers = "accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\n\
                       mcp-method: tools/call\r\nmcp-name: team_tell\r\n";
        let body = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "team_tell",
            "arguments": { "toTeam": "alpha", "fromTeam": from, "message": "hello there", "timeout": 0 },
            "_meta": { "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                       "io.modelcontextprotocol/clientCapabilities": {} },
        } });
        Self::with_headers(daemon, "POST", "/mcp", headers, &body.to_string())
    }

    /// One request and its whole answer.
    pub fn call(&mut self) -> Result<Duration> {
        use std::io::{Read, Write};
        let began = Instant::now();
        self.stream.write_all(&self.request)?;
        let mut filled = 0;
        loop {
            let count = self.stream.read(&mut self.buffer[filled..])?;
            anyhow::ensure!(count > 0, "the connection was closed");
            filled += count;
            if crate::client::is_whole(&self.buffer[..filled])? {
                anyhow::ensure!(
                    self.buffer.starts_with(b"HTTP/1.1 200"),
                    "{}",
                    String::from_utf8_lossy(&self.buffer[..filled])
                );
                return Ok(began.elapsed());
            }
        }
    }
}
