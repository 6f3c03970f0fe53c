//! `iris serve`: the daemon in the foreground, from the lock on its home to the last agent's end.

mod code;
mod detach;
pub mod listen;
pub mod starter;
mod stop;

use std::path::Path;

use iris_engine::backup::finish_restore;
use iris_engine::config::{self, Outside};
use iris_engine::home::{Home, HomeError, HomeLock};
use iris_engine::{Engine, StartError, tasks};
use iris_server::Doors;
use serde::Serialize;
use tokio::sync::oneshot;

use super::Context;
use super::config::check_start;
use crate::exit::Exit;
use crate::failure::{Failure, Why};
use crate::{config_file, place, telemetry};
pub use stop::Signals;

/// Run Iris in the foreground, until Ctrl-C
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris serve                    on 127.0.0.1:1615, or what config.yaml says
  iris serve --port 0           on any free port; the line it prints says which
  iris --home /srv/iris serve   another home: its own teams, sessions and log
  iris serve --json             print {url, pid, home, teams} as JSON when ready

The first Ctrl-C (or SIGTERM) lets running turns finish for settings.shutdownGrace; a second one stops at once. \
The log is JSON on stderr; IRIS_LOG=debug shows more.")]
pub struct ServeArguments {
    /// The address to listen on; beyond loopback only with TLS
    #[arg(long, value_name = "H")]
    pub host: Option<String>,
    /// The port to listen on; 0 picks a free one
    #[arg(long, value_name = "N", env = "IRIS_PORT", hide_env_values = true)]
    pub port: Option<u16>,
    /// Start a daemon in the background and return when it serves
    #[arg(long, hide = true)]
    pub detached: bool,
}

#[derive(Serialize)]
struct Ready<'a> {
    url: &'a str,
    pid: u32,
    home: String,
    teams: usize,
}

pub async fn run(arguments: ServeArguments, context: &mut Context) -> Result<Exit, Failure> {
    if arguments.detached {
        return detach::start(&arguments, context).await;
    }
    let mut signals = Signals::listen()?;
    let home = Home::prepare(&context.home)?;
    let mut lock = take(&home).await?;
    // Before anything of it is read.
    if finish_restore(&home)?.is_some() {
        context.printer.note("finished a restore that was broken off");
    }
    if config_file::write_if_missing(&home.config())? {
        context.printer.note(format!("wrote a first config: {}", place::shown(&home.config())));
    }
    starter::write_schema(home.root());
    let config = config::load(&home.config())?;
    let teams = config.teams.len();
    iris_engine::secret::mask(&config);
    if config.database.url.is_none() && home.has_lost_database() {
        tracing::warn!("{}", lost(&home));
    }
    let telemetry = telemetry::start(&config.telemetry)?;
    // Bound before anything is opened: a port that is taken is found out before any agent is touched.
    let listen::Bound { listener, tls, url, port } = listen::bind(&arguments, &config).await?;
    let engine = tokio::select! {
        engine = Engine::start(home, config) => engine.map_err(|error| named(error, &context.home))?,
        () = signals.next() => return Err(Failure::new(Why::BrokenOff, "stopped while it was starting")),
    };
    engine.set_outside(Outside { port, check: check_start });
    lock.announce(Some(&url))?;
    announce(context, &url, teams);
    let served = serve(engine, Doors { listener, tls, registry: telemetry.registry.clone() }, &mut signals);
    let ended = tokio::select! {
        ended = served => ended,
        () = stay_known(&mut lock) => unreachable!("it is seen to for ever"),
    };
    telemetry.finish().await;
    drop(lock);
    ended
}

/// Said also by `iris up`, which shows no log.
pub fn lost(home: &Home) -> String {
    format!(
        "{} was empty or gone though a daemon ran here, so nothing is known of what was before; if you have a backup: \
         `iris down`, then `iris restore FILE`",
        place::shown(&home.database())
    )
}

/// Clients find the daemon by a file that somebody who tidies up may take away.
async fn stay_known(lock: &mut HomeLock) {
    loop {
        tokio::time::sleep(STAY_KNOWN).await;
        if let Err(error) = lock.renew() {
            tracing::debug!(%error, "run/daemon.lock is gone and cannot be written anew");
        }
    }
}

const STAY_KNOWN: std::time::Duration = std::time::Duration::from_secs(2);

/// The store does not know what its home is called.
fn named(error: StartError, home: &Path) -> Failure {
    let failure = Failure::from(error);
    Failure { message: failure.message.replace("IRIS_HOME", &place::shown(home)), ..failure }
}

/// A client that looks whether a daemon is there holds the lock for the blink of an eye, so it is tried more than once.
async fn take(home: &Home) -> Result<HomeLock, HomeError> {
    const TRIES: u32 = 15;
    for _ in 1..TRIES {
        match home.lock() {
            Err(HomeError::AlreadyRunning { .. }) => tokio::time::sleep(std::time::Duration::from_millis(20)).await,
            taken => return taken,
        }
    }
    home.lock()
}

fn announce(context: &mut Context, url: &str, teams: usize) {
    let home = context.home.clone();
    let said = if context.printer.is_json() {
        context.printer.json(&Ready { url, pid: std::process::id(), home: home.display().to_string(), teams })
    } else {
        let count = if teams == 1 { "1 team".to_owned() } else { format!("{teams} teams") };
        context.printer.line(format!("iris is serving on {url} (home {}, {count})", place::shown(&home)))
    };
    // Whoever started it may not read what it says; it serves all the same.
    if said.is_err() {
        tracing::debug!("nobody reads stdout");
    }
    tracing::info!(url, home = %home.display(), teams, "serving");
}

async fn serve(engine: Engine, doors: Doors, signals: &mut Signals) -> Result<Exit, Failure> {
    let (close, closed) = oneshot::channel::<()>();
    let closing = async move {
        // Dropping the sender closes as well.
        closed.await.ok();
    };
    let mut server = tasks::spawn("server", iris_server::serve(engine.clone(), doors, closing));
    tasks::spawn("code", code::give_back());
    tokio::select! {
        () = signals.next() => {}
        ended = &mut server => {
            tracing::error!(?ended, "the server ended by itself");
            engine.shut_down().await;
            return Err(Failure::internal("the server ended by itself; the log says more"));
        }
    }
    let grace = engine.config().settings.shutdown_grace;
    tracing::info!("stopping; running turns may go on for {grace}, a second signal stops at once");
    tokio::select! {
        ended = stop::politely(engine, close, &mut server) => ended.map(|()| Exit::Done),
        () = signals.next() => {
            tracing::warn!("stopped at once; turns that ran are settled at the next start");
            Ok(Exit::BrokenOff)
        }
    }
}
