//! `iris rules`: decisions that hold for a while.

use clap::Subcommand;
use clap::builder::NonEmptyStringValueParser;
use iris_api::rule::{Rule, Rules};

use super::Context;
use super::inbox::words;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::moment;
use crate::printer::{Column, Table, Tone};

/// Show the rules that your answers made, and take one back
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris rules list
  iris rules revoke 01a1e1dd       the beginning of an id is enough if it is the only one

A refusal holds for whoever asks for the same again, a day long unless the config says otherwise. Everything else becomes \
a rule only if you say so: iris answer <question> yes --remember 8h")]
pub struct RulesArguments {
    #[command(subcommand)]
    command: RulesCommand,
}

#[derive(Debug, Subcommand)]
enum RulesCommand {
    /// List the rules that hold
    #[command(after_help = "\
Examples:
  iris rules list
  iris rules list --json | jq -r '.rules[].about'")]
    List,
    /// Take a rule back
    #[command(after_help = "\
Examples:
  iris rules revoke 01a1e1dd")]
    Revoke {
        /// The rule's id, or enough of its beginning
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        rule: String,
    },
}

pub async fn run(arguments: RulesArguments, context: &mut Context) -> Result<Exit, Failure> {
    let client = context.client();
    let rules: Rules = client.get(&["rules"], &[]).await?;
    match arguments.command {
        RulesCommand::List => show(&rules, context),
        RulesCommand::Revoke { rule } => {
            let mut found = rules.rules.iter().filter(|known| known.id.starts_with(&rule));
            let id = match (found.next(), found.next()) {
                (Some(known), None) => known.id.clone(),
                (Some(_), Some(_)) => {
                    let message = format!("more than one rule begins with {rule}");
                    return Err(Failure::invalid(message).hint("give more of its id; see `iris rules list`"));
                }
                (None, _) => rule,
            };
            let left: Rules = client.delete(&["rules", &id]).await?;
            if context.printer.is_json() {
                context.printer.json(&left)?;
            } else {
                context.printer.line("it does not hold any more")?;
            }
            Ok(Exit::Done)
        }
    }
}

const LONGEST_ANSWER: usize = 20;

/// What is left of a line for what a rule is about. It may be a whole script; `--json` has it whole.
fn room(rules: &Rules, width: Option<usize>) -> usize {
    let taken = |rule: &Rule| {
        let answer = words(&rule.answer).chars().count().min(LONGEST_ANSWER);
        let names = [&rule.team, &rule.scope, &rule.made_by, &rule.id].map(|text| text.chars().count());
        // The other columns, and two spaces behind each.
        answer.max(6) + names.into_iter().sum::<usize>() + 4 + moment::zoned(rule.expires_at).chars().count() + 14
    };
    let taken = rules.rules.iter().map(taken).max().unwrap_or(0);
    width.unwrap_or(160).saturating_sub(taken).max(20)
}

fn show(rules: &Rules, context: &mut Context) -> Result<Exit, Failure> {
    let printer = &mut context.printer;
    if printer.is_json() {
        printer.json(rules)?;
    } else if rules.rules.is_empty() {
        printer.line("no rule holds: every question is put to you")?;
    } else {
        let mut table = Table::new(["TEAM", "ANSWER", "SCOPE", "ABOUT", "BY", "USES", "UNTIL", "ID"].map(Column::Left));
        let room = room(rules, printer.width());
        for rule in &rules.rules {
            table.row([
                (Tone::Strong, rule.team.clone()),
                (Tone::Plain, printer.fit(&words(&rule.answer), LONGEST_ANSWER)),
                (Tone::Plain, rule.scope.clone()),
                (Tone::Plain, printer.fit(&rule.about, room)),
                (Tone::Plain, rule.made_by.clone()),
                (Tone::Plain, rule.uses.to_string()),
                (Tone::Plain, moment::zoned(rule.expires_at)),
                (Tone::Faint, rule.id.clone()),
            ]);
        }
        printer.table(&table)?;
    }
    Ok(Exit::Done)
}
