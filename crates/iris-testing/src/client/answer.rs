//! Answers, as they come over the wire.

use anyhow::{Context, Result};
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Result<Value> {
        serde_json::from_slice(&self.body).with_context(|| format!("not JSON: {}", String::from_utf8_lossy(&self.body)))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.as_str())
    }
}

/// Whether an answer has come to its end.
pub fn is_whole(buffer: &[u8]) -> Result<bool> {
    Ok(parse(buffer)?.is_some())
}

/// The answer at the beginning of the buffer, if it is whole, and how many bytes it took.
pub(super) fn parse(buffer: &[u8]) -> Result<Option<(Answer, usize)>> {
    let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") else { return Ok(None) };
    let head = std::str::from_utf8(&buffer[..end])?;
    let status: u16 = head.split(' ').nth(1).context("a status line")?.parse()?;
    let lines = head.lines().skip(1).filter_map(|line| line.split_once(':'));
    let headers = lines.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned())).collect();
    let mut answer = Answer { status, headers, body: Vec::new() };
    let rest = &buffer[end + 4..];
    let used = match (answer.header("content-length"), answer.header("transfer-encoding")) {
        (Some(length), _) => Some(length.parse()?).filter(|length| *length <= rest.len()),
        (None, Some("chunked")) => chunks(rest)?.map(|(body, used)| {
            answer.body = body;
            used
        }),
        // 204, 304 and 101 have nothing behind their head.
        _ => Some(0),
    };
    let Some(used) = used else { return Ok(None) };
    if answer.header("content-length").is_some() {
        answer.body = rest[..used].to_vec();
    }
    Ok(Some((answer, end + 4 + used)))
}

fn chunks(mut rest: &[u8]) -> Result<Option<(Vec<u8>, usize)>> {
    let (whole, mut body) = (rest.len(), Vec::new());
    loop {
        let Some(end) = rest.windows(2).position(|window| window == b"\r\n") else { return Ok(None) };
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end])?.trim(), 16)?;
        if rest.len() < end + 2 + size + 2 {
            return Ok(None);
        }
        body.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 2 + size + 2..];
        if size == 0 {
            return Ok(Some((body, whole - rest.len())));
        }
    }
}
