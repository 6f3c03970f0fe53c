//! `iris up`: the daemon in the background and the dashboard in the browser.

pub mod demo;
mod offer;
pub mod show;

use std::path::PathBuf;
use std::time::Duration;

use iris_agents::cli;
use iris_api::status::Status;
use iris_api::team::Team;
use iris_api::token::LinkMade;
use iris_engine::config;
use iris_engine::home::Home;
use serde::Serialize;
use tokio::time::Instant;

use super::Context;
use super::doctor::program::{self, Program};
use super::mcp::start;
use super::serve;
use crate::client::{Client, ClientError};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place;
use offer::Offer;

/// Start Iris in the background and open the dashboard
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris up                 finds the running daemon, or starts one; opens the browser, signed in
  iris up --demo          a small team of scripted agents to watch and to answer: no account, no model
  iris up --no-open       opens no browser; the link is printed in any case
  iris down               stops it

In a project that is no team yet it asks whether to make it one. Where nobody can be asked, or there is no claude that \
could serve it, it says how.

The link signs a browser in once, within five minutes. `iris link` makes another.")]
pub struct UpArguments {
    /// Add a demo team and set it to work; `iris demo clean` takes it away
    #[arg(long)]
    demo: bool,
    /// The port, if a daemon has to be started; 0 picks a free one
    #[arg(long, value_name = "N", env = "IRIS_PORT", hide_env_values = true)]
    port: Option<u16>,
    /// Print the link and open no browser
    #[arg(long)]
    no_open: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Up {
    url: String,
    link: String,
    link_expires_in_ms: u64,
    pid: u32,
    started: bool,
    demo: bool,
    /// Agent programs that were found, with what they say of themselves.
    agents: Vec<(String, String)>,
    /// Whether a team names its program itself.
    #[serde(skip)]
    named: bool,
    /// Those that were found and do not say what they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    silent: Vec<Silent>,
    teams: usize,
    /// The folder it was run in, if that could become a team.
    #[serde(skip_serializing_if = "Option::is_none")]
    offer: Option<Offer>,
}

#[derive(Serialize)]
struct Silent {
    name: &'static str,
    file: PathBuf,
    why: String,
}

fn silent(found: &Program) -> Option<Silent> {
    let why = found.version.clone().err()?;
    Some(Silent { name: found.name, file: found.file.clone(), why })
}

/// How long one that is gone may seem to be there.
const ENDING: Duration = Duration::from_secs(3);

pub async fn run(arguments: UpArguments, context: &mut Context) -> Result<Exit, Failure> {
    let client = context.client();
    // Whether it answers at all is found out before anything is changed.
    let found = context.printer.while_waiting("asking iris", find(&client)).await?;
    if arguments.demo {
        demo::look(context).await?;
    }
    let was_there = found.is_some();
    let has_lost = !was_there && Home::at(&context.home).has_lost_database();
    let status = match found {
        Some(status) => status,
        None => {
            context.printer.wait_for("starting iris");
            let port = arguments.port.map(|port| port.to_string());
            let extra: Vec<&str> = port.iter().flat_map(|port| ["--port", port.as_str()]).collect();
            start::ensure(&client, &context.home, &extra).await?;
            context.printer.stop_waiting();
            let status = client.get::<Status>(&["status"], &[]);
            context.printer.while_waiting("asking iris", status).await?
        }
    };
    let is_own = Home::at(&context.home).holder().is_some_and(|holder| holder.pid == status.pid);
    let is_begun = arguments.demo && demo::ensure(context).await? == demo::Ensured::WasAtWork;
    let made: LinkMade = client.post(&["links"], &()).await?;
    let url = client.base().await?;
    if let Some(port) = arguments.port.filter(|port| was_there && *port != 0 && !url.ends_with(&format!(":{port}"))) {
        context.printer.note(format!(
            "it serves where it did, not on port {port}: that is for a daemon that is started (`iris down` first)"
        ));
    }
    let config = config::load(&Home::at(&context.home).config());
    if let Err(error) = &config {
        context.printer.note(match error.missing_variable() {
            Some(name) if is_own && status.config.refused.is_none() => {
                format!("this shell has no {name}, which config.yaml names; the daemon has, and the file is in force")
            }
            _ => format!("the config file cannot be used, so what was in force before still is: {error}"),
        });
    }
    let config = config.unwrap_or_default();
    if has_lost && is_own && config.database.url.is_none() {
        context.printer.note(serve::lost(&Home::at(&context.home)));
    }
    let teams: Vec<Team> = client.all(&["teams"], &[]).await?;
    context.printer.wait_for("looking for agent programs");
    let programs = program::found().await;
    context.printer.stop_waiting();
    let up = Up {
        link: format!("{}{}", show::address(url.clone(), &config.server), made.path),
        url,
        link_expires_in_ms: made.expires_in_ms,
        pid: status.pid,
        started: !was_there,
        demo: arguments.demo,
        agents: programs
            .iter()
            .filter_map(|found| Some((found.name.to_owned(), found.version.clone().ok()?)))
            .collect(),
        named: config.teams.values().any(|team| cli::find(team.agent).is_some() && team.command.is_some()),
        silent: programs.iter().filter_map(silent).collect(),
        // A team is made in this home, and the daemon that was asked may be of another.
        offer: offer::find(&teams, &context.home).filter(|_| is_own),
        teams: teams.len(),
    };
    if context.printer.is_json() {
        context.printer.json(&up)?;
    } else {
        say(&up, context, arguments.no_open)?;
        match (arguments.demo, is_begun) {
            (false, _) => offer::make(&up, context).await?,
            (true, false) => context
                .printer
                .line("the demo is at work; soon it has a question: see the dashboard, or `iris inbox`")?,
            (true, true) => {
                context
                    .printer
                    .line("the demo is at work already; what it asks: see the dashboard, or `iris inbox`")?;
            }
        }
    }
    Ok(Exit::Done)
}

/// The daemon that answers, if there is one. One that was killed just now still holds its home for a moment, and answers nobody.
async fn find(client: &Client) -> Result<Option<Status>, ClientError> {
    let until = Instant::now() + ENDING;
    while client.finds_a_daemon() {
        match client.get::<Status>(&["status"], &[]).await {
            Err(error) if error.is_gone() && client.is_of_this_home() && Instant::now() < until => {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            answer => return answer.map(Some),
        }
    }
    Ok(None)
}

fn say(up: &Up, context: &mut Context, no_open: bool) -> Result<(), Failure> {
    let home = place::shown(&context.home);
    let how = if up.started { "is up" } else { "was up already" };
    context.printer.line(format!("iris {how}: {} (process {}, home {home})", up.url, up.pid))?;
    if !iris_server::has_dashboard() {
        context
            .printer
            .note("this iris was built without its dashboard; `cargo xtask run` in its repository builds both");
    }
    for (name, version) in &up.agents {
        context.printer.line(format!("found {name} {version}"))?;
    }
    for Silent { name, file, why } in &up.silent {
        let file = place::shown(file);
        context.printer.line(format!("found {name} at {file}, but it does not say its version ({why})"))?;
    }
    if up.agents.is_empty() && up.silent.is_empty() && up.named {
        context.printer.line("found no agent program in the PATH; teams name their own")?;
    } else if up.agents.is_empty() && up.silent.is_empty() {
        let demo = if up.demo { "the demo" } else { "`iris up --demo`" };
        context.printer.line(format!("found no agent program; {demo} needs none"))?;
    }
    show_link(up, context, no_open)?;
    Ok(())
}

/// Whether a browser really opened nobody knows, so that the link is always there to be used.
fn show_link(up: &Up, context: &mut Context, no_open: bool) -> Result<(), Failure> {
    let minutes = Duration::from_millis(up.link_expires_in_ms).as_secs() / 60;
    let lead = if !no_open && show::open(&up.link) { "your browser opens the dashboard; if not, " } else { "" };
    context.printer.line(format!("{lead}open this once, within {minutes} minutes: {}", up.link))?;
    let connection = std::env::var("SSH_CONNECTION").unwrap_or_default();
    if let Some(command) = show::tunnel(&up.link, &connection, std::env::var("USER").ok().as_deref()) {
        context
            .printer
            .line(format!("you are here by ssh; for the link to work, run on your own machine: {command}"))?;
    }
    if let Some(code) = show::qr(&up.link) {
        context.printer.line(code)?;
    }
    Ok(())
}
