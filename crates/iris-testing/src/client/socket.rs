//! A WebSocket, as another program would open one.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use futures_util::StreamExt;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Error;
pub use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

pub struct Socket(pub WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    /// The status, if it was refused.
    pub async fn open(address: &str, path: &str, headers: &[(&str, &str)]) -> Result<Result<Self, u16>> {
        let mut request = format!("ws://{address}{path}").into_client_request()?;
        for (name, value) in headers {
            request.headers_mut().insert(name.parse::<HeaderName>()?, HeaderValue::from_str(value)?);
        }
        match connect_async(request).await {
            Ok((socket, _)) => Ok(Ok(Self(socket))),
            Err(Error::Http(answer)) => Ok(Err(answer.status().as_u16())),
            Err(error) => Err(error.into()),
        }
    }

    /// The next thing that was said; `None` when the socket was closed.
    pub async fn next(&mut self, patience: Duration) -> Result<Option<Value>> {
        let until = tokio::time::Instant::now() + patience;
        loop {
            let message = tokio::time::timeout_at(until, self.0.next()).await.context("nothing came in time")?;
            match message {
                Some(Ok(Message::Text(text))) => return Ok(Some(serde_json::from_str(&text)?)),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(_)) | Err(_)) | None => return Ok(None),
                Some(Ok(other)) => bail!("{other:?} is nothing we know"),
            }
        }
    }
}
