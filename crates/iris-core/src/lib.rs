//! The rules of Iris: what is decided, never what is done.
//!
//! Pure code. No runtime, no database driver, no clock, no environment: every function takes what happened and returns
//! what follows from it, so that every test runs in microseconds and reads like a specification.

pub mod actor;
pub mod agent;
pub mod call;
pub mod credential;
pub mod detect;
pub mod duration;
pub mod event;
pub mod fault;
pub mod hex;
pub mod id;
pub mod job;
pub mod key;
pub mod message;
pub mod pool;
pub mod question;
pub mod relay;
pub mod rule;
pub mod said;
pub mod session;
pub mod team;
pub mod time;
pub mod turn;
pub mod visible;
