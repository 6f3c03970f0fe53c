//! `iris answer`: say what an agent waits for.

use clap::ValueEnum;
use clap::builder::NonEmptyStringValueParser;
use iris_api::Page;
use iris_api::question::{AnswerRequest, Choice, EditRequest, Pending, Question, Remember, Response};
use iris_core::duration::Millis;
use iris_core::fault::FaultKind;
use iris_core::question::leave::says_no;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::Context;
use super::inbox::{closing, how, lines};
use crate::client::Client;
use crate::confirm::{Consent, can_be_asked, confirm};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::span;

/// Answer a question that an agent waits for
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris answer 01a1e1dd yes                        let it; you are shown what, and asked whether you mean it
  iris answer 01a1e1dd yes --digest 9f2c81d0a4b1  let it, if it is what you saw; in a script, or with the whole id
  iris answer 01a1e1dd no 'use the staging db'    refuse, and say why; the same is refused from now on
  iris answer 01a1e1dd 2                          the second option
  iris answer 01a1e1dd 'something else'           words of your own
  iris answer 01a1e1dd Red Large                  several questions, each its answer
  iris answer 01a1e1dd 'Red,Blue' Large           the same, where one of them takes several
  iris answer 01a1e1dd '{\"name\": \"Ada\"}'          the fields of a form; see `iris inbox`
  iris answer 01a1e1dd yes --remember 8h          and do not ask for the same in the next 8 hours
  iris answer 01a1e1dd yes --edit '{\"command\":\"make test\"}'   let it do this instead
  iris answer 01a1e1dd Blue --again               it is too late: run the work again with this answer
  iris answer 01a1e1dd yes --similar              also all others that ask for the very same")]
pub struct AnswerArguments {
    /// The question's id, or enough of its beginning if it is the only one
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    question: String,
    /// yes or no (and why not), the number or name of an option, or words of your own
    #[arg(required = true)]
    answer: Vec<String>,
    /// Let the answer hold for so long for whoever asks the same; see `iris rules`
    #[arg(long, value_name = "TIME", value_parser = span::read)]
    remember: Option<Millis>,
    /// What it holds for: the same action, or any use of the tool that is not riskier
    #[arg(long, value_enum, requires = "remember")]
    scope: Option<Scope>,
    /// Approve this input instead of the one that was asked for
    #[arg(long, value_name = "JSON")]
    edit: Option<String>,
    /// Approve only what has this digest, or begins with it; `iris inbox` shows it
    #[arg(long, value_name = "BEGINNING")]
    digest: Option<String>,
    /// If it is too late, run the work again with the answer
    #[arg(long)]
    again: bool,
    /// Answer all others that ask for the very same, too
    #[arg(long)]
    similar: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Scope {
    Deed,
    Tool,
}

pub async fn run(arguments: AnswerArguments, context: &mut Context) -> Result<Exit, Failure> {
    let client = context.client();
    let mut question = find(&client, &arguments.question).await?;
    let response = response(&question, &arguments.answer).map_err(|failure| unfit(&question, &arguments, failure))?;
    // Leave is refused by a no and by nothing else that can be known here: an option is called as the agent likes.
    let approves = question.digest.is_some() && response.value != false;
    if arguments.edit.is_some() && !approves {
        return Err(Failure::invalid("--edit says what is approved instead, so it goes with yes and with an action")
            .hint("to refuse, leave --edit out and say why: iris answer <question> no 'use the staging db'"));
    }
    if approves && question.action.is_some() && response.text.is_some() {
        // Before anything is edited for it.
        let failure = Failure::fault(FaultKind::Unfit, "a yes carries no words here");
        return Err(failure.hint("tell the team, or say no and why: iris answer <question> no 'use the staging db'"));
    }
    // One that is closed is refused, with who closed it and when.
    if approves && (question.state == "open" || arguments.again) {
        check_seen(&question, &arguments, &mut context.printer)?;
    }
    if let Some(edit) = arguments.edit {
        question = edited(&client, &question, edit).await?;
    }
    let request = AnswerRequest {
        response,
        // A question is about the same bytes as long as it is open, so its id says which were meant; what is sent here
        // only makes sure of it.
        digest: question.digest.clone(),
        remember: arguments.remember.map(|Millis(for_ms)| remember(&question, arguments.scope, for_ms)),
        again: arguments.again,
        similar: arguments.similar,
    };
    let answered = send(&client, &question.id, &request).await?;
    if context.printer.is_json() {
        context.printer.json(&answered)?;
    } else {
        context.printer.line(describe(&answered))?;
        if let Some(team) = waits_for_team(&client, &answered).await {
            context.printer.line(format!("{team} is no team now; it is told when it is one again"))?;
        }
    }
    Ok(Exit::Done)
}

/// Whoever comes too late is told so first: what would have fitted is of no use to them.
fn unfit(question: &Question, arguments: &AnswerArguments, failure: Failure) -> Failure {
    if question.state == "open" || arguments.again {
        return failure;
    }
    Failure::fault(FaultKind::Conflict, format!("the question was already {}", closing(question)))
}

/// An approval is for what somebody saw. The whole id or the digest says what that was. The beginning of an id does not:
/// the next question may begin with it, too. A person is shown what it is about.
fn check_seen(question: &Question, arguments: &AnswerArguments, printer: &mut Printer) -> Result<(), Failure> {
    let digest = question.digest.as_deref().unwrap_or_default();
    match &arguments.digest {
        Some(seen) if seen.len() < SHORTEST_DIGEST => Err(Failure::invalid(format!(
            "'{seen}' is too little of a digest; give at least {SHORTEST_DIGEST} characters"
        ))),
        Some(seen) if digest.starts_with(&seen.to_lowercase()) => Ok(()),
        Some(seen) => Err(Failure::invalid(format!("what is asked is not {seen}: its digest is {digest}"))
            .hint("look at it again with `iris inbox`, and answer what you see there")),
        None if can_be_asked(printer) => {
            for line in lines(question, None) {
                printer.note(line);
            }
            let is_choice = question.response_type == "choice";
            confirm(printer, Consent::Ask, if is_choice { "answer exactly this?" } else { "approve exactly this?" })
        }
        None if arguments.question == question.id => Ok(()),
        None => Err(Failure::invalid("the beginning of an id does not say what is approved")
            .hint(format!("give the whole id ({}), or --digest with what you saw", question.id))),
    }
}

/// So much of a digest cannot be hit by chance.
const SHORTEST_DIGEST: usize = 8;

/// What came of it, as it came: the exact bytes of an action do not survive being taken apart and put together.
pub async fn send(client: &Client, id: &str, request: &AnswerRequest) -> Result<Value, Failure> {
    Ok(client.post(&["questions", id, "answer"], request).await?)
}

/// The team that is to be told and is not in the config any more.
async fn waits_for_team<'a>(client: &Client, answered: &'a Value) -> Option<&'a str> {
    let team =
        answered["team"].as_str().filter(|_| answered["jobResumed"] == false && answered["passedOn"] == false)?;
    let known: Result<Value, _> = client.get(&["teams", team, "status"], &[]).await;
    known.is_err_and(|error| error.is_not_found()).then_some(team)
}

pub fn describe(answered: &Value) -> String {
    let also = match answered["also"].as_array().map_or(0, Vec::len) {
        0 => String::new(),
        count => format!(", and {count} more that asked the same"),
    };
    let team = answered["team"].as_str().unwrap_or_default();
    if let Some(again) = answered["again"].as_str() {
        return format!("it was too late for the work that asked; {team} does it again with this answer ({again})");
    }
    let goes_on = if answered["jobResumed"] == true { format!("; {team} goes on") } else { String::new() };
    let says_no = answered["answer"]["value"] == false || chosen_option(answered).is_some_and(says_no);
    let is_refusal = says_no && answered["digest"].is_string();
    let from_now = if is_refusal { "; the same is refused from now on, see `iris rules`" } else { "" };
    format!("answered{also}{goes_on}{from_now}")
}

fn chosen_option(answered: &Value) -> Option<&str> {
    let is_chosen = |option: &&Value| option["value"].is_string() && option["value"] == answered["answer"]["value"];
    answered["options"].as_array()?.iter().find(is_chosen)?["label"].as_str()
}

/// A question by its id, or by the beginning of it: an open one, else one of those that were closed last.
async fn find(client: &Client, wanted: &str) -> Result<Question, Failure> {
    let pending: Pending = client.get(&["questions", "pending"], &[]).await?;
    if let Some(question) = find_one(pending.questions, wanted, "open question")? {
        return Ok(question);
    }
    // Not open: the daemon knows whether it ever was, and who answered it.
    match client.get(&["questions", wanted], &[]).await {
        Err(error) if error.is_not_found() => {
            let closed: Page<Question> = client.get(&["questions", "decided"], &[]).await?;
            find_one(closed.items, wanted, "question")?.ok_or_else(|| error.into())
        }
        found => Ok(found?),
    }
}

fn find_one(questions: Vec<Question>, wanted: &str, what: &str) -> Result<Option<Question>, Failure> {
    let mut found = questions.into_iter().filter(|question| question.id.starts_with(wanted));
    match (found.next(), found.next()) {
        (one, None) => Ok(one),
        _ => Err(Failure::invalid(format!("more than one {what} begins with {wanted}"))
            .hint("give more of its id; see `iris inbox`")),
    }
}

async fn edited(client: &Client, question: &Question, edit: String) -> Result<Question, Failure> {
    let input =
        RawValue::from_string(edit).map_err(|error| Failure::invalid(format!("--edit is not JSON: {error}")))?;
    Ok(client.post(&["questions", &question.id, "edit"], &EditRequest { input }).await?)
}

fn remember(question: &Question, scope: Option<Scope>, for_ms: u64) -> Remember {
    let scope = match (scope, &question.action) {
        (_, None) => "question",
        (Some(Scope::Tool), Some(_)) => "tool",
        (_, Some(_)) => "deed",
    };
    Remember { scope: scope.to_owned(), for_ms }
}

pub fn response(question: &Question, answer: &[String]) -> Result<Response, Failure> {
    match question.response_type.as_str() {
        "approval" | "boolean" => yes_or_no(answer),
        "form" => {
            let text = answer.join(" ");
            let value = match how::fields(question).as_slice() {
                // A bare `false` would mean that nothing is filled in.
                [only] if only.read(&text).is_boolean() => json!({ &only.name: only.read(&text) }),
                _ => serde_json::from_str(&text).unwrap_or(Value::from(text)),
            };
            Ok(Response { kind: None, value, text: None })
        }
        // Leave can be refused whatever the options are called.
        _ if question.digest.is_some()
            && named(options(question, 0), &answer.join(" ")).is_none()
            && yes_or_no(answer).is_ok_and(|said| said.value == false) =>
        {
            yes_or_no(answer)
        }
        _ => {
            refuse_unclear(question, answer)?;
            let several = question.questions.first().is_some_and(|asked| asked.several);
            let values: Vec<Value> = if question.questions.len() == 1 && several {
                picked(question, 0, answer)
            } else if question.questions.len() == 1 {
                vec![chosen(question, 0, &answer.join(" "))]
            } else {
                answer.iter().enumerate().map(|(index, answer)| one_of_several(question, index, answer)).collect()
            };
            Ok(Response { kind: None, value: Value::Array(values), text: None })
        }
    }
}

fn yes_or_no(answer: &[String]) -> Result<Response, Failure> {
    let (word, why) = answer.split_first().map_or(("", &[][..]), |(word, why)| (word.as_str(), why));
    let value = match word.to_lowercase().as_str() {
        "yes" | "y" | "true" => true,
        "no" | "n" | "false" => false,
        _ => return Err(Failure::invalid(format!("'{word}' is neither yes nor no"))),
    };
    let text = Some(why.join(" ")).filter(|why| !why.is_empty());
    Ok(Response { kind: None, value: Value::Bool(value), text })
}

/// The answer to one of several questions: if it takes any number of options, `1 3` or `Red,Blue`.
fn one_of_several(question: &Question, index: usize, answer: &str) -> Value {
    if !question.questions.get(index).is_some_and(|asked| asked.several) {
        return chosen(question, index, answer);
    }
    let words: Vec<String> = answer.split_whitespace().map(str::to_owned).collect();
    Value::Array(picked(question, index, &words))
}

/// Several of one question's options: `1 3`, `Red,Blue`, or each as a word of its own.
fn picked(question: &Question, index: usize, answer: &[String]) -> Vec<Value> {
    let whole = answer.join(" ");
    let options = options(question, index);
    let known = |word: &str| chosen(question, index, word) != word || options.iter().any(|one| one.label == word);
    // "Dark blue" is one option if it is one; "Dark, red" may be one as well.
    let by_commas: Vec<&str> = whole.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    let by_words: Vec<&str> =
        answer.iter().flat_map(|word| word.split(',')).map(str::trim).filter(|word| !word.is_empty()).collect();
    let ways = [vec![whole.as_str()], by_commas, by_words];
    let found = ways.iter().find(|parts| parts.iter().all(|part| known(part)));
    match found {
        Some(parts) => parts.iter().map(|part| chosen(question, index, part)).collect(),
        None => vec![Value::from(whole.as_str())],
    }
}

/// The option of that name or, where none has it, of that number; else the words themselves.
fn chosen(question: &Question, index: usize, answer: &str) -> Value {
    let options = options(question, index);
    let found = named(options, answer).or_else(|| numbered(options, answer));
    Value::from(found.map_or(answer, |option| option.value.as_str()))
}

fn options(question: &Question, index: usize) -> &[Choice] {
    question.questions.get(index).map(|asked| asked.options.as_slice()).unwrap_or_default()
}

fn named<'a>(options: &'a [Choice], answer: &str) -> Option<&'a Choice> {
    let by_label = options.iter().find(|option| option.label == answer);
    let by_id = || options.iter().find(|option| option.id.as_deref().is_some_and(|id| id.eq_ignore_ascii_case(answer)));
    let by_value = || options.iter().find(|option| option.value == answer || option.label.eq_ignore_ascii_case(answer));
    by_label.or_else(by_value).or_else(by_id)
}

/// `2`, or `#2` where an option is called 2.
fn numbered<'a>(options: &'a [Choice], answer: &str) -> Option<&'a Choice> {
    let number = answer.strip_prefix('#').unwrap_or(answer).parse::<usize>().ok()?;
    options.get(number.checked_sub(1)?)
}

/// Where options are called by numbers, the second may be another than the one called 2. A list that is answered by keys goes
/// by the place, and whoever writes is asked which they mean. So are those who write the number of an option that there is not.
fn refuse_unclear(question: &Question, answer: &[String]) -> Result<(), Failure> {
    for (at, word) in
        answer.iter().enumerate().flat_map(|(at, words)| words.split(',').map(move |word| (at, word.trim())))
    {
        let options = options(question, if question.questions.len() > 1 { at } else { 0 });
        if let (Some(called), Some(placed)) = (named(options, word), numbered(options, word))
            && !std::ptr::eq(called, placed)
        {
            let place = 1 + options.iter().position(|option| std::ptr::eq(option, called)).unwrap_or_default();
            return Err(Failure::invalid(format!(
                "'{word}' is the option called so, and the number of another one, '{}'",
                placed.label
            ))
            .hint(format!("write '#{place}' for the first, '#{word}' for the other")));
        }
        if is_place(options, word) && named(options, word).or_else(|| numbered(options, word)).is_none() {
            return Err(Failure::invalid(format!("there is no option {word}: there are {}", options.len()))
                .hint("take one of them, or say it in words: 'use 4 of them'"));
        }
    }
    Ok(())
}

/// The number of an option and not of anything else: 8080 may well be an answer, and 7 where others are called 3 and 5.
fn is_place(options: &[Choice], word: &str) -> bool {
    let digit = word.strip_prefix('#').unwrap_or(word);
    let has_digit = |option: &Choice| option.label.contains(|c: char| c.is_ascii_digit());
    digit.len() == 1 && digit.parse::<u8>().is_ok() && !options.is_empty() && !options.iter().any(has_digit)
}
