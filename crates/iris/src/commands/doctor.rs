//! `iris doctor`: looks at everything Iris needs and says what is wrong and what helps. Works without a daemon.

mod containment;
mod home;
pub mod program;

use iris_api::status::Status;
use iris_engine::config;
use iris_engine::home::Home;
use serde::Serialize;

use super::Context;
use crate::client::{Client, ClientError};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place;
use crate::printer::{Printer, Span, Tone};

/// Look for what is wrong, and say what helps
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris doctor                                       everything, also if Iris is not running
  iris doctor --json | jq '.findings[] | select(.verdict != \"ok\")'
  iris --home /srv/iris doctor                      another home

Nothing is changed. The exit code is 10 if a problem was found, and 0 if there are warnings only.")]
pub struct DoctorArguments {}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Finding {
    check: &'static str,
    verdict: Verdict,
    what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Ok,
    Warning,
    Problem,
}

impl Finding {
    fn ok(check: &'static str, what: impl Into<String>) -> Self {
        Self { check, verdict: Verdict::Ok, what: what.into(), help: None }
    }

    fn warning(check: &'static str, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { check, verdict: Verdict::Warning, what: what.into(), help: Some(help.into()) }
    }

    fn problem(check: &'static str, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { check, verdict: Verdict::Problem, what: what.into(), help: Some(help.into()) }
    }
}

pub async fn run(_: DoctorArguments, context: &mut Context) -> Result<Exit, Failure> {
    let (home, client) = (Home::at(&context.home), context.client());
    let config = config::load(&home.config());
    let (daemon, status) = look_at_daemon(&client, &home).await;
    let mut findings = home::look(&home);
    findings.push(match &config {
        Ok(config) => Finding::ok("config", format!("{} teams", config.teams.len())),
        Err(error) => {
            Finding::problem("config", error.to_string(), "correct the file; nothing of it is used until then")
        }
    });
    findings.push(daemon);
    let config = config.unwrap_or_default();
    findings.push(containment::look(&home, &config, status.as_ref()));
    findings.push(containment::look_for_leftovers(&home, &client, status.as_ref()).await);
    findings.push(program::look(&config).await);
    report(&findings, &mut context.printer)
}

async fn look_at_daemon(client: &Client, home: &Home) -> (Finding, Option<Status>) {
    const CHECK: &str = "daemon";
    match client.get::<Status>(&["status"], &[]).await {
        Ok(status) => (Finding::ok(CHECK, format!("iris {}, process {}", status.version, status.pid)), Some(status)),
        Err(ClientError::NotRunning(_)) => {
            let what = format!("not running for {}", place::shown(home.root()));
            (Finding::warning(CHECK, what, "start it with `iris serve`"), None)
        }
        Err(error) => {
            let failure = Failure::from(error);
            let help = failure.hint.unwrap_or_else(|| "read its log, or start it anew".to_owned());
            (Finding::problem(CHECK, failure.message, help), None)
        }
    }
}

fn report(findings: &[Finding], printer: &mut Printer) -> Result<Exit, Failure> {
    let count = |verdict| findings.iter().filter(|finding| finding.verdict == verdict).count();
    let (problems, warnings) = (count(Verdict::Problem), count(Verdict::Warning));
    if printer.is_json() {
        printer.json(&serde_json::json!({ "findings": findings, "problems": problems, "warnings": warnings }))?;
    } else {
        for finding in findings {
            print(finding, printer)?;
        }
    }
    Ok(if problems == 0 { Exit::Done } else { Exit::ProblemFound })
}

fn print(finding: &Finding, printer: &mut Printer) -> Result<(), Failure> {
    let (tone, word) = match finding.verdict {
        Verdict::Ok => (Tone::Good, "ok"),
        Verdict::Warning => (Tone::Busy, "warning"),
        Verdict::Problem => (Tone::Bad, "problem"),
    };
    let (word, check) = (format!("{word:9}"), format!("{:13}", finding.check));
    printer.spans([Span::of(tone, word), Span::strong(check), Span::plain(&finding.what)])?;
    match &finding.help {
        Some(help) => printer.spans([Span::plain(" ".repeat(22)), Span::faint(help)]),
        None => Ok(()),
    }
}
