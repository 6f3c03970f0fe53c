//! The MCP doors: over HTTP, over stdio, and with clients that we did not write.

#[allow(dead_code, reason = "shared with the tests of the daemon, which use more of it")]
#[path = "../daemon/world.rs"]
mod world;

mod ask;
mod claude;
mod clients;
mod end;
mod http;
mod install;
mod key;
mod pipe;
mod progress;
mod read;
mod resume;
mod stage;
mod stdio;
mod watch;
