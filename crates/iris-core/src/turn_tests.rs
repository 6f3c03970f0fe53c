use serde_json::value::RawValue;

use super::*;
use crate::agent::Introduction;
use crate::call::ToolNature;
use crate::message::Heard;

#[derive(Clone, Copy, Debug)]
enum At {
    Running,
    Cancelling,
    Over,
}

fn turn(at: At) -> Turn {
    let mut turn = Turn::start(GrantPermission::No);
    match at {
        At::Running => {}
        At::Cancelling => drop(turn.apply(TurnInput::CancelAsked)),
        At::Over => drop(turn.apply(ended(None, false))),
    }
    turn
}

fn ended(error: Option<&str>, aborted: bool) -> TurnInput {
    TurnInput::Output(AgentOutput::TurnEnded(TurnEnd {
        error: error.map(str::to_owned),
        aborted,
        text: Some("done".to_owned()),
        ..TurnEnd::default()
    }))
}

fn said(text: &str) -> TurnInput {
    TurnInput::Output(AgentOutput::Message(Heard::assistant(text)))
}

fn asked() -> TurnInput {
    TurnInput::Output(AgentOutput::PermissionAsked(PermissionRequest {
        request: "r1".to_owned(),
        tool: "Bash".to_owned(),
        meaning: Box::new(ToolNature::Shell.into()),
        input: RawValue::from_string("{}".to_owned()).expect("valid JSON"),
        reason: None,
        plan: None,
        call: None,
    }))
}

/// An effect in one word, so that the table below can be read.
fn word(effect: &Effect) -> String {
    match effect {
        Effect::Keep(_) => "keep".to_owned(),
        Effect::ShowDelta(_) => "show".to_owned(),
        Effect::ShowAnew => "anew".to_owned(),
        Effect::RestartClock => "clock".to_owned(),
        Effect::RestartClockIn(_) => "clock later".to_owned(),
        Effect::Interrupt => "interrupt".to_owned(),
        Effect::Answer { reply: Reply::Deny { .. }, .. } => "deny".to_owned(),
        Effect::Answer { .. } => "allow".to_owned(),
        Effect::Ask(_) => "ask".to_owned(),
        Effect::Withdraw { .. } => "withdraw".to_owned(),
        Effect::Call(_) => "call".to_owned(),
        Effect::Background(_) => "background".to_owned(),
        Effect::Pause(..) => "pause".to_owned(),
        Effect::StopAgent => "stop".to_owned(),
        Effect::End(outcome) => format!("end:{}", outcome.ending.state()),
    }
}

fn check(at: At, input: TurnInput, expected: &str) {
    let label = format!("{at:?} x {input:?}");
    let effects = turn(at).apply(input);
    assert_eq!(effects.iter().map(word).collect::<Vec<_>>().join(" "), expected, "{label}");
}

/// The whole table of state x input.
#[test]
fn every_state_meets_every_input() {
    let exit = || TurnInput::Exited(AgentExit { code: Some(1), signal: None, stderr: String::new() });
    let silent = || TurnInput::Silent { after_ms: 120_000, stderr: "why".to_owned() };
    let delta = || TurnInput::Output(AgentOutput::Delta("x".to_owned()));
    let quiet = || TurnInput::Output(AgentOutput::Heartbeat);
    let withdrawn = || TurnInput::Output(AgentOutput::Withdrawn { request: "r1".to_owned() });
    let ready = || TurnInput::Output(AgentOutput::Ready(Introduction::default()));

    check(At::Running, ready(), "clock");
    check(At::Running, quiet(), "clock");
    check(At::Running, withdrawn(), "clock withdraw");
    check(At::Running, delta(), "clock show");
    check(At::Running, said("hi"), "clock keep");
    check(At::Running, asked(), "clock deny");
    check(At::Running, ended(None, false), "end:completed");
    check(At::Running, ended(Some("no"), false), "end:failed");
    // It was interrupted by somebody else, and its process is about to end.
    check(At::Running, ended(Some("no"), true), "end:failed stop");
    check(At::Running, exit(), "end:terminated");
    check(At::Running, silent(), "end:terminated stop");
    check(At::Running, TurnInput::CancelAsked, "interrupt");
    check(At::Running, TurnInput::CancelIgnored, "end:cancelled stop");
    check(At::Running, TurnInput::StopAsked(WhatStopped::Session), "end:terminated stop");

    check(At::Cancelling, ready(), "clock");
    check(At::Cancelling, quiet(), "clock");
    check(At::Cancelling, withdrawn(), "clock withdraw");
    check(At::Cancelling, delta(), "clock show");
    check(At::Cancelling, said("hi"), "clock keep");
    check(At::Cancelling, asked(), "clock deny");
    // The agent finished before it saw the interrupt: what it did is done, and is not called cancelled.
    check(At::Cancelling, ended(None, false), "end:completed");
    check(At::Cancelling, ended(Some("no"), false), "end:failed");
    check(At::Cancelling, ended(Some("no"), true), "end:cancelled");
    check(At::Cancelling, exit(), "end:cancelled");
    check(At::Cancelling, silent(), "end:cancelled stop");
    check(At::Cancelling, TurnInput::CancelAsked, "");
    check(At::Cancelling, TurnInput::CancelIgnored, "end:cancelled stop");
    check(At::Cancelling, TurnInput::StopAsked(WhatStopped::Session), "end:cancelled stop");

    for late in [ready(), quiet(), withdrawn(), delta(), said("late"), asked(), ended(None, false), exit(), silent()] {
        check(At::Over, late, "");
    }
    check(At::Over, TurnInput::CancelAsked, "");
    check(At::Over, TurnInput::CancelIgnored, "");
    check(At::Over, TurnInput::StopAsked(WhatStopped::Session), "stop");
}

#[test]
fn an_agent_that_dies_leaves_its_words_behind() {
    let mut turn = turn(At::Running);
    turn.apply(said("one"));
    turn.apply(TurnInput::Output(AgentOutput::Delta("tw".to_owned())));
    assert_eq!(turn.partial_text(), "one\ntw");
    let effects = turn.apply(TurnInput::Exited(AgentExit { code: None, signal: Some(9), stderr: "oh".to_owned() }));
    let Some(Effect::End(outcome)) = effects.into_iter().next() else { panic!("the turn must end") };
    assert_eq!(outcome.response, "one\ntw");
    assert_eq!(
        outcome.ending.explain().expect("a reason"),
        "the agent ended before the turn did: killed by signal 9; it last said: oh"
    );
}

/// Whoever watches would read the beginning twice.
#[test]
fn what_was_begun_is_void_when_the_model_is_asked_once_more() {
    let mut turn = turn(At::Running);
    let mut retry = || turn.apply(TurnInput::Output(AgentOutput::Message(Heard::new(MessageType::Retry, None))));
    let words = |effects: Vec<Effect>| effects.iter().map(word).collect::<Vec<_>>().join(" ");
    assert_eq!(words(retry()), "clock keep");
    turn.apply(said("one"));
    turn.apply(TurnInput::Output(AgentOutput::Delta("tw".to_owned())));
    let mut retry = || turn.apply(TurnInput::Output(AgentOutput::Message(Heard::new(MessageType::Retry, None))));
    assert_eq!(words(retry()), "anew clock keep");
    assert_eq!(turn.partial_text(), "one");
}

#[test]
fn a_finished_message_replaces_its_deltas_and_sub_agents_are_not_the_reply() {
    let mut turn = turn(At::Running);
    turn.apply(TurnInput::Output(AgentOutput::Delta("he".to_owned())));
    turn.apply(said("hello"));
    let aside = Heard { parent: Some("toolu_1".to_owned()), ..Heard::assistant("aside") };
    turn.apply(TurnInput::Output(AgentOutput::Message(aside)));
    assert_eq!(turn.partial_text(), "hello");
}

/// It had begun a turn by itself when it was told, and comes to that later.
#[test]
fn what_an_agent_says_aside_is_no_part_of_the_reply() {
    let mut turn = turn(At::Running);
    turn.apply(TurnInput::Output(AgentOutput::Delta("ow".to_owned())));
    let aside = Heard { aside: true, ..Heard::assistant("own words") };
    let effects = turn.apply(TurnInput::Output(AgentOutput::Message(aside)));
    assert_eq!(effects.iter().map(word).collect::<Vec<_>>().join(" "), "anew clock keep");
    assert_eq!(turn.partial_text(), "");
    turn.apply(said("told words"));
    assert_eq!(turn.partial_text(), "told words");
}

#[test]
fn permission_follows_the_team() {
    let answer = |grant| {
        let mut turn = Turn::start(grant);
        turn.apply(asked()).iter().map(word).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(answer(GrantPermission::Yes), "clock allow");
    assert_eq!(answer(GrantPermission::No), "clock deny");
    assert_eq!(answer(GrantPermission::Ask), "clock ask");
    assert_eq!(answer(GrantPermission::Forward), "clock ask");
}

#[test]
fn a_limit_pauses_a_turn_whoever_began_it() {
    let limited = || {
        let limit = Limit { resets_at: Some(1), what: "limit".to_owned() };
        let end = TurnEnd { error: Some("limit".to_owned()), limit: Some(limit), ..TurnEnd::default() };
        TurnInput::Output(AgentOutput::TurnEnded(end))
    };
    let words = |mut turn: Turn| turn.apply(limited()).iter().map(word).collect::<Vec<_>>().join(" ");
    assert_eq!(words(Turn::start(GrantPermission::No)), "pause");
    assert_eq!(words(Turn::start_own(GrantPermission::No)), "pause");
}

#[test]
fn the_end_of_a_turn_the_agent_started_is_not_the_answer_to_a_tell() {
    let end = |own: Option<&str>, answers: &[&str]| TurnEnd {
        own: own.map(str::to_owned),
        answers: answers.iter().map(|&id| id.to_owned()).collect(),
        ..TurnEnd::default()
    };
    let told = Turn::start(GrantPermission::No);
    assert!(told.is_ended_by("t1", &end(None, &[])), "an older agent does not say what it answers");
    assert!(told.is_ended_by("t1", &end(None, &["t1"])));
    assert!(!told.is_ended_by("t1", &end(Some("task-notification"), &[])));
    assert!(told.is_ended_by("t1", &end(Some("task-notification"), &["t1"])), "the message was taken into it");
    assert!(Turn::start_own(GrantPermission::No).is_ended_by("t1", &end(Some("task-notification"), &[])));
}

proptest::proptest! {
    /// Whatever comes in whatever order, a turn ends at most once, and nothing is kept after its end.
    #[test]
    fn a_turn_ends_once(inputs in proptest::collection::vec(0u8..10, 0..40)) {
        let mut turn = Turn::start(GrantPermission::Yes);
        let mut ends = 0;
        for input in inputs {
            let input = match input {
                0 => said("a"),
                1 => TurnInput::Output(AgentOutput::Delta("b".to_owned())),
                2 => asked(),
                3 => ended(None, false),
                4 => ended(Some("x"), true),
                5 => TurnInput::Exited(AgentExit::default()),
                6 => TurnInput::Silent { after_ms: 1, stderr: String::new() },
                7 => TurnInput::CancelAsked,
                8 => TurnInput::CancelIgnored,
                _ => TurnInput::StopAsked(WhatStopped::Session),
            };
            for effect in turn.apply(input) {
                match effect {
                    Effect::End(_) => ends += 1,
                    Effect::StopAgent => {}
                    _ => proptest::prop_assert_eq!(ends, 0, "an effect after the end"),
                }
            }
            proptest::prop_assert!(ends <= 1);
        }
    }
}
