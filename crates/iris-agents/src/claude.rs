//! Claude Code's stream-json: newline-delimited JSON both ways, with control requests on the same pipe. The scripted
//! agent speaks it too.

mod ask;
pub(crate) mod cli;
pub(crate) mod command;
pub(crate) mod explain;
pub(crate) mod folder;
pub(crate) mod forget;
mod letters;
pub(crate) mod meaning;
pub(crate) mod read;
mod speak;
pub(crate) mod tools;
pub mod transcript;
pub(crate) mod usage;
pub(crate) mod wire;
pub(crate) mod write;
