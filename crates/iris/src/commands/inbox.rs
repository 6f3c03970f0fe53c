//! `iris inbox`: what agents wait for a human to say.

use iris_api::question::{Pending, Question};

use super::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::moment;
use crate::printer::Printer;

/// Show the questions that agents wait for an answer to
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris inbox
  iris inbox --json | jq -r '.questions[].id'

Answer one with: iris answer <question> <answer>")]
pub struct InboxArguments {}

pub async fn run(_arguments: InboxArguments, context: &mut Context) -> Result<Exit, Failure> {
    let pending: Pending = context.client().get(&["questions", "pending"], &[]).await?;
    let printer = &mut context.printer;
    if printer.is_json() {
        printer.json(&pending)?;
        return Ok(Exit::Done);
    }
    if pending.questions.is_empty() {
        printer.line("nobody waits for you")?;
    }
    for (number, question) in pending.questions.iter().enumerate() {
        if number > 0 {
            printer.line("")?;
        }
        print(question, printer)?;
    }
    Ok(Exit::Done)
}

fn print(question: &Question, printer: &mut Printer) -> Result<(), Failure> {
    printer.line(format!("{}  {}: {}", question.id, question.team, question.question))?;
    if let Some(action) = &question.action {
        // The exact bytes: what is approved is what runs.
        printer.line(format!("  {} {}", action.tool, action.input.get()))?;
        if let Some(reason) = &action.reason {
            printer.line(format!("  because: {reason}"))?;
        }
    }
    for asked in &question.questions {
        if question.questions.len() > 1 {
            printer.line(format!("  {}", asked.question))?;
        }
        for (number, option) in asked.options.iter().enumerate() {
            let about = option.description.as_ref().map(|text| format!("  {text}")).unwrap_or_default();
            printer.line(format!("  {}. {}{about}", number + 1, option.label))?;
        }
    }
    let whom = question.asked_of.as_ref().map(|party| format!(", asked of {party}")).unwrap_or_default();
    let answer = if question.action.is_some() { "yes|no" } else { "<option or text>" };
    printer.line(format!("  since {}{whom}; iris answer {} {answer}", moment::clock(question.opened_at), question.id))
}
