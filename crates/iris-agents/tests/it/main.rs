//! One binary for all integration tests of this crate; files mirror the source paths.

mod claude;
mod contain;
mod scripted;
