//! Durable memory: one concrete `Store` over SQLite and PostgreSQL.
//!
//! SQL is written once, in the subset both understand. Verbs are plain synchronous functions over a `Tx`, run on the
//! store's own threads: one writer that commits waiting transactions together, and a few readers. This crate decides
//! nothing and starts no process; it keeps what it is told and says what it has.

pub mod backup;
mod clock;
mod engine;
pub mod error;
pub mod event;
mod failpoint;
pub mod job;
pub mod lane;
pub mod look;
mod migrate;
mod notice;
pub mod question;
mod reader;
pub mod reply;
pub mod rule;
pub mod session;
mod stand_in;
mod store;
pub mod timer;
pub mod token;
pub mod trust;
pub mod turn;
mod tx;
mod writer;

pub use clock::{Clock, wall_ms};
pub use engine::postgres::address::check_url;
pub use error::StoreError;
pub use store::{Location, OnCommit, Opening, Store, StoreHealth};
pub use tx::{Cell, Row, Tx, Value};
