//! `iris detect`: does a reply need an answer, and which? Works on its own, without a daemon.

use std::io::{self, BufRead, Read};

use iris_core::detect::{DetectSettings, Detection, Span as Question, Waiting, detect};
use iris_engine::config;
use iris_engine::home::Home;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::{Printer, Span, Tone};

/// Say whether a reply of an agent waits for an answer
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  echo 'Tests pass. Shall I push?' | iris detect
  iris cache inspect 0199… --json | jq -r .turn.response | iris detect --json
  iris detect --jsonl < replies.jsonl > found.jsonl

With --jsonl, each line is {\"id\", \"text\"} and is answered at once with one line: {\"id\", \"needsAnswer\", \"kind\", \
\"confidence\", \"question\": {\"start\", \"end\", \"text\"}, \"options\", \"reason\"}. Offsets count characters; the question \
is null if nothing asks or offers. The confidence is how likely it is that an answer is needed. A line that cannot be read is \
answered with {\"id\", \"line\", \"error\"}, and the exit code is 2 at the end.

Patterns and minConfidence are those of settings.agent.completionAnalysis in config.yaml, if there is one.")]
pub struct DetectArguments {
    /// Read many replies, one JSON object on each line
    #[arg(long)]
    jsonl: bool,
}

#[derive(Debug, Deserialize)]
struct Asked {
    #[serde(default)]
    id: Value,
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Found<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Value>,
    needs_answer: bool,
    kind: &'static str,
    confidence: f64,
    question: Option<&'a Question>,
    options: &'a [String],
    reason: &'a str,
}

/// What can be read of a line also if its text cannot.
#[derive(Deserialize)]
struct Named {
    id: Value,
}

/// What is said of a line that cannot be read.
#[derive(Serialize)]
struct Wrong<'a> {
    id: Value,
    line: usize,
    error: &'a str,
}

impl<'a> Found<'a> {
    fn of(detection: &'a Detection, id: Option<&'a Value>) -> Self {
        Self {
            id,
            needs_answer: detection.needs_answer(),
            kind: detection.kind.as_str(),
            // More digits would say more than is known.
            confidence: (detection.confidence * 1000.0).round() / 1000.0,
            question: detection.question.as_ref(),
            options: &detection.options,
            reason: &detection.reason,
        }
    }
}

pub fn run(arguments: &DetectArguments, context: &mut Context) -> Result<Exit, Failure> {
    let config = config::load(&Home::at(&context.home).config())?;
    let settings = config.settings.agent.completion_analysis.detect_settings();
    let settings = settings.map_err(|error| Failure::invalid(error.to_string()))?;
    let printer = &mut context.printer;
    if arguments.jsonl { many(&settings, printer) } else { one(&settings, printer) }
}

fn one(settings: &DetectSettings, printer: &mut Printer) -> Result<Exit, Failure> {
    let mut text = String::new();
    io::stdin().lock().read_to_string(&mut text).map_err(|error| unreadable(&error))?;
    let detection = detect(&text, settings);
    if printer.is_json() {
        printer.json(&Found::of(&detection, None))?;
    } else {
        describe(&detection, printer)?;
    }
    Ok(Exit::Done)
}

fn describe(detection: &Detection, printer: &mut Printer) -> Result<(), Failure> {
    let (tone, verdict) = match detection.waiting {
        Waiting::Ask => (Tone::Busy, "waits for an answer"),
        Waiting::Offer => (Tone::Plain, "offers more, and waits for nothing"),
        Waiting::None => (Tone::Plain, "waits for nothing"),
    };
    printer.spans([Span::of(tone, verdict)])?;
    let mut pairs = vec![("kind", detection.kind.as_str().to_owned())];
    pairs.push(("likely", format!("{:.0} %", detection.confidence * 100.0)));
    pairs.extend(detection.question.as_ref().map(|question| ("question", question.text.replace('\n', " "))));
    pairs.extend(detection.options.iter().map(|option| ("option", option.clone())));
    pairs.push(("because", detection.reason.clone()));
    printer.pairs(&pairs)
}

/// A line that is not right is answered, too, and the rest goes on.
fn many(settings: &DetectSettings, printer: &mut Printer) -> Result<Exit, Failure> {
    let mut wrong = Vec::new();
    for (index, line) in io::stdin().lock().lines().enumerate() {
        let line = match line {
            Err(error) if error.kind() != io::ErrorKind::InvalidData => return Err(unreadable(&error)),
            line => line.map_err(|_| "it is no text in UTF-8".to_owned()),
        };
        // Some programs begin a file with a mark that says it is UTF-8.
        let line = line.map(|line| match line.strip_prefix('\u{feff}') {
            Some(rest) if index == 0 => rest.to_owned(),
            _ => line,
        });
        if line.as_ref().is_ok_and(|line| line.trim().is_empty()) {
            continue;
        }
        let asked = line.as_deref().map_err(Clone::clone).and_then(parse::<Asked>);
        match asked {
            Ok(asked) => printer.json(&Found::of(&detect(&asked.text, settings), Some(&asked.id)))?,
            Err(error) => {
                let id = line.ok().and_then(|line| parse::<Named>(&line).ok()).map(|named| named.id);
                printer.json(&Wrong { id: id.unwrap_or_default(), line: index + 1, error: &error })?;
                wrong.push((index + 1, error));
            }
        }
    }
    let Some((first, error)) = wrong.first() else { return Ok(Exit::Done) };
    let more = if wrong.len() > 1 { format!(" (and {} more)", wrong.len() - 1) } else { String::new() };
    Err(Failure::invalid(format!("line {first}: {error}{more}"))
        .hint("each line is a JSON object such as {\"id\": \"r1\", \"text\": \"Shall I push?\"}"))
}

/// Only of an object: a list would be read as fields without their names.
fn parse<T: DeserializeOwned>(line: &str) -> Result<T, String> {
    if !line.trim_start().starts_with('{') {
        return Err("it is no JSON object".to_owned());
    }
    serde_json::from_str(line).or_else(|error| match with_whole_characters(line) {
        Some(mended) => serde_json::from_str(&mended).map_err(|error| error.to_string()),
        None => Err(error.to_string()),
    })
}

/// A text that was cut by its 16-bit units, as JavaScript does, may end in half a character, which is no text: in its place is
/// the sign for what cannot be read. Nothing if there is no such half.
fn with_whole_characters(json: &str) -> Option<String> {
    let unit = |at: usize| {
        let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok().filter(|_| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
    };
    let (mut mended, mut done, mut at) = (String::new(), 0, 0);
    while let Some(found) = json[at..].find('\\') {
        at += found;
        at += match (unit(at), unit(at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                mended.push_str(&json[done..at]);
                mended.push('\u{fffd}');
                done = at + 6;
                6
            }
            (Some(_), _) => 6,
            // Of another escape, a backslash say, the next is no beginning. It may be of several bytes where it is wrong.
            (None, _) => 1 + json[at + 1..].chars().next().map_or(0, char::len_utf8),
        };
    }
    mended.push_str(&json[done..]);
    (done > 0).then_some(mended)
}

fn unreadable(error: &io::Error) -> Failure {
    Failure::invalid(format!("the input cannot be read ({error})")).hint("it has to be text in UTF-8")
}
