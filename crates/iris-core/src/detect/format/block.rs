//! Where JSON stands in a reply: in a fence that says so or says nothing, or without one at its end.

use std::ops::Range;

use crate::detect::window::Window;

#[derive(Debug)]
pub(super) struct Block {
    /// With its fences.
    pub range: Range<usize>,
    pub body: Range<usize>,
    /// Nothing is said after it.
    pub is_last: bool,
}

pub(super) fn list(text: &str, window: &Window) -> Vec<Block> {
    let mut blocks = fenced(text, window);
    if blocks.is_empty() {
        blocks.extend(bare(text, &window.range));
    }
    let mut end = text.trim_end().len();
    for block in blocks.iter_mut().rev() {
        block.is_last = text[block.range.end.min(end)..end].trim().is_empty();
        if block.is_last {
            end = block.range.start;
        }
    }
    blocks
}

/// In the order they stand in. One that is never closed goes on to the end.
fn fenced(text: &str, window: &Window) -> Vec<Block> {
    let mut blocks = Vec::new();
    // The window may begin in a block of which nobody knows what it is.
    let mut open = window.in_code.then_some(Open { mark: "```", start: window.range.start, body: None });
    let mut at = window.range.start;
    for line in text[window.range.clone()].split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let Some(fence) = fence(line) else { continue };
        match open.take() {
            None => open = Some(Open { mark: fence.mark, start, body: is_json(fence.info).then_some(end) }),
            Some(is) if fence.info.is_empty() && fence.mark.starts_with(is.mark) => {
                blocks.extend(is.body.map(|body| Block::new(is.start..end, body..start)));
            }
            still => open = still,
        }
    }
    let rest = open.and_then(|open| open.body.map(|body| Block::new(open.start..at, body..at)));
    blocks.extend(rest);
    blocks
}

struct Open<'a> {
    mark: &'a str,
    start: usize,
    /// None if it is something else than JSON.
    body: Option<usize>,
}

struct Fence<'a> {
    mark: &'a str,
    info: &'a str,
}

fn fence(line: &str) -> Option<Fence<'_>> {
    let line = line.trim_start();
    let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let info = line.trim_start_matches(sign);
    let mark = &line[..line.len() - info.len()];
    (mark.len() >= 3 && !info.contains('`')).then_some(Fence { mark, info: info.trim() })
}

fn is_json(info: &str) -> bool {
    let name = info.split_whitespace().next().unwrap_or_default();
    ["", "json", "jsonc", "json5"].iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// From the first line that begins like JSON to the end, which may be all of the reply.
fn bare(text: &str, range: &Range<usize>) -> Option<Block> {
    let part = &text[range.clone()];
    let begins = |line: &str| line.starts_with(['{', '[']) && !line.starts_with("[^");
    let mut at = range.start;
    for line in part.split_inclusive('\n') {
        if begins(line) && part.trim_end().ends_with(['}', ']']) {
            return Some(Block::new(at..range.end, at..range.end));
        }
        at += line.len();
    }
    None
}

impl Block {
    fn new(range: Range<usize>, body: Range<usize>) -> Self {
        Self { range, body, is_last: false }
    }
}
