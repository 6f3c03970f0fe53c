//! `iris mcp`: an MCP server on stdin and stdout, as Claude Code and others start one. It is a thin bridge to the daemon,
//! which it starts if there is none. Stdout is for the protocol alone.

mod bridge;
mod forward;
mod message;
mod session;
pub mod start;
mod within;

use std::io::IsTerminal;

use super::Context;
use crate::exit::{self, Exit};
use crate::failure::Failure;
use bridge::Bridge;

/// Serve MCP on stdin and stdout, for Claude Code and other clients
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris install                        Claude Code starts it when it needs it
  iris mcp < requests.jsonl           one JSON-RPC message on each line

It starts the daemon if none runs for this home; the daemon stays when this ends, and any number of these share it. \
Whoever starts it in the folder of a team speaks for that team, else for you. Below an agent that Iris runs it offers nothing: \
that has its tools on its own pipe. The daemon's log is in IRIS_HOME/logs. \
With IRIS_URL it talks to that daemon and starts none.")]
pub struct McpArguments {}

/// Clients show what they are answered, and seldom what is on stderr: why there is no daemon is said on both.
pub async fn run(McpArguments {}: McpArguments, context: &mut Context) -> Result<Exit, Failure> {
    let failed = start::ensure(&context.client(), &context.home, &[]).await.err();
    if let Some(failure) = &failed {
        context.printer.failure(failure);
        if std::io::stdin().is_terminal() {
            return Ok(exit::of(failure.why));
        }
    }
    // Every request tries to start one, and is answered with why there is none.
    let within_agent = within::an_agent(&context.client()).await;
    let had_daemon = Bridge::new(context, within_agent)?.run().await?;
    Ok(failed.filter(|_| !had_daemon).map_or(Exit::Done, |failure| exit::of(failure.why)))
}
