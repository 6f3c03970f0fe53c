//! An event in a few words. A kind that is not known here is shown as it is.

use iris_api::event::Event;
use serde_json::Value;

use crate::moment;

pub fn describe(event: &Event) -> String {
    let body: Value = serde_json::from_str(event.data.get()).unwrap_or_default();
    let text = |key: &str| body[key].as_str().unwrap_or_default().to_owned();
    let number = |key: &str| body[key].as_i64().unwrap_or_default();
    match event.kind.as_str() {
        "message" => message(&body),
        "turn.scheduled" => format!("turn {} is due at {}", number("number"), moment::clock(number("dueMs"))),
        "turn.queued" if body["again"].is_string() => format!("turn {} again: {}", number("number"), text("again")),
        "turn.queued" => match number("position") {
            0 => format!("turn {}", number("number")),
            ahead => format!("turn {}, {ahead} ahead", number("number")),
        },
        "turn.started" => format!("turn {}", number("number")),
        "turn.cancel_asked" | "trust.granted" | "trust.revoked" | "link.made" => format!("by {}", text("by")),
        "token.created" => format!("{} ({})", text("name"), text("credential")),
        "token.revoked" => format!("{}, by {}", text("name"), text("by")),
        "config.applied" => applied(&body),
        "config.refused" => text("why"),
        "daemon.halted" => format!("by {}, {} agents", text("by"), number("agents")),
        "turn.finished" => finished(&body),
        "session.created" => format!("from {}", text("from")),
        "session.waiting" => format!("{}, position {}", text("reason").replace('_', " "), number("position")),
        "session.spawning" => format!("agent {}", number("generation")),
        "session.ready" => match body["pid"].as_i64() {
            Some(pid) => format!("process {pid}"),
            None => format!("agent {}", number("generation")),
        },
        "session.terminating" => text("why").replace('_', " "),
        "session.stopped" => stopped(&body),
        "session.began_anew" => {
            format!("the conversation is lost to the agent: it knows nothing of {} turns before", number("turns"))
        }
        "session.fell_behind" => {
            format!("the agent may know nothing of the {} turns before, which ran at another node", number("turns"))
        }
        "session.cache_cleared" => format!("{} turns forgotten, by {}", number("turns"), text("by")),
        "session.deleted" => format!("from {}, by {}", text("from"), text("by")),
        "question.opened" => format!("{}: {}", text("kind").replace('_', " "), text("text")),
        "question.used" => "the answer given before counted once more, for the same request".to_owned(),
        "question.shown" => "nobody else has answered; it is there for everybody now".to_owned(),
        "question.answered" => format!("by {}", text("by")),
        "question.defaulted" => "nobody answered in time; the default holds".to_owned(),
        "question.expired" => "nobody answered in time".to_owned(),
        "question.cancelled" | "question.limited" => text("why"),
        "question.superseded" => match body["why"].as_str() {
            Some(why) => format!("nobody answered it: {why}"),
            None => format!("by {}", text("by")),
        },
        "question.resumed" => match body["turn"].as_str() {
            Some(_) => "told by a turn".to_owned(),
            None => "told where it asked".to_owned(),
        },
        "job.started" => text("goal"),
        "job.status" => text("status").replace('_', " "),
        "job.ended" => match body["error"].as_str() {
            Some(error) => format!("{}: {error}", text("status")),
            None => text("status"),
        },
        "rule.made" => format!("about the {}, by {}", text("scope"), text("by")),
        "rule.revoked" => format!("by {}", text("by")),
        "daemon.started" | "daemon.stopped" => format!("iris {}", text("version")),
        "daemon.recovered" => format!(
            "interrupted turns: {}, queued again: {}, processes ended: {}",
            number("interrupted"),
            number("requeued"),
            number("processes")
        ),
        "daemon.restored" => format!("a backup; what happened after event {} is not in it", number("head")),
        "daemon.store_healed" => {
            format!("after {}: {}", moment::span(number("lastedMs")), text("trouble"))
        }
        _ => event.data.get().to_owned(),
    }
}

/// The keys that have changed, and which of them are not in force yet.
fn applied(body: &Value) -> String {
    let words = |key: &str| body[key].as_array().into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>();
    let waiting = words("needsRestart");
    let told = |key: &&str| match waiting.contains(key) {
        true => format!("{key} (waits for the next start)"),
        false => (*key).to_owned(),
    };
    words("changed").iter().map(told).collect::<Vec<_>>().join(", ")
}

fn message(body: &Value) -> String {
    let kind = body["type"].as_str().unwrap_or("unknown");
    let inside = if body["parent"].is_string() { " (sub-agent)" } else { "" };
    match body["text"].as_str() {
        Some(text) => format!("{kind}{inside}: {}", text.trim_start()),
        None => format!("{kind}{inside}"),
    }
}

fn finished(body: &Value) -> String {
    let took = moment::span(body["durationMs"].as_i64().unwrap_or_default());
    let ending = body["ending"].as_str().unwrap_or("ended");
    let why = body["error"].as_str().or(body["cause"]["reason"].as_str());
    match why {
        Some(why) => format!("{ending} after {took}: {}", why.replace('_', " ")),
        None => format!("{ending} after {took}"),
    }
}

fn stopped(body: &Value) -> String {
    let why = body["why"].as_str().unwrap_or_default().replace('_', " ");
    if let Some(reason) = body["reason"].as_str() {
        return format!("{why}: {reason}");
    }
    let exit = &body["exit"];
    match (exit["signal"].as_i64(), exit["code"].as_i64()) {
        (Some(signal), _) => format!("{why}, signal {signal}"),
        (None, Some(code)) if code != 0 => format!("{why}, exit code {code}"),
        _ => why,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: &str, data: &str, expected: &str) {
        let data = serde_json::value::RawValue::from_string(data.to_owned()).expect("JSON");
        let event = Event { seq: 1, at: 0, kind: kind.to_owned(), team: None, session: None, turn: None, data };
        assert_eq!(describe(&event), expected);
    }

    #[test]
    fn events_are_told_in_a_few_words() {
        check("message", r#"{"type":"assistant","text":"hi"}"#, "assistant: hi");
        check("message", r#"{"type":"tool_use","text":"Bash","parent":"x"}"#, "tool_use (sub-agent): Bash");
        check("turn.queued", r#"{"number":3,"position":2}"#, "turn 3, 2 ahead");
        check("turn.queued", r#"{"number":3,"position":0,"again":"Iris ended"}"#, "turn 3 again: Iris ended");
        check("turn.finished", r#"{"ending":"completed","durationMs":1200}"#, "completed after 1.2s");
        check("turn.finished", r#"{"ending":"failed","error":"no","durationMs":5}"#, "failed after 5ms: no");
        check(
            "turn.finished",
            r#"{"ending":"terminated","cause":{"reason":"response_timeout"},"durationMs":5}"#,
            "terminated after 5ms: response timeout",
        );
        check("session.stopped", r#"{"why":"exited","exit":{"signal":9}}"#, "exited, signal 9");
        check(
            "session.stopped",
            r#"{"why":"start_failed","exit":null,"reason":"not installed"}"#,
            "start failed: not installed",
        );
        check(
            "session.began_anew",
            r#"{"turns":3}"#,
            "the conversation is lost to the agent: it knows nothing of 3 turns before",
        );
        check(
            "session.fell_behind",
            r#"{"turns":2,"nodes":["a1"]}"#,
            "the agent may know nothing of the 2 turns before, which ran at another node",
        );
        check("question.opened", r#"{"kind":"error_recovery","text":"Retry?"}"#, "error recovery: Retry?");
        check("job.ended", r#"{"status":"failed","error":"nobody answered"}"#, "failed: nobody answered");
        check("config.applied", r#"{"changed":["a.b"],"needsRestart":[]}"#, "a.b");
        check(
            "config.applied",
            r#"{"changed":["settings.port","teams.a"],"needsRestart":["settings.port","database.url"]}"#,
            "settings.port (waits for the next start), teams.a",
        );
        check("something.new", r#"{"a":1}"#, r#"{"a":1}"#);
    }
}
