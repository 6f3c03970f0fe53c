//! The inbox as a list that lives: arrows choose a question, a number key answers it.

use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use iris_api::question::{AnswerRequest, Pending, Question, Response};
use serde_json::Value;

use super::list;
use crate::commands::Context;
use crate::commands::answer::{describe, response, send};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Span;

/// How often it is looked for new questions.
const LOOK_EVERY: Duration = Duration::from_secs(1);
const CLEAR: &str = "\u{1b}[H\u{1b}[2J";

#[derive(Debug, Default)]
struct Screen {
    questions: Vec<Question>,
    /// The id of the chosen one: the list may change under it.
    chosen: Option<String>,
    said: String,
}

/// What a key means.
#[derive(Debug, PartialEq)]
enum Wish {
    Nothing,
    Leave,
    Answer {
        id: String,
        digest: Option<String>,
        value: Value,
    },
    /// Words have to be typed.
    Write {
        id: String,
    },
}

/// The terminal as it was before, whatever happens.
struct Raw;

impl Drop for Raw {
    fn drop(&mut self) {
        disable_raw_mode().ok();
    }
}

pub async fn run(context: &mut Context) -> Result<Exit, Failure> {
    let mut screen = Screen::default();
    loop {
        let pending: Pending = context.client().get(&["questions", "pending"], &[]).await?;
        screen.take(pending.questions);
        show(&screen, context)?;
        match key(&mut screen).await? {
            Wish::Nothing => {}
            Wish::Leave => return Ok(Exit::Done),
            Wish::Answer { id, digest, value } => {
                let response = Response { kind: None, value, text: None };
                screen.said = tell(context, &id, digest, response).await;
            }
            Wish::Write { id } => screen.said = write(&screen, context, &id).await?,
        }
    }
}

fn show(screen: &Screen, context: &mut Context) -> Result<(), Failure> {
    context.printer.piece_raw(CLEAR)?;
    for (text, is_chosen) in screen.lines() {
        let span = if is_chosen { Span::strong(text) } else { Span::plain(text) };
        context.printer.spans([span])?;
    }
    Ok(())
}

/// The next key, or nothing after a while.
async fn key(screen: &mut Screen) -> Result<Wish, Failure> {
    let pressed = tokio::task::spawn_blocking(|| {
        enable_raw_mode()?;
        let _raw = Raw;
        if poll(LOOK_EVERY)? { read().map(Some) } else { Ok(None) }
    });
    let pressed: std::io::Result<Option<Event>> =
        pressed.await.map_err(|error| Failure::internal(format!("the keyboard cannot be read ({error})")))?;
    match pressed {
        Ok(Some(Event::Key(key))) if key.kind != KeyEventKind::Release => Ok(screen.press(key)),
        Ok(_) => Ok(Wish::Nothing),
        Err(error) => Err(Failure::internal(format!("the keyboard cannot be read ({error})"))),
    }
}

async fn tell(context: &Context, id: &str, digest: Option<String>, response: Response) -> String {
    let request = AnswerRequest { response, digest, remember: None, again: false, similar: false };
    match send(&context.client(), id, &request).await {
        Ok(answered) => describe(&answered),
        Err(failure) => failure.message,
    }
}

async fn write(screen: &Screen, context: &mut Context, id: &str) -> Result<String, Failure> {
    let Some(question) = screen.questions.iter().find(|question| question.id == id) else {
        return Ok("it is not open any more".to_owned());
    };
    context.printer.ask("your answer: ");
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).map_err(|error| Failure::internal(error.to_string()))?;
    let words: Vec<String> = match question.questions.len() {
        0 | 1 => vec![line.trim().to_owned()],
        // Several questions, each its answer.
        _ => line.split(',').map(|word| word.trim().to_owned()).collect(),
    };
    if line.trim().is_empty() {
        return Ok("nothing was said".to_owned());
    }
    match response(question, &words) {
        Ok(response) => {
            let digest = question.action.as_ref().map(|action| action.digest.clone());
            Ok(tell(context, id, digest, response).await)
        }
        Err(failure) => Ok(failure.message),
    }
}

impl Screen {
    fn take(&mut self, questions: Vec<Question>) {
        self.questions = questions;
        if self.chosen().is_none() {
            self.chosen = self.questions.first().map(|question| question.id.clone());
        }
    }

    fn chosen(&self) -> Option<&Question> {
        self.questions.iter().find(|question| Some(&question.id) == self.chosen.as_ref())
    }

    /// Each line, and whether it is of the chosen question.
    fn lines(&self) -> Vec<(String, bool)> {
        let mut lines = Vec::new();
        if self.questions.is_empty() {
            lines.push(("nobody waits for you".to_owned(), false));
        }
        for question in &self.questions {
            let is_chosen = Some(&question.id) == self.chosen.as_ref();
            let mark = if is_chosen { ">" } else { " " };
            lines.push((
                format!("{mark} {}: {}  ({})", question.team, question.question, list::since(question)),
                is_chosen,
            ));
            if is_chosen {
                lines.extend(list::body(question).into_iter().map(|line| (format!("    {line}"), false)));
                lines.extend(is_yes_or_no(question).then(|| ("    1. yes  2. no".to_owned(), false)));
            }
        }
        lines.push((String::new(), false));
        lines.push((self.said.clone(), false));
        lines.push(("arrows choose, a number answers, w writes words, q leaves".to_owned(), false));
        lines
    }

    fn press(&mut self, key: KeyEvent) -> Wish {
        match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Wish::Leave,
            KeyCode::Char('q') | KeyCode::Esc => Wish::Leave,
            KeyCode::Down | KeyCode::Char('j') => self.step(1),
            KeyCode::Up | KeyCode::Char('k') => self.step(-1),
            KeyCode::Char('w') => {
                self.chosen().map_or(Wish::Nothing, |question| Wish::Write { id: question.id.clone() })
            }
            KeyCode::Char(digit) => digit.to_digit(10).map_or(Wish::Nothing, |number| self.answer(number as usize)),
            _ => Wish::Nothing,
        }
    }

    fn step(&mut self, by: isize) -> Wish {
        let here = self.questions.iter().position(|question| Some(&question.id) == self.chosen.as_ref()).unwrap_or(0);
        let last = self.questions.len().saturating_sub(1);
        let next = here.saturating_add_signed(by).min(last);
        self.chosen = self.questions.get(next).map(|question| question.id.clone());
        Wish::Nothing
    }

    fn answer(&self, number: usize) -> Wish {
        let Some(question) = self.chosen() else { return Wish::Nothing };
        let value = match number {
            1 if is_yes_or_no(question) => Value::Bool(true),
            2 if is_yes_or_no(question) => Value::Bool(false),
            number => {
                let option = number.checked_sub(1).and_then(|index| question.options.get(index));
                let Some(option) = option else { return Wish::Nothing };
                Value::from(option.value.as_str())
            }
        };
        let digest = question.action.as_ref().map(|action| action.digest.clone());
        Wish::Answer { id: question.id.clone(), digest, value }
    }
}

fn is_yes_or_no(question: &Question) -> bool {
    matches!(question.response_type.as_str(), "approval" | "boolean")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(id: &str, response_type: &str, options: &[&str]) -> Question {
        let options: Vec<Value> =
            options.iter().map(|label| serde_json::json!({"value": label, "label": label})).collect();
        serde_json::from_value(serde_json::json!({
            "id": id, "kind": "choice", "state": "open", "way": "tool", "blocking": true, "question": "So?",
            "responseType": response_type, "options": options, "onDeadline": "wait", "team": "alpha", "session": "s",
            "openedAt": 0,
        }))
        .expect("a question")
    }

    fn press(screen: &mut Screen, code: KeyCode) -> Wish {
        screen.press(KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn a_number_key_answers_the_chosen_question() {
        let mut screen = Screen::default();
        assert_eq!(press(&mut screen, KeyCode::Char('1')), Wish::Nothing, "nothing is open");
        screen.take(vec![question("a", "approval", &[]), question("b", "choice", &["Red", "Blue"])]);
        let answer = |id: &str, value: Value| Wish::Answer { id: id.to_owned(), digest: None, value };
        assert_eq!(press(&mut screen, KeyCode::Char('2')), answer("a", false.into()));
        assert_eq!(press(&mut screen, KeyCode::Char('3')), Wish::Nothing);
        assert_eq!(press(&mut screen, KeyCode::Down), Wish::Nothing);
        assert_eq!(press(&mut screen, KeyCode::Char('2')), answer("b", "Blue".into()));
        // The list changes, and what was chosen stays so.
        screen.take(vec![question("b", "choice", &["Red", "Blue"])]);
        assert_eq!(press(&mut screen, KeyCode::Char('1')), answer("b", "Red".into()));
        screen.take(vec![question("c", "text", &[])]);
        assert_eq!(press(&mut screen, KeyCode::Char('w')), Wish::Write { id: "c".to_owned() });
        assert_eq!(press(&mut screen, KeyCode::Char('q')), Wish::Leave);
    }
}
