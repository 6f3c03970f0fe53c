//! Where JSON stands in a reply: in a fence or without one, also in an item of a list or in a quotation.

use std::ops::Range;

use super::tidy;
use crate::detect::page::marker;
use crate::detect::window::Window;

#[derive(Debug)]
pub(super) struct Block {
    /// With its fences.
    pub range: Range<usize>,
    pub body: Range<usize>,
    /// What its fence says that it is may be JSON.
    pub may_be_json: bool,
    /// What is said since the block before it, and up to the next one.
    pub before: Range<usize>,
    pub after: Range<usize>,
}

/// In the order they stand in. One that is never closed goes on to the end.
pub(super) fn list(text: &str, window: &Window) -> Vec<Block> {
    let mut blocks = Vec::new();
    // The window may begin in a block of which nobody knows what it is.
    let mut open = window.in_code.then_some(Open { mark: "```", info: "", start: window.range.start, body: None });
    let (mut at, mut read) = (window.range.start, window.range.start);
    let mut budget = BUDGET;
    for line in text[window.range.clone()].split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        if start < read {
            continue;
        }
        match (open.take(), fence(line)) {
            (None, Some(fence)) => open = Some(Open { mark: fence.mark, info: fence.info, start, body: Some(end) }),
            (Some(is), Some(fence)) if fence.info.is_empty() && fence.mark.starts_with(is.mark) => {
                blocks.push(is.closed(start, end));
            }
            (None, None) => {
                let Some(block) = bare(text, start, line, window.range.end, &mut budget) else { continue };
                read = block.range.end;
                blocks.push(block);
            }
            (still, _) => open = still,
        }
    }
    blocks.extend(open.map(|open| open.closed(at, at)));
    for index in 0..blocks.len() {
        let before = index.checked_sub(1).map_or(window.range.start, |before| blocks[before].range.end);
        let after = blocks.get(index + 1).map_or(window.range.end, |next| next.range.start);
        blocks[index].before = before..blocks[index].range.start;
        blocks[index].after = blocks[index].range.end..after;
    }
    blocks
}

struct Open<'a> {
    mark: &'a str,
    info: &'a str,
    start: usize,
    /// None if nobody knows what is in it.
    body: Option<usize>,
}

impl Open<'_> {
    fn closed(&self, body_end: usize, end: usize) -> Block {
        const MAY_BE: [&str; 12] = [
            "",
            "json",
            "jsonc",
            "json5",
            "jsonl",
            "ndjson",
            "js",
            "javascript",
            "text",
            "txt",
            "plaintext",
            "question",
        ];
        let name = self.info.split_whitespace().next().unwrap_or_default();
        let may_be_json = MAY_BE.iter().any(|known| known.eq_ignore_ascii_case(name));
        Block { may_be_json, ..Block::new(self.start..end, self.body.unwrap_or(body_end)..body_end) }
    }
}

struct Fence<'a> {
    mark: &'a str,
    info: &'a str,
}

fn fence(line: &str) -> Option<Fence<'_>> {
    let line = content(line);
    let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let info = line.trim_start_matches(sign);
    let mark = &line[..line.len() - info.len()];
    (mark.len() >= 3 && !info.contains('`')).then_some(Fence { mark, info: info.trim() })
}

/// So much is read in search of JSON without a fence: of a text full of brackets every one may have to be read to the end.
const BUDGET: usize = 64 * 1024;

/// From a line that begins like JSON to where it is closed; where it is not, to the end of the paragraph.
fn bare(text: &str, start: usize, line: &str, limit: usize, budget: &mut usize) -> Option<Block> {
    let said = content(line);
    let from = start + line.len() - said.len();
    if !said.starts_with(['{', '[']) || *budget == 0 {
        return None;
    }
    let tidy = tidy::read_value(&text[from..text.floor_char_boundary(limit.min(from + *budget))]);
    *budget -= tidy.text.len();
    let length = match tidy.closed_at {
        Some(end) => end,
        None => text[from..limit].find("\n\n").unwrap_or(limit - from),
    };
    let range = from..from + length;
    super::speaks_of_questions(&text[range.clone()]).then(|| Block::new(range.clone(), range))
}

/// A line without the marks of a quotation or an item before it.
fn content(line: &str) -> &str {
    let line = line.trim_start_matches([' ', '\t', '>']);
    let mark = if line.starts_with(['{', '[']) { 0 } else { marker(line).unwrap_or_default() };
    line[mark..].trim_start()
}

impl Block {
    fn new(range: Range<usize>, body: Range<usize>) -> Self {
        Self { range, body, may_be_json: true, before: 0..0, after: 0..0 }
    }
}
