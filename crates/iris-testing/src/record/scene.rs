//! The scenes: what is told, how what is asked is answered, and when to interrupt.

use serde_json::{Value, json};

pub struct Scene {
    pub name: &'static str,
    /// Told one after the other, each when the one before has ended.
    pub tells: fn() -> Vec<String>,
    pub leave: Leave,
    pub interrupt: Interrupt,
    /// How many turns end: also those that the agent begins by itself.
    pub ends: usize,
    pub text: Text,
}

/// What a request for leave is answered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Leave {
    Given,
    Refused,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Interrupt {
    Never,
    /// When the first words of an answer are seen.
    AtFirstWords,
}

/// Whether a text that begins with `/` is a text, as Iris always says, or a command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Text {
    Composed,
    Command,
}

pub const SCENES: &[Scene] = &[
    Scene { tells: || vec![model(json!([{"text": "at your service"}]))], ..scene("one-tell") },
    Scene {
        tells: || vec![model(json!([{"thinking": "hm", "text": "first"}])), model(json!([{"text": "second"}]))],
        ends: 2,
        ..scene("two-turns")
    },
    Scene { tells: || vec![model(json!([bash("echo made"), {"text": "made it"}]))], ..scene("tool") },
    Scene {
        tells: || {
            let calls = json!([{"tool": "mcp__iris__team_getTeamName", "input": {}}, {"text": "that is me"}]);
            vec![model(calls)]
        },
        ..scene("own-tool")
    },
    Scene {
        tells: || {
            let inner = model(json!([bash("echo deep"), {"text": "sub report"}]));
            vec![model(json!([delegate(&inner, false), {"text": "all done"}]))]
        },
        ..scene("sub-agent")
    },
    Scene {
        tells: || {
            let inner = model(json!([bash("python3 -c 'import time; time.sleep(1)'"), {"text": "dug"}]));
            vec![model(json!([delegate(&inner, true), {"text": "it is running"}, {"text": "it has ended"}]))]
        },
        ends: 2,
        ..scene("background")
    },
    Scene { tells: || vec![model(json!([bash("touch given.txt"), {"text": "done"}]))], ..scene("leave-given") },
    Scene {
        tells: || vec![model(json!([bash("touch refused.txt"), {"text": "then not"}]))],
        leave: Leave::Refused,
        ..scene("leave-refused")
    },
    Scene { tells: || vec![model(json!([ask(), {"text": "as you wish"}]))], ..scene("question") },
    Scene {
        tells: || vec![model(json!([{"slow_ms": 250, "text": "one two three four five six seven eight nine ten"}]))],
        interrupt: Interrupt::AtFirstWords,
        ..scene("interrupt")
    },
    Scene { tells: || vec![model(json!([{"http": 529, "times": 1}, {"text": "recovered"}]))], ..scene("overloaded") },
    Scene { tells: || vec![model(json!([{"http": 401}]))], ..scene("unauthorised") },
    Scene { tells: || vec![model(json!([{"cut": true, "times": 1}, {"text": "whole again"}]))], ..scene("cut") },
    Scene {
        tells: || {
            // Older versions have nothing to shorten in a conversation of one turn.
            let said = |text: &str| model(json!([{"text": text}, {"text": "a summary"}]));
            vec![said("one"), said("two"), said("three"), "/compact".to_owned(), said("after")]
        },
        ends: 5,
        text: Text::Command,
        ..scene("compaction")
    },
];

/// What most scenes are like.
const fn scene(name: &'static str) -> Scene {
    Scene { name, tells: Vec::new, leave: Leave::Given, interrupt: Interrupt::Never, ends: 1, text: Text::Composed }
}

fn model(script: Value) -> String {
    format!("MODEL{script}")
}

fn bash(command: &str) -> Value {
    json!({"tool": "Bash", "input": {"command": command}})
}

fn delegate(prompt: &str, in_background: bool) -> Value {
    json!({"tool": "Agent", "input": {"description": "dig", "prompt": prompt, "subagent_type": "general-purpose",
                                      "run_in_background": in_background}})
}

fn ask() -> Value {
    json!({"tool": "AskUserQuestion", "input": {"questions": [{
        "question": "Which colour?", "header": "Colour", "multiSelect": false,
        "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]
    }]}})
}
