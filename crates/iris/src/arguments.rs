//! The command line: a table of contents. What a command takes is said in the command's own file.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::commands::{
    answer, audit, backup, cache, cancel, completions, config, demo, detect, doctor, down, events, fork, inbox,
    install, jobs, link, mcp, monitor, restore, rules, serve, service, sessions, sleep, status, stop, teams, tell,
    token, trust, up, wake,
};
use crate::exit;
use crate::printer::Format;

/// Runs teams of coding agents and keeps what they were told and what they said.
#[derive(Debug, Parser)]
#[command(version, disable_help_subcommand = true, arg_required_else_help = true, after_help = exit::HELP)]
pub struct Arguments {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Args)]
pub struct Global {
    /// Print JSON on stdout, and errors as JSON on stderr
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub json: bool,
    /// The folder Iris lives in [default: ~/.iris]
    #[arg(
        long,
        global = true,
        help_heading = "Everywhere",
        value_name = "PATH",
        env = "IRIS_HOME",
        hide_env_values = true
    )]
    pub home: Option<PathBuf>,
}

impl Global {
    pub fn format(&self) -> Format {
        if self.json { Format::Json } else { Format::Human }
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Up(up::UpArguments),
    Down(down::DownArguments),
    Demo(demo::DemoArguments),
    Serve(serve::ServeArguments),
    #[command(visible_alias = "start")]
    Mcp(mcp::McpArguments),
    Install(install::InstallArguments),
    Uninstall(install::UninstallArguments),
    Service(service::ServiceArguments),
    Status(status::StatusArguments),
    Teams(teams::TeamsArguments),
    Tell(tell::TellArguments),
    Wake(wake::WakeArguments),
    Sleep(sleep::SleepArguments),
    Stop(stop::StopArguments),
    Cancel(cancel::CancelArguments),
    Fork(fork::ForkArguments),
    Inbox(inbox::InboxArguments),
    Monitor(monitor::MonitorArguments),
    Answer(answer::AnswerArguments),
    Rules(rules::RulesArguments),
    Jobs(jobs::JobsArguments),
    Token(token::TokenArguments),
    Link(link::LinkArguments),
    Trust(trust::TrustArguments),
    Sessions(sessions::SessionsArguments),
    Cache(cache::CacheArguments),
    Events(events::EventsArguments),
    Config(config::ConfigArguments),
    Detect(detect::DetectArguments),
    Doctor(doctor::DoctorArguments),
    Audit(audit::AuditArguments),
    Backup(backup::BackupArguments),
    Restore(restore::RestoreArguments),
    Completions(completions::CompletionsArguments),
    Man(completions::ManArguments),
    /// As --help
    #[command(hide = true)]
    Help {
        command: Vec<String>,
    },
}

impl Command {
    /// A daemon says what it does; a client only what is wrong.
    pub fn log_level(&self) -> &'static str {
        match self {
            Self::Serve(_) => "info",
            // Its screen is the terminal that the log would be written over.
            Self::Monitor(_) | Self::Inbox(_) => "off",
            _ => "warn",
        }
    }
}
