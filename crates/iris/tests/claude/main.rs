//! The daemon with the real Claude Code CLI, of the newest version and an older one, against a scripted model.
//! `cargo xtask test` fetches the CLI; without it these tests are left out, and say so.

#[allow(dead_code, reason = "shared with the tests of the daemon, which use more of it")]
#[path = "../daemon/world.rs"]
mod world;

mod ask;
mod fault;
mod life;
mod permission;
mod pipe;
mod stage;
mod talk;
mod trust;
