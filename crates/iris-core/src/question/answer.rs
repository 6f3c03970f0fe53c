//! What a person says to a question, whether it fits, and what the agent is told.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Detail, ResponseType, form, leave};
use crate::agent::{AskedOption, AskedQuestion, Reply, ToolAnswer};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Answer {
    Approve {
        /// What the person adds to it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    Refuse {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// One answer for each question, in their order.
    Choose {
        values: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// Fields and what stands in them.
    Fill { content: Map<String, Value> },
}

/// Why an answer does not fit its question.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("this asks for a yes or a no")]
    NotYesOrNo,
    #[error("this asks {asked} questions, and {given} were answered")]
    Number { asked: usize, given: usize },
    #[error("an answer must not be empty")]
    Empty,
    #[error("'{given}' is none of the options: {}", .options.join(", "))]
    NoOption { given: String, options: Vec<String> },
    #[error("{0} is not an answer")]
    Strange(String),
    #[error("this asks for these fields: {}", .0.join(", "))]
    Fields(Vec<String>),
    #[error("there is no field '{given}'; these are asked for: {}", .fields.join(", "))]
    NoField { given: String, fields: Vec<String> },
    #[error("the field '{name}' is missing; it takes {takes}")]
    MissingField { name: String, takes: String },
    #[error("the field '{name}' takes {takes}, and not {given}")]
    Field { name: String, takes: String, given: String },
    #[error("{0} carries no words here; tell the team, or say no and why")]
    NoWords(&'static str),
    #[error("the answer is of the type '{given}', and this takes {}", .takes.join(" or "))]
    Type { given: String, takes: Vec<&'static str> },
}

impl AnswerError {
    pub(super) fn no_option(given: &str, questions: &[AskedQuestion]) -> Self {
        let options = questions.iter().flat_map(|asked| &asked.options).map(|option| option.value().to_owned());
        Self::NoOption { given: given.to_owned(), options: options.collect() }
    }
}

impl Answer {
    /// As it comes over the wire: true or false, a text, a number, a list of these, or fields.
    pub fn read(value: &Value, text: Option<String>) -> Result<Self, AnswerError> {
        let word = |value: &Value| match value {
            Value::String(text) => Ok(text.clone()),
            Value::Number(number) => Ok(number.to_string()),
            Value::Bool(yes) => Ok(if *yes { "yes" } else { "no" }.to_owned()),
            other => Err(AnswerError::Strange(other.to_string())),
        };
        // Of one question's options any number may be meant, also where several are asked.
        let picked = |value: &Value| match value {
            Value::Array(picked) => Ok(picked.iter().map(word).collect::<Result<Vec<_>, AnswerError>>()?.join(", ")),
            one => word(one),
        };
        let text = text.filter(|text| !text.trim().is_empty());
        Ok(match value {
            Value::Bool(true) => Self::Approve { note: text },
            Value::Bool(false) => Self::Refuse { why: text },
            Value::Array(values) => {
                Self::Choose { values: values.iter().map(picked).collect::<Result<_, _>>()?, note: text }
            }
            Value::Object(_) if text.is_some() => return Err(AnswerError::NoWords("a form")),
            Value::Object(fields) => Self::Fill { content: fields.clone() },
            value => Self::Choose { values: vec![word(value)?], note: text },
        })
    }

    /// In a few words, for people and models.
    pub fn words(&self) -> String {
        let with = |said: String, note: &Option<String>| match note {
            Some(note) => format!("{said} ({note})"),
            None => said,
        };
        match self {
            Self::Approve { note } => with("yes".to_owned(), note),
            Self::Refuse { why } => with("no".to_owned(), why),
            Self::Choose { values, note } => with(values.join(", "), note),
            Self::Fill { content } => Value::Object(content.clone()).to_string(),
        }
    }
}

/// In a few words, with what each is the answer to where several things are asked.
pub fn words_to(detail: &Detail, answer: &Answer) -> String {
    match (detail.questions(), answer) {
        (questions @ [_, _, ..], Answer::Choose { values, note }) => {
            let pairs = questions.iter().zip(values).map(|(asked, value)| format!("\"{}\": {value}", asked.question));
            let said = pairs.collect::<Vec<_>>().join("; ");
            note.as_ref().map(|note| format!("{said} ({note})")).unwrap_or(said)
        }
        _ => answer.words(),
    }
}

/// Whether an answer of a type that somebody names is what the question asks for.
pub fn takes(detail: &Detail, given: &str) -> Result<(), AnswerError> {
    use ResponseType::{Approval, Boolean, Choice, Form, Text};
    let has_options = detail.questions().iter().any(|asked| !asked.options.is_empty());
    let says_yes = matches!(detail, Detail::Asked { approves: true, .. })
        || detail.questions().iter().any(|asked| of_boolean(asked, true).or(of_boolean(asked, false)).is_some());
    let takes: Vec<&str> = match detail.response_type() {
        Approval => vec![Approval, Boolean],
        Boolean => vec![Boolean, Approval],
        Form => vec![Form],
        Text => [Some(Text), has_options.then_some(Choice)].into_iter().flatten().collect(),
        Choice => {
            let words = detail.takes_words().then_some(Text);
            let yes = if says_yes { [Some(Approval), Some(Boolean)] } else { [None, None] };
            [Some(Choice), words].into_iter().chain(yes).flatten().collect()
        }
    }
    .into_iter()
    .map(ResponseType::as_str)
    .collect();
    if takes.contains(&given) {
        return Ok(());
    }
    Err(AnswerError::Type { given: given.chars().take(40).collect(), takes })
}

/// What an answer is, given what was asked.
pub fn type_of(asked: ResponseType, answer: &Answer) -> ResponseType {
    match (asked, answer) {
        // Somebody would not say.
        (
            ResponseType::Text | ResponseType::Choice | ResponseType::Form,
            Answer::Approve { .. } | Answer::Refuse { .. },
        ) => ResponseType::Boolean,
        // What was told to the agent again, in words: nobody is to read a yes in them.
        (ResponseType::Approval | ResponseType::Boolean, Answer::Choose { .. }) => ResponseType::Text,
        (asked, _) => asked,
    }
}

/// What somebody says to a question, as it comes over the wire, in the form the question wants it.
pub fn hear(detail: &Detail, value: &Value, text: Option<String>) -> Result<Answer, AnswerError> {
    let is_yes_or_no = matches!(detail.response_type(), ResponseType::Approval | ResponseType::Boolean);
    // A list is of options. What somebody means who sends one here is not guessed.
    if is_yes_or_no && value.is_array() {
        return Err(AnswerError::NotYesOrNo);
    }
    fit(detail, Answer::read(value, text)?)
}

/// The answer in the form the question wants it: options by their value, yes and no as such.
pub fn fit(detail: &Detail, answer: Answer) -> Result<Answer, AnswerError> {
    match detail {
        Detail::Approval { .. } | Detail::Visit { .. } => match yes_or_no(answer)? {
            // The agent's request takes a yes and nothing beside it, so nobody would ever hear the words.
            Answer::Approve { note: Some(_) } => Err(AnswerError::NoWords("a yes")),
            answer => Ok(answer),
        },
        Detail::Choice { questions } => choose(questions, answer, true),
        Detail::Form { schema, .. } => fill(schema.get(), answer),
        Detail::Asked { response: ResponseType::Boolean | ResponseType::Approval, .. } => yes_or_no(answer),
        Detail::Asked { asked, approves: true, .. } => leave::choose(asked, answer),
        Detail::Asked { asked, free_text, .. } => match answer {
            // A no to a question that is not a yes-or-no question is no answer to it.
            Answer::Refuse { .. } | Answer::Approve { .. } if asked.options.is_empty() => {
                Err(AnswerError::Strange(answer.words()))
            }
            answer => choose(std::slice::from_ref(asked), answer, *free_text),
        },
    }
}

pub(super) fn yes_or_no(answer: Answer) -> Result<Answer, AnswerError> {
    let Answer::Choose { values, note } = &answer else {
        return if matches!(answer, Answer::Fill { .. }) { Err(AnswerError::NotYesOrNo) } else { Ok(answer) };
    };
    let [only] = values.as_slice() else { return Err(AnswerError::NotYesOrNo) };
    match only.trim().to_lowercase().as_str() {
        "yes" | "y" | "true" | "approve" => Ok(Answer::Approve { note: note.clone() }),
        "no" | "n" | "false" | "reject" | "refuse" => Ok(Answer::Refuse { why: note.clone() }),
        _ => Err(AnswerError::NotYesOrNo),
    }
}

pub(super) fn choose(questions: &[AskedQuestion], answer: Answer, free_text: bool) -> Result<Answer, AnswerError> {
    let yes_or_no = match (questions, &answer) {
        ([asked], Answer::Approve { .. }) => of_boolean(asked, true),
        ([asked], Answer::Refuse { .. }) => of_boolean(asked, false),
        _ => None,
    };
    let (values, note) = match answer {
        Answer::Choose { values, note } => (values, note),
        Answer::Approve { note } | Answer::Refuse { why: note } if yes_or_no.is_some() => {
            (yes_or_no.into_iter().collect(), note)
        }
        // Somebody who will not answer is told to the agent as that.
        Answer::Refuse { why } => return Ok(Answer::Refuse { why }),
        Answer::Approve { .. } if questions.len() == 1 => return Err(AnswerError::no_option("true", questions)),
        Answer::Approve { .. } => return Err(AnswerError::Number { asked: questions.len(), given: 0 }),
        Answer::Fill { content } => return Err(AnswerError::Strange(Value::Object(content).to_string())),
    };
    if let [asked] = questions
        && asked.several
    {
        // Any number of one question's options: one answer that names them all.
        if values.is_empty() {
            return Err(AnswerError::Empty);
        }
        let picked = values.iter().map(|value| chosen(asked, value, free_text)).collect::<Result<Vec<_>, _>>()?;
        return Ok(Answer::Choose { values: vec![picked.join(", ")], note });
    }
    if questions.len() != values.len() {
        return Err(AnswerError::Number { asked: questions.len(), given: values.len() });
    }
    let values = questions.iter().zip(&values).map(|(asked, value)| chosen(asked, value, free_text));
    Ok(Answer::Choose { values: values.collect::<Result<_, _>>()?, note })
}

/// The option that a bare yes or no means: the one with that value, or with that name.
fn of_boolean(asked: &AskedQuestion, yes: bool) -> Option<String> {
    let (value, names) = if yes { ("true", ["yes", "y"]) } else { ("false", ["no", "n"]) };
    let named = |text: &str| names.iter().any(|name| text.eq_ignore_ascii_case(name));
    let options = || asked.options.iter();
    let option = options().find(|option| option.value() == value);
    let option = option.or_else(|| options().find(|option| named(option.value())));
    option.or_else(|| options().find(|option| named(&option.label))).map(|option| option.value().to_owned())
}

fn chosen(asked: &AskedQuestion, given: &str, free_text: bool) -> Result<String, AnswerError> {
    let given = given.trim();
    if given.is_empty() {
        return Err(AnswerError::Empty);
    }
    let ways: [&dyn Fn(&&AskedOption) -> bool; 5] = [
        &|option| option.value() == given,
        &|option| option.label == given,
        &|option| option.id.as_deref() == Some(given),
        &|option| option.label.eq_ignore_ascii_case(given),
        &|option| option.id.as_deref().is_some_and(|id| id.eq_ignore_ascii_case(given)),
    ];
    match ways.iter().find_map(|is_meant| asked.options.iter().find(is_meant)) {
        Some(option) => Ok(option.value().to_owned()),
        None if free_text || asked.options.is_empty() || asked.several => Ok(given.to_owned()),
        None => Err(AnswerError::no_option(given, std::slice::from_ref(asked))),
    }
}

/// A form with one field takes a bare value; several want their names.
fn fill(schema: &str, answer: Answer) -> Result<Answer, AnswerError> {
    let schema: Value = serde_json::from_str(schema).unwrap_or_default();
    let fields = form::fields(&schema);
    let content = match (answer, fields.as_slice()) {
        (Answer::Choose { note: Some(_), .. } | Answer::Approve { note: Some(_) }, _) => {
            return Err(AnswerError::NoWords("a form"));
        }
        (Answer::Refuse { why }, _) => return Ok(Answer::Refuse { why }),
        (Answer::Fill { content }, _) => content,
        (Answer::Choose { values, .. }, [only]) if values.len() == 1 => {
            Map::from_iter([(only.name.clone(), only.read(&values[0]))])
        }
        (Answer::Approve { .. }, [only]) => Map::from_iter([(only.name.clone(), only.read("true"))]),
        _ => return Err(AnswerError::Fields(fields.into_iter().map(|field| field.name).collect())),
    };
    Ok(Answer::Fill { content: form::check(&schema, content)? })
}

/// What the agent is told on its pipe, given what was asked and what was answered.
pub fn reply(detail: &Detail, answer: &Answer) -> Reply {
    match (detail, answer) {
        (Detail::Form { .. }, Answer::Fill { content }) => Reply::Form { content: content.clone() },
        (_, Answer::Refuse { why }) => {
            Reply::Deny { message: why.clone().unwrap_or_else(|| "the person who was asked refused".to_owned()) }
        }
        (Detail::Approval { input, .. }, _) => Reply::AllowExactly { input: input.get().to_owned() },
        (Detail::Visit { .. }, _) => Reply::Allow,
        (_, Answer::Choose { values, note }) => {
            let pairs = detail.questions().iter().zip(values);
            let mut pairs: Vec<_> = pairs.map(|(asked, value)| (asked.question.clone(), value.clone())).collect();
            if let (Some((_, last)), Some(note)) = (pairs.last_mut(), note) {
                last.push_str(&format!(" ({note})"));
            }
            Reply::Answers(pairs)
        }
        (_, answer) => Reply::Answers(vec![(detail.text(), answer.words())]),
    }
}

/// What a call of Iris's own tool for asking gives back.
pub fn tool_answer(question: &str, detail: &Detail, answer: &Answer, by: &str) -> ToolAnswer {
    let kind = type_of(detail.response_type(), answer);
    let (value, text) = match answer {
        Answer::Approve { note } => (json!(true), note.clone()),
        Answer::Refuse { why } => (json!(false), why.clone()),
        Answer::Choose { values, note } => match values.as_slice() {
            [one] => (json!(one), note.clone()),
            several => (json!(several), note.clone()),
        },
        Answer::Fill { content } => (Value::Object(content.clone()), None),
    };
    let response = json!({ "type": kind, "value": value, "text": text });
    Ok(json!({ "questionId": question, "status": "answered", "by": by, "response": response }))
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use crate::agent::AskedOption;

    fn approval() -> Detail {
        Detail::of_command(r#"{"command": "ls",  "a":1}"#)
    }

    fn choice() -> Detail {
        Detail::Choice { questions: vec![AskedQuestion::plain("Which?"), AskedQuestion::plain("How many?")] }
    }

    fn asked(response: ResponseType, options: &[&str], free_text: bool) -> Detail {
        let options = options.iter().map(|&label| AskedOption::of(label)).collect();
        Detail::Asked {
            response,
            asked: AskedQuestion { options, ..AskedQuestion::plain("So?") },
            free_text,
            approves: false,
        }
    }

    fn form() -> Detail {
        let schema = r#"{"type":"object","properties":{"age":{"type":"integer"}},"required":["age"]}"#;
        let schema = RawValue::from_string(schema.to_owned()).expect("JSON");
        Detail::Form { server: "s".to_owned(), message: "How old?".to_owned(), schema }
    }

    fn check(detail: &Detail, value: Value, expected: Result<&str, AnswerError>) {
        let found = hear(detail, &value, None).map(|answer| answer.words());
        assert_eq!(found, expected.map(str::to_owned), "{detail:?} {value}");
    }

    #[test]
    fn an_answer_fits_its_question_or_says_why_not() {
        check(&approval(), json!(true), Ok("yes"));
        check(&approval(), json!("no"), Ok("no"));
        check(&approval(), json!("perhaps"), Err(AnswerError::NotYesOrNo));
        for list in [json!([true]), json!(["yes"]), json!([[true]]), json!([]), json!(1)] {
            check(&approval(), list.clone(), Err(AnswerError::NotYesOrNo));
            check(&asked(ResponseType::Boolean, &[], false), list, Err(AnswerError::NotYesOrNo));
        }
        check(&approval(), json!(""), Err(AnswerError::NotYesOrNo));
        check(&choice(), json!("x"), Err(AnswerError::Number { asked: 2, given: 1 }));
        check(&choice(), json!(["x", " "]), Err(AnswerError::Empty));
        check(&choice(), json!(["x", 2]), Ok("x, 2"));
        check(&choice(), json!(true), Err(AnswerError::Number { asked: 2, given: 0 }));
        let closed = asked(ResponseType::Choice, &["Red", "Blue"], false);
        check(&closed, json!("blue"), Ok("Blue"));
        let none =
            AnswerError::NoOption { given: "green".to_owned(), options: vec!["Red".to_owned(), "Blue".to_owned()] };
        check(&closed, json!("green"), Err(none));
        check(&asked(ResponseType::Choice, &["Red"], true), json!("green"), Ok("green"));
        check(&asked(ResponseType::Boolean, &[], false), json!("YES"), Ok("yes"));
        check(&asked(ResponseType::Text, &[], true), json!(" "), Err(AnswerError::Empty));
        check(&asked(ResponseType::Text, &[], true), json!("tomorrow"), Ok("tomorrow"));
        let Detail::Asked { mut asked, .. } = asked(ResponseType::Choice, &["Red", "Blue", "Green"], true) else {
            panic!("it is asked")
        };
        asked.several = true;
        let several = Detail::Choice { questions: vec![asked] };
        check(&several, json!(["red", "Green"]), Ok("Red, Green"));
        check(&several, json!("Blue"), Ok("Blue"));
        check(&several, json!([]), Err(AnswerError::Empty));
        check(&form(), json!("41"), Ok(r#"{"age":41}"#));
        let no_field = AnswerError::NoField { given: "name".to_owned(), fields: vec!["age".to_owned()] };
        check(&form(), json!({"name": "x"}), Err(no_field));
        let unfit = |given: &str| AnswerError::Field {
            name: "age".to_owned(),
            takes: "a whole number".to_owned(),
            given: given.to_owned(),
        };
        check(&form(), json!("old"), Err(unfit("\"old\"")));
        check(&form(), json!({"age": "3"}), Err(unfit("\"3\"")));
        check(&form(), json!(true), Err(unfit("\"true\"")));
        check(&form(), json!({"age": 3}), Ok(r#"{"age":3}"#));
    }

    #[test]
    fn true_and_false_are_the_options_that_say_so() {
        let words = asked(ResponseType::Choice, &["yes", "no"], true);
        check(&words, json!(true), Ok("yes"));
        check(&words, json!(false), Ok("no"));
        let closed = asked(ResponseType::Choice, &["ts", "js"], false);
        let none = AnswerError::NoOption { given: "true".to_owned(), options: vec!["ts".to_owned(), "js".to_owned()] };
        check(&closed, json!(true), Err(none));
        let option = |id: &str, label: &str, value: &str| AskedOption {
            id: Some(id.to_owned()),
            value: Some(value.to_owned()),
            ..AskedOption::of(label)
        };
        let options = vec![option("a", "Keep it", "false"), option("b", "Drop it", "true")];
        let asked = AskedQuestion { options, ..AskedQuestion::plain("So?") };
        let valued = Detail::Asked { response: ResponseType::Choice, asked, free_text: false, approves: false };
        check(&valued, json!(true), Ok("true"));
        check(&valued, json!(false), Ok("false"));
        check(&valued, json!("b"), Ok("true"));
        check(&valued, json!("keep it"), Ok("false"));
    }

    #[test]
    fn an_answer_of_another_type_says_what_is_taken() {
        let check = |detail: &Detail, given: &str, expected: Result<(), &str>| {
            let found = takes(detail, given).map_err(|error| error.to_string());
            assert_eq!(found, expected.map_err(str::to_owned), "{detail:?} {given}");
        };
        check(&approval(), "approval", Ok(()));
        check(&approval(), "boolean", Ok(()));
        check(&approval(), "text", Err("the answer is of the type 'text', and this takes approval or boolean"));
        let text = asked(ResponseType::Text, &[], true);
        check(&text, "text", Ok(()));
        check(&text, "choice", Err("the answer is of the type 'choice', and this takes text"));
        let closed = asked(ResponseType::Choice, &["ts", "js"], false);
        check(&closed, "choice", Ok(()));
        check(&closed, "text", Err("the answer is of the type 'text', and this takes choice"));
        check(&closed, "approval", Err("the answer is of the type 'approval', and this takes choice"));
        check(&asked(ResponseType::Choice, &["yes", "no"], true), "approval", Ok(()));
        check(&asked(ResponseType::Choice, &["ts", "js"], true), "text", Ok(()));
        check(&choice(), "text", Ok(()));
        check(&form(), "smile", Err("the answer is of the type 'smile', and this takes form"));
    }

    #[test]
    fn the_agent_is_told_what_was_answered() {
        let exactly = Reply::AllowExactly { input: r#"{"command": "ls",  "a":1}"#.to_owned() };
        assert_eq!(reply(&approval(), &Answer::Approve { note: None }), exactly, "byte by byte");
        let no = Answer::Refuse { why: Some("not today".to_owned()) };
        assert_eq!(reply(&approval(), &no), Reply::Deny { message: "not today".to_owned() });
        let pairs = vec![("Which?".to_owned(), "x".to_owned()), ("How many?".to_owned(), "2".to_owned())];
        let chosen = Answer::Choose { values: vec!["x".to_owned(), "2".to_owned()], note: None };
        assert_eq!(reply(&choice(), &chosen), Reply::Answers(pairs));
        let noted = Answer::Choose { values: vec!["x".to_owned(), "2".to_owned()], note: Some("at most".to_owned()) };
        let pairs = vec![("Which?".to_owned(), "x".to_owned()), ("How many?".to_owned(), "2 (at most)".to_owned())];
        assert_eq!(reply(&choice(), &noted), Reply::Answers(pairs));
    }

    /// What is taken reaches the agent; what could not reach it is not taken.
    #[test]
    fn words_that_nobody_would_hear_are_not_taken() {
        let said = |detail: &Detail, value: Value| {
            let answer = Answer::read(&value, Some("only on staging".to_owned()));
            answer.and_then(|answer| fit(detail, answer)).map(|answer| answer.words())
        };
        assert_eq!(said(&approval(), json!(true)), Err(AnswerError::NoWords("a yes")));
        assert_eq!(said(&approval(), json!("yes")), Err(AnswerError::NoWords("a yes")));
        assert_eq!(said(&visit(), json!(true)), Err(AnswerError::NoWords("a yes")));
        assert_eq!(said(&approval(), json!(false)), Ok("no (only on staging)".to_owned()));
        assert_eq!(said(&form(), json!({"age": 3})), Err(AnswerError::NoWords("a form")));
        assert_eq!(said(&form(), json!("3")), Err(AnswerError::NoWords("a form")));
        let by_tool = asked(ResponseType::Approval, &[], false);
        assert_eq!(said(&by_tool, json!(true)), Ok("yes (only on staging)".to_owned()));
        let blank = Answer::read(&json!(true), Some(" ".to_owned())).and_then(|answer| fit(&approval(), answer));
        assert_eq!(blank, Ok(Answer::Approve { note: None }));
    }

    fn visit() -> Detail {
        let (server, message) = ("s".to_owned(), "Sign in".to_owned());
        Detail::Visit { server, message, url: "https://x.example/in".to_owned() }
    }

    #[test]
    fn to_go_to_an_address_takes_a_yes_or_a_no() {
        check(&visit(), json!(true), Ok("yes"));
        check(&visit(), json!({}), Err(AnswerError::NotYesOrNo));
        check(&visit(), json!("done"), Err(AnswerError::NotYesOrNo));
        assert_eq!(reply(&visit(), &Answer::Approve { note: None }), Reply::Allow);
        assert!(matches!(reply(&visit(), &Answer::Refuse { why: None }), Reply::Deny { .. }));
    }
}
