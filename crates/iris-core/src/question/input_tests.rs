use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::agent::PermissionRequest;
use crate::call::{Meaning, ToolNature};
use crate::duration::Millis;
use crate::id::RuleId;
use crate::question::risk::as_written;
use crate::question::shown::shown;
use crate::question::{Answer, Draft, OnDeadline, Policy, Risk};
use crate::rule::{Rule, RuleScope, decide};
use crate::turn::Ask;

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).expect("JSON, as far as an agent's line is looked at")
}

#[track_caller]
fn check(text: &str, expected: Value, is_exact: bool) {
    assert_eq!(Input::read(&raw(text)), Input { value: expected, is_exact }, "{text}");
}

#[test]
fn what_every_reader_takes_for_the_same_is_exact() {
    check(
        r#" {"a": [1, -2, 0.5, 1e3, true, null], "b": {"c": "d\"\\\u00e9\ud83d\ude00"}} "#,
        json!({
            "a": [1, -2, 0.5, 1000.0, true, null], "b": {"c": "d\"\\é😀"}
        }),
        true,
    );
    check("18446744073709551615", json!(u64::MAX), true);
    check("{}", json!({}), true);
    check("[]", json!([]), true);
}

#[test]
fn what_readers_differ_about_is_not_and_what_is_nearest_is_known() {
    check(r#"{"command":"rm \ud83d x"}"#, json!({"command": "rm \u{fffd} x"}), false);
    check(r#"{"command":"\ude00\n\"\ud83d"}"#, json!({"command": "\u{fffd}\n\"\u{fffd}"}), false);
    check(r#"{"command":"ls","c\u006fmmand":"rm"}"#, json!({"command": "rm"}), false);
    check(r#"{"a":[{"b":1,"b":1}]}"#, json!({"a": [{"b": 1}]}), false);
    check(r#"{"timeout":1e999}"#, json!({"timeout": "1e999"}), false);
    check(r#"{"timeout":1e-999}"#, json!({"timeout": "1e-999"}), false);
    check("12345678901234567890123", json!("12345678901234567890123"), false);
    check("0.1000000000000000055", json!("0.1000000000000000055"), false);
    let deep = format!("{}\"]\\\"\"{}", "[".repeat(100_000), "]".repeat(100_000));
    let read = Input::read(&raw(&format!(r#"{{"a":{deep},"command":"rm"}}"#)));
    assert!(!read.is_exact && read.value["command"] == "rm");
}

#[test]
fn what_cannot_be_read_is_told_as_the_text_that_it_is() {
    assert_eq!(told(&raw(r#"{"a": 1}"#)).get(), r#"{"a": 1}"#);
    assert_eq!(told(&raw(r#"{"a":"\ud83d"}"#)).get(), r#""{\"a\":\"\\ud83d\"}""#);
}

fn draft(input: &str) -> Draft {
    let minutes = Millis(600_000);
    let policy = Policy {
        blocking: minutes,
        approval: minutes,
        error_recovery: minutes,
        shortest: minutes,
        longest: minutes,
        on_deadline: OnDeadline::Fail,
        real: as_written,
    };
    let asked = PermissionRequest {
        request: "r".to_owned(),
        tool: "Bash".to_owned(),
        meaning: Box::new(Meaning { asides: &["description", "timeout"], ..ToolNature::Shell.into() }),
        input: raw(input),
        reason: None,
        plan: None,
        call: None,
    };
    Draft::of(&Ask::Permission(asked), "/p", &policy).expect("it can be asked")
}

fn rule(scope: RuleScope, from: &Draft, answer: Answer) -> Rule {
    let Draft { deed, digest, .. } = from.clone();
    let (tool, risk) = (Some("Bash".to_owned()), Some(Risk::High));
    Rule { id: RuleId::new("1"), scope, tool, deed, asked: None, digest, risk, answer }
}

/// Something that readers differ about, in a field of its own or in one that comments on the command.
fn mutation() -> impl Strategy<Value = String> {
    let odd = prop_oneof![
        Just(r#""\ud83d""#.to_owned()),
        "\"[a-z]{0,3}\\\\ud[89a-f][0-9a-f]{2}[a-z ]{0,3}\"",
        "[1-9]e[4-9][0-9]{2}",
        // Shorter, or with zeros at the end, it may be a number that can be kept.
        "-?[1-9][0-9]{19,40}[1-9]",
        (129_usize..400).prop_map(|depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth))),
        Just(r#"{"a":1,"\u0061":2}"#.to_owned()),
    ];
    ("description|timeout", odd).prop_map(|(name, odd)| format!(r#""{name}":{odd}"#))
}

proptest! {
    #[test]
    fn what_cannot_be_read_passes_by_no_rule_and_a_refusal_holds(more in mutation(), before in any::<bool>()) {
        let plain = draft(r#"{"command":"touch pwned"}"#);
        let input = match before {
            true => format!(r#"{{{more},"command":"touch pwned"}}"#),
            false => format!(r#"{{"command":"touch  pwned",{more}}}"#),
        };
        let odd = draft(&input);
        prop_assert_eq!(odd.risk, Some(Risk::High));
        for scope in [RuleScope::Deed, RuleScope::Tool] {
            for from in [&plain, &odd] {
                let yes = [rule(scope, from, Answer::Approve { note: None })];
                prop_assert!(decide(&yes, &odd).is_none(), "{}", input);
            }
        }
        let no = [rule(RuleScope::Deed, &plain, Answer::Refuse { why: None })];
        prop_assert!(decide(&no, &odd).is_some(), "{}", input);
        prop_assert_eq!(crate::visible::read_back(&shown(&raw(&input), None)), input);
    }

    #[test]
    fn the_same_field_twice_is_refused_by_its_last(first in "[a-z]{1,4}", escaped in any::<bool>()) {
        let name = if escaped { r"comm\u0061nd" } else { "command" };
        let odd = draft(&format!(r#"{{"command":"{first}","{name}":"rm -rf x"}}"#));
        let no = [rule(RuleScope::Deed, &draft(r#"{"command":"rm -rf x"}"#), Answer::Refuse { why: None })];
        prop_assert!(decide(&no, &odd).is_some());
        prop_assert_eq!(odd.risk, Some(Risk::High));
    }

    /// Against another reader: whatever it takes, this one takes for the same, and what it does not take is not exact.
    #[test]
    fn it_reads_what_others_read(text in r#"[\[{]?(("[a-c]":)?([0-9]{1,3}|-?0\.[0-9]{1,3}|"([a-z]|\\[nt"\\]|\\u00e9|\\ud83d|\\ude00)*"|true|\[\]|\{\}),?){0,4}[\]}]?"#) {
        if let Ok(raw) = RawValue::from_string(text.clone()) {
            let read = Input::read(&raw);
            match serde_json::from_str::<Value>(&text) {
                Ok(value) => prop_assert!(read.value == value, "{}", text),
                Err(_) => prop_assert!(!read.is_exact, "{}", text),
            }
        }
    }
}
