//! `iris link`: a link that signs a browser in, once.

use iris_api::token::LinkMade;
use iris_engine::config;
use iris_engine::home::Home;
use serde::Serialize;

use super::Context;
use super::up::show;
use crate::exit::Exit;
use crate::failure::Failure;

/// Print a one-time link that signs a browser in
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris link                       open it in a browser within five minutes
  iris link --json | jq -r .url

The link works once. The browser then stays signed in for 30 days; `iris token list` shows it and
`iris token revoke` signs it out.")]
pub struct LinkArguments {}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Link {
    url: String,
    expires_in_ms: u64,
}

pub async fn run(_: LinkArguments, context: &mut Context) -> Result<Exit, Failure> {
    let client = context.client();
    let made: LinkMade = client.post(&["links"], &()).await?;
    let config = config::load(&Home::at(&context.home).config()).unwrap_or_default();
    let url = format!("{}{}", show::address(client.base().await?, &config.server), made.path);
    let printer = &mut context.printer;
    if printer.is_json() {
        printer.json(&Link { url, expires_in_ms: made.expires_in_ms })?;
    } else {
        printer.line(&url)?;
        if let Some(code) = show::qr(&url) {
            printer.line(code)?;
        }
        printer.note(format!("it works once, within {} minutes", made.expires_in_ms / 60_000));
    }
    Ok(Exit::Done)
}
