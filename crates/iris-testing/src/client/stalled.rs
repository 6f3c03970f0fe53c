//! A reader that opens a stream and never reads, with little room for what is sent to it.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use anyhow::Result;
use socket2::{Domain, Socket, Type};

use super::Client;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Sse,
    Socket,
}

/// What opens a stream.
pub fn request(client: &Client, way: Way, after: Option<i64>) -> String {
    let (path, more) = match way {
        Way::Sse => ("/api/events", "accept: text/event-stream\r\n"),
        Way::Socket => (
            "/api/stream",
            "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
             sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
        ),
    };
    let after = after.map(|after| format!("?after={after}")).unwrap_or_default();
    let (host, token) = (&client.address, &client.token);
    format!("GET {path}{after} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n{more}\r\n")
}

pub struct Stalled(TcpStream);

impl Stalled {
    pub fn open(client: &Client, way: Way) -> Result<Self> {
        Self::begin(client, &request(client, way, Some(0)))
    }

    /// A stream of events at another address.
    pub fn open_at(client: &Client, path: &str) -> Result<Self> {
        Self::begin(client, &request(client, Way::Sse, Some(0)).replacen("/api/events", path, 1))
    }

    /// Of all that happened, what is of this kind.
    pub fn open_kind(client: &Client, way: Way, kind: &str) -> Result<Self> {
        Self::begin(client, &request(client, way, Some(0)).replacen("after=0", &format!("after=0&kind={kind}"), 1))
    }

    /// An answer that is not a stream.
    pub fn open_page(client: &Client, path: &str) -> Result<Self> {
        let (host, token) = (&client.address, &client.token);
        Self::begin(client, &format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n\r\n"))
    }

    fn begin(client: &Client, request: &str) -> Result<Self> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        // Smaller than a packet on this machine, and the system would send each of them again and again.
        socket.set_recv_buffer_size(64 * 1024)?;
        socket.connect(&client.address.parse::<SocketAddr>()?.into())?;
        let mut stream = TcpStream::from(socket);
        stream.write_all(request.as_bytes())?;
        Ok(Self(stream))
    }

    /// Reads all the time, and little at once for so long, until it has heard this. Returns whether it has, or was dropped
    /// before.
    pub fn read_slowly(mut self, bytes_per_second: usize, slowly_for: Duration, until: &str) -> Result<bool> {
        let (mut piece, mut end) = (vec![0; bytes_per_second / 10], Vec::new());
        let began = Instant::now();
        loop {
            let count = self.0.read(&mut piece)?;
            end.extend_from_slice(&piece[..count]);
            if count == 0 || String::from_utf8_lossy(&end).contains(until) {
                return Ok(count > 0);
            }
            end.drain(..end.len().saturating_sub(until.len()));
            if began.elapsed() < slowly_for {
                std::thread::sleep(Duration::from_millis(100));
            }
        }
    }

    /// Reads at last, to the end, and returns what there was. `None`: there was no end, it was never dropped.
    pub fn read_to_end(mut self, patience: Duration) -> Result<Option<Vec<u8>>> {
        self.0.set_read_timeout(Some(patience))?;
        let (mut piece, mut read) = (vec![0; 256 * 1024], Vec::new());
        loop {
            match self.0.read(&mut piece) {
                Ok(0) => return Ok(Some(read)),
                Ok(count) => read.extend_from_slice(&piece[..count]),
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return Ok(Some(read)),
                Err(error) if [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind()) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
    }
}
