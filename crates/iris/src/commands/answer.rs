//! `iris answer`: say what an agent waits for.

use iris_api::question::{AnswerRequest, Pending, Question, Response};
use serde_json::Value;

use super::Context;
use crate::exit::Exit;
use crate::failure::Failure;

/// Answer a question that an agent waits for
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris answer 01a1e1dd yes                        let it; the beginning of an id is enough if it is the only one
  iris answer 01a1e1dd no 'use the staging db'    refuse, and say why
  iris answer 01a1e1dd 2                          the second option
  iris answer 01a1e1dd 'something else'           words of your own
  iris answer 01a1e1dd Red Large                  several questions, each its answer")]
pub struct AnswerArguments {
    /// The question's id, or enough of its beginning
    question: String,
    /// yes or no (and why not), the number or name of an option, or words of your own
    #[arg(required = true)]
    answer: Vec<String>,
}

pub async fn run(arguments: AnswerArguments, context: &mut Context) -> Result<Exit, Failure> {
    let client = context.client();
    let pending: Pending = client.get(&["questions", "pending"], &[]).await?;
    let wanted = arguments.question.as_str();
    let mut found = pending.questions.iter().filter(|question| question.id.starts_with(wanted));
    let (id, response) = match (found.next(), found.next()) {
        (Some(question), None) => (question.id.clone(), response(question, arguments.answer)?),
        (Some(_), Some(_)) => {
            let message = format!("more than one open question begins with {wanted}");
            return Err(Failure::invalid(message).hint("give more of its id; see `iris inbox`"));
        }
        // Not open: the daemon knows whether it ever was, and who answered it.
        (None, _) => (wanted.to_owned(), Response { kind: None, value: Value::Bool(false), text: None }),
    };
    let answered: Question = client.post(&["questions", &id, "answer"], &AnswerRequest { response }).await?;
    if context.printer.is_json() {
        context.printer.json(&answered)?;
    } else {
        context.printer.line(format!("answered; {} goes on", answered.team))?;
    }
    Ok(Exit::Done)
}

fn response(question: &Question, answer: Vec<String>) -> Result<Response, Failure> {
    if question.action.is_some() {
        return approval(&answer);
    }
    let values: Vec<Value> = if question.questions.len() == 1 {
        vec![chosen(question, 0, &answer.join(" "))]
    } else {
        answer.iter().enumerate().map(|(index, answer)| chosen(question, index, answer)).collect()
    };
    Ok(Response { kind: Some("choice".to_owned()), value: Value::Array(values), text: None })
}

fn approval(answer: &[String]) -> Result<Response, Failure> {
    let (word, why) = answer.split_first().map_or(("", &[][..]), |(word, why)| (word.as_str(), why));
    let value = match word.to_lowercase().as_str() {
        "yes" | "y" | "true" => true,
        "no" | "n" | "false" => false,
        _ => return Err(Failure::invalid(format!("'{word}' is neither yes nor no"))),
    };
    let text = Some(why.join(" ")).filter(|why| !why.is_empty());
    Ok(Response { kind: Some("boolean".to_owned()), value: Value::Bool(value), text })
}

/// The option of that number or name, else the words themselves.
fn chosen(question: &Question, index: usize, answer: &str) -> Value {
    let options = question.questions.get(index).map(|asked| asked.options.as_slice()).unwrap_or_default();
    let by_number = answer.parse::<usize>().ok().and_then(|number| options.get(number.checked_sub(1)?));
    let by_name = options.iter().find(|option| option.label.eq_ignore_ascii_case(answer));
    Value::from(by_number.or(by_name).map_or(answer, |option| option.label.as_str()))
}
