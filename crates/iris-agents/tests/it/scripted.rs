//! The scripted agent over its pipes, as a host sees it.

#![expect(clippy::unwrap_used, reason = "a test that stops at an unwrap has said all it had to say")]

pub mod agent;
mod ask;
mod life;
mod reply;
mod trouble;
