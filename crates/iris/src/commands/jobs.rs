//! `iris jobs`: work that a team carries out to its end.

use clap::Subcommand;
use clap::builder::NonEmptyStringValueParser;
use iris_api::Page;
use iris_api::job::{Job, StartJobRequest};
use iris_api::question::Pending;
use iris_core::visible::visible;

use super::Context;
use super::inbox::{closer, words};
use crate::client::Client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::moment;
use crate::printer::{Column, Table, Tone};

/// Give a team a goal and have it worked on to its end
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris jobs start backend 'make the tests pass'
  iris jobs list
  iris jobs show 01a1e1dd          the beginning of an id is enough if it is the only one
  iris jobs stop 01a1e1dd

A job goes on over as many turns as it takes. When its agent needs you, it waits, and the question is in `iris inbox`.")]
pub struct JobsArguments {
    #[command(subcommand)]
    command: JobsCommand,
}

impl JobsArguments {
    pub fn starts_one(&self) -> bool {
        matches!(self.command, JobsCommand::Start { .. })
    }

    pub fn stops_one(&self) -> bool {
        matches!(self.command, JobsCommand::Stop { .. })
    }
}

#[derive(Debug, Subcommand)]
enum JobsCommand {
    /// Start a job
    #[command(after_help = "\
Examples:
  iris jobs start backend 'make the tests pass'
  iris jobs start backend 'release 1.2' --key release-1.2     the same key never starts a second job")]
    Start {
        /// The team's name
        team: String,
        /// What is to be done
        goal: String,
        /// The same key never starts a second job
        #[arg(long)]
        key: Option<String>,
    },
    /// List the jobs, newest first
    #[command(after_help = "\
Examples:
  iris jobs list
  iris jobs list --json | jq -r '.items[] | select(.status == \"waiting_for_input\").id'")]
    List,
    /// Show a job and what it asked
    #[command(after_help = "\
Examples:
  iris jobs show 01a1e1dd
  iris jobs show 01a1e1dd --json")]
    Show {
        /// The job's id, or enough of its beginning
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        job: String,
    },
    /// End a job
    #[command(after_help = "\
Examples:
  iris jobs stop 01a1e1dd       its questions are cancelled and its turns broken off")]
    Stop {
        /// The job's id, or enough of its beginning
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        job: String,
    },
}

pub async fn run(arguments: JobsArguments, context: &mut Context) -> Result<Exit, Failure> {
    let client = context.client();
    match arguments.command {
        JobsCommand::Start { team, goal, key } => {
            let job: Job = client.post(&["jobs"], &StartJobRequest { team, goal, key }).await?;
            say(&job, &format!("job {} is {}", job.id, job.status), context)
        }
        JobsCommand::List => list(&client, context).await,
        JobsCommand::Show { job } => show(&client, &job, context).await,
        JobsCommand::Stop { job } => {
            let id = find(&client, &job).await?;
            let job: Job = client.post(&["jobs", &id, "stop"], &serde_json::json!({})).await?;
            say(&job, &format!("job {} is {}", job.id, job.status), context)
        }
    }
}

fn say(job: &Job, line: &str, context: &mut Context) -> Result<Exit, Failure> {
    if context.printer.is_json() {
        context.printer.json(job)?;
    } else {
        context.printer.line(line)?;
    }
    Ok(Exit::Done)
}

async fn list(client: &Client, context: &mut Context) -> Result<Exit, Failure> {
    let items: Vec<Job> = client.all(&["jobs"], &[]).await?;
    let page = Page { items, next: None };
    let printer = &mut context.printer;
    if printer.is_json() {
        printer.json(&page)?;
    } else if page.items.is_empty() {
        printer.line("there are no jobs; start one with `iris jobs start <team> <goal>`")?;
    } else {
        let mut table = Table::new(["JOB", "TEAM", "STATUS", "FOR", "GOAL"].map(Column::Left));
        for job in &page.items {
            table.row([
                (Tone::Faint, job.id.clone()),
                (Tone::Strong, job.team.clone()),
                (Tone::of_state(&job.status), job.status.clone()),
                (Tone::Plain, moment::age(job.status_age_ms)),
                (Tone::Plain, shown(job.goal.lines().next().unwrap_or_default())),
            ]);
        }
        printer.table(&table)?;
    }
    Ok(Exit::Done)
}

async fn show(client: &Client, job: &str, context: &mut Context) -> Result<Exit, Failure> {
    let id = find(client, job).await?;
    let job: Job = client.get(&["jobs", &id], &[]).await?;
    let asked: Pending = client.get(&["jobs", &id, "questions"], &[]).await?;
    let printer = &mut context.printer;
    if printer.is_json() {
        printer.json(&serde_json::json!({ "job": job, "questions": asked.questions }))?;
        return Ok(Exit::Done);
    }
    let mut pairs = vec![
        ("job", job.id.clone()),
        ("team", job.team.clone()),
        ("status", format!("{} for {} (event {})", job.status, moment::age(job.status_age_ms), job.status_event)),
        ("goal", beside(&job.goal)),
        ("session", job.session.clone()),
        ("started", format!("{} by {}", moment::zoned(job.created_at), job.started_by)),
    ];
    pairs.extend(job.ended_at.map(|at| ("ended", moment::zoned(at))));
    pairs.extend(job.result.as_deref().map(|result| ("result", beside(result))));
    pairs.extend(job.error.as_deref().map(|error| ("error", beside(error))));
    printer.pairs(&pairs)?;
    for question in &asked.questions {
        let answer = question.answer.as_ref().map(|answer| format!(": {}", words(answer))).unwrap_or_default();
        let by = closer(question);
        let line = format!("{}  {} ({}{by}{answer})", question.id, question.question, question.state);
        printer.line(shown(&line).replace('\n', "\\n"))?;
    }
    Ok(Exit::Done)
}

/// The same beside a name: further lines do not begin where names do.
fn beside(text: &str) -> String {
    shown(text).replace('\n', "\n         ")
}

/// What agents wrote stands among Iris's own words here, so it hides and moves nothing, in a pipe either.
fn shown(text: &str) -> String {
    visible(text).into_owned()
}

/// The job that a few characters mean.
async fn find(client: &Client, wanted: &str) -> Result<String, Failure> {
    let page: Page<Job> = client.get(&["jobs"], &[("limit", "1000".to_owned())]).await?;
    let mut found = page.items.iter().filter(|job| job.id.starts_with(wanted));
    match (found.next(), found.next()) {
        (Some(job), None) => Ok(job.id.clone()),
        (Some(_), Some(_)) => Err(Failure::invalid(format!("more than one job begins with {wanted}"))
            .hint("give more of its id; see `iris jobs list`")),
        // An old one, by its whole id; or none at all, which the daemon says best.
        (None, _) => Ok(wanted.to_owned()),
    }
}
