//! What a client takes: the header `Accept`, with its weights.

use axum::http::{HeaderMap, header};

/// How much a kind is liked: up to 1, and 0 for one that is not named or not wanted. What is named as a range of kinds (`*/*`)
/// is taken by everybody, and says nothing here.
pub(crate) fn liking(headers: &HeaderMap, wanted: &str) -> f32 {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|accept| accept.to_str().ok());
    let ranges = accepted.flat_map(|accept| accept.split(','));
    let named = ranges.filter(|range| range.split(';').next().is_some_and(|kind| is(kind, wanted)));
    named.map(weight).fold(0.0, f32::max)
}

fn weight(range: &str) -> f32 {
    let said = range.split(';').skip(1).filter_map(|one| one.split_once('='));
    let said = said.filter(|(name, _)| is(name, "q")).last().map(|(_, weight)| weight.trim().parse());
    said.and_then(Result::ok).unwrap_or(1.0)
}

fn is(found: &str, wanted: &str) -> bool {
    found.trim().eq_ignore_ascii_case(wanted)
}
