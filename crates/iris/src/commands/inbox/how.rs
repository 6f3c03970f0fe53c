//! How a question is answered: what to type, as an answer that would be taken.

use iris_api::question::{Asked, Choice, Question};
use iris_core::question::form::{self, Field};
use serde_json::Value;

use crate::commands::answer::response;

/// Several things are asked, or several may be chosen: that takes more than one key.
pub fn takes_several(question: &Question) -> bool {
    question.questions.len() > 1 || question.questions.iter().any(|asked| asked.several)
}

pub fn fields(question: &Question) -> Vec<Field> {
    question.schema.as_ref().map(form::fields).unwrap_or_default()
}

/// What a field is and takes, in one line.
pub fn describe(field: &Field) -> String {
    let required = if field.is_required { ", required" } else { "" };
    let about = field.about.as_ref().map(|about| format!("  {about}")).unwrap_or_default();
    format!("{}{required}: {}{about}", field.name, field.kind.takes())
}

/// The command, for a shell.
pub fn command(question: &Question) -> String {
    let quoted = |word: &str| shlex::try_quote(word).map_or_else(|_| "…".to_owned(), |word| word.into_owned());
    let (lead, words) = match question.response_type.as_str() {
        "approval" | "boolean" => ("", "yes|no".to_owned()),
        "form" => ("for example: ", quoted(&filled(question))),
        _ if takes_several(question) => {
            let lead = if question.questions.len() > 1 { "in this order, for example: " } else { "for example: " };
            (lead, question.questions.iter().map(|asked| quoted(&one(asked, ","))).collect::<Vec<_>>().join(" "))
        }
        _ if question.questions.iter().all(|asked| asked.options.is_empty()) => ("", "<text>".to_owned()),
        _ if question.allow_free_text => ("", "<option or text>".to_owned()),
        _ => ("", "<option>".to_owned()),
    };
    format!("{lead}iris answer {} {words}", question.id)
}

/// The command that says once more what was answered to the same before.
pub fn same_again(question: &Question) -> Option<String> {
    let earlier = earlier(question)?;
    // A line break would not be shown as one, and so not be said again.
    if earlier.iter().any(|word| word.contains(char::is_control)) {
        return None;
    }
    let lead = if earlier.iter().any(|word| word.starts_with('-')) { "-- " } else { "" };
    let words = shlex::try_join(earlier.iter().map(String::as_str)).ok()?;
    Some(format!("iris answer {} {lead}{words}", question.id))
}

/// What was answered to the same before, in the words that say it here; nothing if no words would.
pub fn earlier(question: &Question) -> Option<Vec<String>> {
    let given = &question.suggestion.as_ref()?.answer;
    let options = || question.questions.iter().flat_map(|asked| &asked.options);
    let word = |value: &Value| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        options().find(|option| option.value == value).map_or(value, |option| option.label.clone())
    };
    let words: Vec<String> = match &given.value {
        Value::Bool(yes) => {
            Some(if *yes { "yes" } else { "no" }.to_owned()).into_iter().chain(given.text.clone()).collect()
        }
        Value::Array(values) => values.iter().map(word).collect(),
        value => vec![word(value)],
    };
    let typed = response(question, &words).ok()?;
    (said(&typed.value) == said(&given.value) && typed.text == given.text).then_some(words)
}

/// Several options of one question are kept as one answer.
fn said(value: &Value) -> String {
    match value {
        Value::Array(values) => values.iter().map(said).collect::<Vec<_>>().join(", "),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// What is typed where the question is known already; nothing if that needs no telling.
pub fn typed(question: &Question) -> Option<String> {
    match question.response_type.as_str() {
        "approval" | "boolean" => None,
        "form" => Some(filled(question)),
        _ if takes_several(question) => {
            Some(question.questions.iter().map(|asked| one(asked, ", ")).collect::<Vec<_>>().join("; "))
        }
        _ => None,
    }
}

/// Where one of the options is asked for and nothing else: the one that is a no. Words are why it is that. As in the dashboard.
pub fn refusal(question: &Question) -> Option<&Choice> {
    let is_one_of = question.response_type == "choice" && !question.allow_free_text && !takes_several(question);
    let is_no = |word: &str| ["no", "n", "false"].iter().any(|no| word.eq_ignore_ascii_case(no));
    let options = question.options.iter().filter(|_| is_one_of);
    let by_value = options.clone().find(|option| is_no(&option.value));
    by_value.or_else(|| options.clone().find(|option| is_no(&option.label)))
}

/// The answers to several questions, from one line: `Red, Blue; two`. Commas do where no question has use for them.
pub fn split(question: &Question, line: &str) -> Result<Vec<String>, String> {
    let pieces = |by: char| line.split(by).map(|piece| piece.trim().to_owned()).collect::<Vec<_>>();
    let (asked, by_semicolons, by_commas) = (question.questions.len(), pieces(';'), pieces(','));
    let has_several = question.questions.iter().any(|asked| asked.several);
    if by_semicolons.len() == asked {
        return Ok(by_semicolons);
    }
    if by_semicolons.len() == 1 && !has_several && by_commas.len() == asked {
        return Ok(by_commas);
    }
    let example = typed(question).unwrap_or_default();
    Err(format!("{asked} answers are needed, with ; between, and not {}; like: {example}", by_semicolons.len()))
}

/// One field takes a bare value; several want their names.
fn filled(question: &Question) -> String {
    let fields = fields(question);
    let value = match fields.as_slice() {
        [only] => only.example(),
        fields => form::example(fields),
    };
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

fn one(asked: &Asked, between: &str) -> String {
    let picked = if asked.several { 2 } else { 1 };
    let first = asked.options.iter().take(picked).enumerate();
    let names: Vec<String> = first
        .map(|(index, option)| {
            // With a comma in its name it would be taken for two, and with a semicolon for the next answer. A number may be
            // that of another one.
            let is_unclear = option.label.contains([',', ';']) || option.label.parse::<usize>().is_ok();
            if is_unclear { format!("#{}", index + 1) } else { option.label.clone() }
        })
        .collect();
    if names.is_empty() { "your words".to_owned() } else { names.join(between) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn question(more: Value) -> Question {
        let mut base = json!({
            "id": "q1", "kind": "choice", "state": "open", "way": "ask_user", "blocking": true, "question": "So?",
            "responseType": "choice", "onDeadline": "fail", "team": "backend", "session": "s1", "openedAt": 1,
        });
        base.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        serde_json::from_value(base).expect("a question")
    }

    fn asked(several: bool, labels: &[&str]) -> Value {
        let options: Vec<_> = labels.iter().map(|label| json!({"value": label, "label": label})).collect();
        json!({"question": "Which?", "options": options, "several": several})
    }

    /// What is shown is typed as it is, and says what it seems to say.
    fn check(question: &Question, command_shown: &str, typed_shown: &str, expected: &Value) {
        assert_eq!(command(question), command_shown);
        let words = command_shown.split_once("q1 ").expect("the id").1;
        let given = response(question, &shlex::split(words).expect("words")).expect("it fits");
        assert_eq!(given.value, *expected, "{command_shown}");
        assert_eq!(typed(question).as_deref(), Some(typed_shown));
        let words = if question.questions.len() > 1 {
            split(question, typed_shown).expect("answers")
        } else {
            vec![typed_shown.to_owned()]
        };
        assert_eq!(response(question, &words).expect("it fits").value, *expected, "{typed_shown}");
    }

    #[test]
    fn what_is_shown_to_be_typed_works() {
        let two = question(
            json!({"questions": [asked(true, &["Red", "Dark blue", "Green"]), asked(false, &["Very large"])]}),
        );
        check(
            &two,
            "in this order, for example: iris answer q1 'Red,Dark blue' 'Very large'",
            "Red, Dark blue; Very large",
            &json!([["Red", "Dark blue"], "Very large"]),
        );
        let comma = question(json!({"questions": [asked(true, &["a, b", "c"]), asked(false, &[])]}));
        check(
            &comma,
            "in this order, for example: iris answer q1 '#1,c' 'your words'",
            "#1, c; your words",
            &json!([["a, b", "c"], "your words"]),
        );
        let numbers = question(json!({"questions": [asked(true, &["3", "1", "a, b"])]}));
        check(&numbers, "for example: iris answer q1 '#1,#2'", "#1, #2", &json!(["3", "1"]));
        for unclear in ["1", "#1,1", "3"] {
            let refused = response(&numbers, &[unclear.to_owned()]).expect_err("it may be two");
            assert!(refused.hint.is_some_and(|hint| hint.contains('#')), "{unclear}");
        }
        let any = question(json!({"questions": [asked(true, &["Red", "Blue"])]}));
        check(&any, "for example: iris answer q1 'Red,Blue'", "Red, Blue", &json!(["Red", "Blue"]));
        let properties = json!({"name": {"type": "string", "description": "in full"}, "size": {"enum": ["it's", "l"]}});
        let form = |schema: Value| question(json!({"responseType": "form", "schema": schema}));
        let both = form(json!({"properties": properties, "required": ["name", "size"]}));
        check(
            &both,
            r#"for example: iris answer q1 "{\"name\":\"text\",\"size\":\"it's\"}""#,
            r#"{"name":"text","size":"it's"}"#,
            &json!({"name": "text", "size": "it's"}),
        );
        let shown: Vec<String> = fields(&both).iter().map(describe).collect();
        assert_eq!(shown, ["name, required: text  in full", "size, required: one of: it's, l"]);
        let age = form(json!({"properties": {"age": {"type": "integer", "minimum": 18}}}));
        check(&age, "for example: iris answer q1 18", "18", &json!(18));
    }

    #[test]
    fn what_was_answered_before_can_be_said_again() {
        let again = |more: Value, answer: Value| {
            let mut more = more;
            more["suggestion"] = json!({"answer": answer, "times": 2, "of": 2, "lastBy": "user", "lastAt": 0});
            same_again(&question(more))
        };
        let check = |more: Value, answer: Value, expected: &str| {
            assert_eq!(again(more, answer).as_deref(), Some(format!("iris answer q1 {expected}").as_str()));
        };
        let text = json!({"responseType": "text", "allowFreeText": true, "questions": [asked(false, &[])]});
        check(text.clone(), json!({"value": "the buyer's"}), r#""the buyer's""#);
        check(text.clone(), json!({"value": "--again"}), "-- --again");
        assert_eq!(again(text.clone(), json!({"value": "two\nlines"})), None, "it would be said on one");
        check(json!({"questions": [asked(false, &["Red", "Blue"])]}), json!({"value": "Blue"}), "Blue");
        let valued = json!({"question": "Which?", "options": [{"value": "1. gh", "label": "GitHub"}]});
        check(json!({"questions": [valued]}), json!({"value": "1. gh"}), "GitHub");
        let several = asked(true, &["Red", "Dark blue"]);
        check(json!({"questions": [several]}), json!({"value": "Red, Dark blue"}), "'Red, Dark blue'");
        let both = json!({"questions": [several, asked(false, &[])]});
        check(both, json!({"value": ["Red, Dark blue", "two"]}), "'Red, Dark blue' two");
        check(json!({"responseType": "boolean"}), json!({"value": false, "text": "not yet"}), "no 'not yet'");
        let form = json!({"responseType": "form", "schema": {"properties": {"age": {"type": "integer"}}}});
        check(form, json!({"value": {"age": 3}}), r#"'{"age":3}'"#);
        assert_eq!(again(text.clone(), json!({"value": false})), None, "they would not say");
        assert_eq!(again(text, json!({"value": "x", "text": "y"})), None, "a command has no place for both");
        assert_eq!(same_again(&question(json!({}))), None);
    }

    #[test]
    fn words_of_ones_own_are_offered_where_they_are_taken() {
        let shown = |more: Value| command(&question(more));
        let options = asked(false, &["Red", "Blue"]);
        assert_eq!(shown(json!({"questions": [options]})), "iris answer q1 <option>");
        let free = shown(json!({"questions": [options], "allowFreeText": true}));
        assert_eq!(free, "iris answer q1 <option or text>");
        let text = json!({"responseType": "text", "allowFreeText": true, "questions": [asked(false, &[])]});
        assert_eq!(shown(text), "iris answer q1 <text>");
    }

    #[test]
    fn too_few_answers_are_told_how() {
        let two = question(json!({"questions": [asked(true, &["A", "B"]), asked(false, &["C"])]}));
        let why = split(&two, "A, C").expect_err("one of them takes commas");
        assert_eq!(why, "2 answers are needed, with ; between, and not 1; like: A, B; C");
        let plain = question(json!({"questions": [asked(false, &["A"]), asked(false, &["C"])]}));
        assert_eq!(split(&plain, "A, C").expect("commas do"), ["A", "C"]);
    }
}
