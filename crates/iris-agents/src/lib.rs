//! Talking to one agent process: how it is started, what goes in, what comes out, how it ends.
//!
//! Everything about one kind of agent stays in its folder. This crate knows no database and decides nothing about turns.

pub mod agent;
pub mod claude;
pub mod cli;
pub mod contain;
pub mod health;
pub mod launch;
mod lines;
pub mod process;
pub mod scripted;
mod tongue;
