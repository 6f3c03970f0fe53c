//! `iris token`: credentials for programs, agents and other people.

use clap::{Subcommand, ValueEnum};
use iris_api::Page;
use iris_api::token::{Token, TokenMade, TokenRequest};
use iris_core::duration::Millis;

use super::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::moment;
use crate::printer::{Column, Table, Tone};
use crate::span;

/// Make, list and revoke tokens
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris token create --name ci --scope read,tell --expires 30d
  iris token create --name phone --scope read,answer
  iris token create --name bot --agent backend      speaks for the team backend, and can never decide anything
  iris token list
  iris token revoke ci                              at once; what it has open is closed

Scopes: read (see everything), tell (give work), answer (decide questions), admin (tokens, trust, backups, stop all). \
A token is sent as `Authorization: Bearer <token>`, or set as IRIS_TOKEN for this program.")]
pub struct TokenArguments {
    #[command(subcommand)]
    command: TokenCommand,
}

#[derive(Debug, Subcommand)]
enum TokenCommand {
    /// Make a token; it is shown this once
    #[command(after_help = "\
Examples:
  iris token create --name ci
  iris token create --name ci --json | jq -r .secret")]
    Create(CreateArguments),
    /// List the tokens and signed-in browsers
    #[command(after_help = "\
Examples:
  iris token list
  iris token list --json | jq -r '.items[] | select(.kind == \"browser\").name'")]
    List,
    /// Revoke a token or sign a browser out, at once
    #[command(after_help = "\
Examples:
  iris token revoke ci
  iris token revoke browser-4f1a2b")]
    Revoke {
        /// Its name or id
        token: String,
    },
}

#[derive(Debug, clap::Args)]
struct CreateArguments {
    /// What it is for
    #[arg(long)]
    name: String,
    /// What it may do, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_values = ["read", "tell"])]
    scope: Vec<ScopeName>,
    /// How long it is good, such as 12h or 30d; for ever if not said
    #[arg(long, value_name = "TIME", value_parser = span::read)]
    expires: Option<Millis>,
    /// Whom it speaks for [default: its name]
    #[arg(long = "as", value_name = "PARTY", conflicts_with = "agent")]
    party: Option<String>,
    /// For an agent of this team
    #[arg(long, value_name = "TEAM")]
    agent: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ScopeName {
    Read,
    Tell,
    Answer,
    Admin,
}

pub async fn run(arguments: TokenArguments, context: &mut Context) -> Result<Exit, Failure> {
    match arguments.command {
        TokenCommand::Create(arguments) => create(arguments, context).await,
        TokenCommand::List => list(context).await,
        TokenCommand::Revoke { token } => revoke(&token, context).await,
    }
}

async fn create(arguments: CreateArguments, context: &mut Context) -> Result<Exit, Failure> {
    let is_agent = arguments.agent.is_some();
    let scopes = arguments.scope.iter().filter_map(|scope| scope.to_possible_value());
    let request = TokenRequest {
        name: arguments.name,
        kind: Some(if is_agent { "agent" } else { "human" }.to_owned()),
        party: arguments.agent.or(arguments.party),
        scopes: Some(scopes.map(|scope| scope.get_name().to_owned()).collect()),
        expires_in: arguments.expires.map(|Millis(ms)| ms),
    };
    let made: TokenMade = context.client().post(&["tokens"], &request).await?;
    let printer = &mut context.printer;
    if printer.is_json() {
        printer.json(&made)?;
    } else {
        printer.line(&made.secret)?;
        printer.note(format!(
            "this is '{}' ({}), speaking for {}; it is not shown again",
            made.token.name,
            made.token.scopes.join(", "),
            made.token.party
        ));
    }
    Ok(Exit::Done)
}

async fn list(context: &mut Context) -> Result<Exit, Failure> {
    let page: Page<Token> = context.client().get(&["tokens"], &[]).await?;
    let printer = &mut context.printer;
    if printer.is_json() {
        printer.json(&page)?;
    } else if page.items.is_empty() {
        printer.line("there is no token beside the owner's; make one with `iris token create --name ci`")?;
    } else {
        let columns = ["NAME", "KIND", "FOR", "SCOPES", "USED", "EXPIRES", "ID"].map(Column::Left);
        let mut table = Table::new(columns);
        for token in &page.items {
            table.row([
                (Tone::Strong, token.name.clone()),
                (Tone::Plain, token.kind.clone()),
                (Tone::Plain, token.party.clone()),
                (Tone::Plain, token.scopes.join(",")),
                (Tone::Plain, token.used_at.map_or_else(|| "never".to_owned(), moment::date)),
                (Tone::Plain, token.expires_at.map_or_else(|| "never".to_owned(), moment::date)),
                (Tone::Faint, token.id.clone()),
            ]);
        }
        printer.table(&table)?;
    }
    Ok(Exit::Done)
}

async fn revoke(token: &str, context: &mut Context) -> Result<Exit, Failure> {
    let revoked: Token = context.client().delete(&["tokens", token]).await?;
    let printer = &mut context.printer;
    if printer.is_json() {
        printer.json(&revoked)?;
    } else {
        printer.line(format!("'{}' opens nothing any more", revoked.name))?;
    }
    Ok(Exit::Done)
}
