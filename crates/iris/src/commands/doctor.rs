//! `iris doctor`: looks at everything Iris needs and says what is wrong and what helps. Works without a daemon.

mod clock;
mod containment;
mod database;
mod denied;
mod disk;
mod finding;
mod fix;
mod home;
mod login;
mod patience;
mod port;
pub mod program;
mod registration;
mod team;

use iris_api::status::Status;
use iris_engine::config::{self, Config, ConfigError, ServerConfig};
use iris_engine::home::Home;

use super::Context;
use super::config::{awaited, check_tls};
use super::serve::listen::TWO_FILES;
use crate::client::{Client, ClientError};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place;
use crate::printer::{Printer, Span, Tone};
use finding::{Finding, Verdict};

/// Look for what is wrong, and say what helps
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris doctor                                       everything, also if Iris is not running
  iris doctor --fix                                 and repairs what can be repaired without a risk
  iris doctor --json | jq '.findings[] | select(.verdict != \"ok\")'
  iris --home /srv/iris doctor                      another home

Without --fix nothing is changed. With it: who may read the home's files, folders of the home that are missing, files that \
a killed process left half-written, and processes that a killed daemon left running. \
The exit code is 10 if there is a problem (that --fix did not repair), and 0 if there are warnings only.")]
pub struct DoctorArguments {
    /// Repair what can be repaired without a risk, and say what was done
    #[arg(long)]
    fix: bool,
}

impl DoctorArguments {
    pub fn repairs(&self) -> bool {
        self.fix
    }
}

pub async fn run(arguments: DoctorArguments, context: &mut Context) -> Result<Exit, Failure> {
    let (home, client) = (Home::at(&context.home), context.client());
    context.printer.wait_for("looking");
    let mut findings = look(&home, &client).await;
    if arguments.fix {
        fix::repair(&home, &mut findings).await;
    }
    context.printer.stop_waiting();
    report(&findings, &mut context.printer)
}

async fn look(home: &Home, client: &Client) -> Vec<Finding> {
    let config = config::load(&home.config());
    let (daemon, status) = look_at_daemon(client, home).await;
    let status = status.as_ref();
    let mut findings = home::look(home, status.is_some() || home.holder().is_some());
    // IRIS_URL may lead to a daemon of another home or machine, whose environment and teams are not these.
    let own = status.filter(|status| home.holder().is_some_and(|holder| holder.pid == status.pid));
    findings.push(look_at_config(&config, own));
    let config = config.unwrap_or_default();
    findings.push(daemon);
    findings.push(port::look(home, &config));
    findings.extend(look_at_tls(home, &config.server));
    let (database, newest) = database::look(home, &config, status);
    findings.extend(database);
    findings.push(clock::look(client, status, newest).await);
    findings.push(disk::look(home));
    findings.push(containment::look(home, &config, status));
    findings.push(containment::look_for_leftovers(home, client, status).await);
    findings.extend(program::look(&config, own).await);
    findings.push(program::look_at_codex().await);
    findings.extend(login::look(home, &config, own));
    findings.extend(team::look(client, &config, own).await);
    findings.extend(patience::look(&config));
    findings.extend(registration::look());
    findings
}

fn look_at_config(config: &Result<Config, ConfigError>, own: Option<&Status>) -> Finding {
    const CHECK: &str = "config";
    match config {
        Ok(config) => Finding::ok(CHECK, count(config.teams.len(), "team")),
        Err(error) => match error.missing_variable() {
            Some(name) if own.is_some_and(|status| status.config.refused.is_none()) => {
                let what =
                    format!("this shell has no {name}, which the file names; the daemon has, and it is in force");
                let help = format!("`export {name}=…` here too, for commands that change the file, and for this one");
                Finding::warning(CHECK, what, help)
            }
            _ => {
                let help = error.hint().unwrap_or("correct the file; `iris config check` says whether it is right");
                Finding::problem(CHECK, error.to_string(), help)
            }
        },
    }
}

fn look_at_tls(home: &Home, server: &ServerConfig) -> Option<Finding> {
    const CHECK: &str = "tls";
    let tls = server.tls.as_ref()?;
    Some(match check_tls(&home.config(), server) {
        Ok(()) => Finding::ok(CHECK, format!("{} and its key can be used", place::shown(&tls.certificate))),
        Err(error) => Finding::problem(CHECK, error.to_string(), TWO_FILES),
    })
}

async fn look_at_daemon(client: &Client, home: &Home) -> (Finding, Option<Status>) {
    const CHECK: &str = "daemon";
    match client.get::<Status>(&["status"], &[]).await {
        Ok(status) => {
            let said = format!("iris {}, process {}", status.version, status.pid);
            let finding = match &status.config.refused {
                None if status.config.waiting_since.is_some() => {
                    let what = format!("{said}; the config file is {}", awaited(&status.config));
                    let help = match status.config.waiting_for.as_deref() {
                        Some("writer") => "save the file and close it; whatever else has it open, `lsof` on it says",
                        _ => "look again in a few seconds",
                    };
                    Finding::warning(CHECK, what, help)
                }
                None => Finding::ok(CHECK, said),
                Some(why) => {
                    let what =
                        format!("{said}; it goes on with the config of before, because the file is wrong: {why}");
                    Finding::problem(CHECK, what, "correct the file; it is in force a second later")
                }
            };
            (finding, Some(status))
        }
        Err(ClientError::NotRunning(_)) => {
            let what = format!("not running for {}", place::shown(home.root()));
            (Finding::warning(CHECK, what, "start it with `iris up`, or `iris serve` in the foreground"), None)
        }
        Err(error @ ClientError::Hidden { .. }) => {
            (Finding::problem(CHECK, error.to_string(), "see what is said above of the home and of `access`"), None)
        }
        Err(error) => {
            let failure = Failure::from(error);
            let help = failure.hint.unwrap_or_else(|| "read its log, or start it anew".to_owned());
            (Finding::problem(CHECK, failure.message, help), None)
        }
    }
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

fn report(findings: &[Finding], printer: &mut Printer) -> Result<Exit, Failure> {
    let number = |verdict| findings.iter().filter(|finding| finding.verdict == verdict).count();
    let (problems, warnings, fixed) = (number(Verdict::Problem), number(Verdict::Warning), number(Verdict::Fixed));
    if printer.is_json() {
        let report =
            serde_json::json!({ "findings": findings, "problems": problems, "warnings": warnings, "fixed": fixed });
        printer.json(&report)?;
    } else {
        for finding in findings {
            print(finding, printer)?;
        }
        let can_be_fixed = findings.iter().filter(|finding| finding.can_be_fixed()).count();
        if can_be_fixed > 0 {
            printer.note(format!("`iris doctor --fix` repairs {can_be_fixed} of these"));
        }
    }
    Ok(if problems == 0 { Exit::Done } else { Exit::ProblemFound })
}

fn print(finding: &Finding, printer: &mut Printer) -> Result<(), Failure> {
    let (tone, word) = match finding.verdict {
        Verdict::Ok => (Tone::Good, "ok"),
        Verdict::Fixed => (Tone::Good, "fixed"),
        Verdict::Warning => (Tone::Busy, "warning"),
        Verdict::Problem => (Tone::Bad, "problem"),
    };
    let (word, check) = (format!("{word:9}"), format!("{:13}", finding.check));
    // The place of a mistake in the config is shown with its line, below what is wrong with it.
    let mut what = finding.what.lines();
    printer.spans([Span::of(tone, word), Span::strong(check), Span::plain(what.next().unwrap_or_default())])?;
    for line in what {
        printer.spans([Span::plain(" ".repeat(22)), Span::plain(line)])?;
    }
    for line in finding.done.iter().chain(&finding.help) {
        printer.spans([Span::plain(" ".repeat(22)), Span::faint(line)])?;
    }
    Ok(())
}
