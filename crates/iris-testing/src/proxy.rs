//! A loopback door that adds a credential: for programs that cannot be told to send one. Everything else passes as it is.

use std::net::SocketAddr;

use anyhow::Result;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

/// Starts one and says where it is. It ends with the test's runtime.
pub async fn start(behind: SocketAddr, token: &str) -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let (address, token) = (listener.local_addr()?, token.to_owned());
    iris_engine::tasks::spawn("proxy", async move {
        while let Ok((client, _)) = listener.accept().await {
            let token = token.clone();
            iris_engine::tasks::spawn("proxied", async move { pass(client, behind, &token).await.ok() });
        }
    });
    Ok(address)
}

/// One request to a connection, so that only the first head has to be found.
async fn pass(mut client: TcpStream, behind: SocketAddr, token: &str) -> Result<()> {
    let mut head = Vec::new();
    let end = loop {
        if let Some(at) = head.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        if client.read_buf(&mut head).await? == 0 {
            return Ok(());
        }
    };
    let text = String::from_utf8_lossy(&head[..end]).into_owned();
    // Whole, because a server that refuses before it has read everything may close before its answer is read.
    let body =
        text.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    while head.len() < end + 4 + body.unwrap_or(0_usize) {
        if client.read_buf(&mut head).await? == 0 {
            return Ok(());
        }
    }
    let kept = text.split("\r\n").filter(|line| !line.to_ascii_lowercase().starts_with("connection:"));
    let mut sent = kept.collect::<Vec<_>>().join("\r\n").into_bytes();
    sent.extend(format!("\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n").bytes());
    sent.extend(&head[end + 4..]);
    let mut server = TcpStream::connect(behind).await?;
    server.write_all(&sent).await?;
    copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}
