//! States for tests, made of what the API would say.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use iris_api::event::Event;
use iris_api::question::Question;
use iris_api::session::Session;
use iris_api::status::Status;
use iris_api::team::Team;
use iris_api::turn::{Message, Turn};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Size;
use serde_json::{Value, json};

use super::draw::{self, Colours};
use super::state::State;
use super::wish::{Got, Read, Wish};
use crate::client::follow::Met;

pub const NOW: i64 = 1_700_000_000_000;
pub const NARROW: Size = Size::new(80, 24);
pub const WIDE: Size = Size::new(140, 40);
pub const LEAST: Size = Size::new(40, 10);

pub fn state(size: Size) -> State {
    State::new("http://127.0.0.1:1615".to_owned(), "user".to_owned(), status(json!({})), NOW, size)
}

/// With two teams, three sessions, and questions of every form.
pub fn full(size: Size) -> State {
    let mut state = state(size);
    read_all(&mut state, vec![colour(), push(), review()]);
    state.meet(Ok(Met::Event(Box::new(event(
        900,
        "message",
        "s2",
        "t2",
        json!({"type": "tool_use", "text": "Bash", "calls": [call("c", "Bash", "cargo test --workspace")]}),
    )))));
    let ended = json!({"ending": "failed", "error": "the model is tired", "durationMs": 5, "costUsd": 0.25});
    state.meet(Ok(Met::Event(Box::new(event(901, "turn.finished", "s3", "t3", ended)))));
    state
}

pub fn read_all(state: &mut State, questions: Vec<Question>) {
    let teams = vec![team("backend", 2), team("frontend", 1), team("docs", 0)];
    let sessions = vec![
        session("s1", "backend", "user", json!({"state": "waiting_for_approval", "running": "t1"})),
        session("s2", "backend", "frontend", json!({"state": "processing", "running": "t2", "queued": 2})),
        session("s3", "frontend", "user", json!({"state": "idle"})),
    ];
    state.got(&Read::Questions, Got::Questions(questions));
    state.got(&Read::Status, Got::Status { status: Box::new(status(json!({}))), address: state.address.clone() });
    state.got(&Read::Teams, Got::Teams(teams));
    state.got(&Read::Sessions, Got::Sessions(sessions));
    state.fleet.take_told("s3".to_owned(), 3, "make the button blue");
}

fn merged(mut base: Value, more: Value) -> Value {
    let fields = base.as_object_mut().expect("an object");
    fields.extend(more.as_object().expect("an object").clone());
    base
}

fn made<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    // By its text, as it would come: exact parts are kept as they are written.
    serde_json::from_str(&value.to_string()).expect("a shape of the API")
}

pub fn status(more: Value) -> Status {
    made(&merged(
        json!({
            "version": "0.1.0", "pid": 7, "node": "n", "machine": "m", "home": "/h", "database": "sqlite", "store": {"state": "well"},
            "agents": 3, "maxAgents": 10, "waitingSessions": 0, "newestEvent": 100, "uptimeMs": 5,
            "containment": {"kind": "cgroup", "group": "g"}, "config": {"pending": []},
        }),
        more,
    ))
}

pub fn team(name: &str, sessions: usize) -> Team {
    made(&json!({
        "name": name, "path": format!("/home/ada/{name}"), "agent": "claude", "awake": sessions, "sessions": sessions,
        "queued": 0,
    }))
}

pub fn session(id: &str, team: &str, from: &str, more: Value) -> Session {
    made(&merged(
        json!({
            "id": id, "from": from, "to": team, "state": "idle", "stateEvent": 1204, "stateSince": NOW - 14_000,
            "stateAgeMs": 14_000, "queued": 0, "turns": 3, "createdAt": NOW, "usedAt": NOW - 14_000,
        }),
        more,
    ))
}

pub fn question(id: &str, more: Value) -> Question {
    made(&merged(
        json!({
            "id": id, "kind": "choice", "state": "open", "way": "tool", "blocking": true, "question": "So?",
            "responseType": "choice", "onDeadline": "fail", "team": "backend", "session": "s1", "turn": "t1",
            "openedAt": NOW - 120_000,
        }),
        more,
    ))
}

pub fn colour() -> Question {
    let options = json!([
        {"value": "red", "label": "Red"},
        {"value": "blue", "label": "Blue", "description": "cold, as the rest of the page", "recommended": true},
    ]);
    question(
        "q-colour",
        json!({
            "question": "Which colour shall the button have?", "team": "frontend", "session": "s3", "turn": "t3",
            "context": "The page has two buttons by now.\nOne is red.", "options": options,
            "questions": [{"question": "Which colour shall the button have?", "options": options}],
            "default": {"value": "red"}, "onDeadline": "default", "deadline": NOW + 1_751_000,
        }),
    )
}

pub fn push() -> Question {
    question(
        "q-push",
        json!({
            "question": "May it use Bash?", "kind": "approval", "responseType": "approval", "risk": "high",
            "riskWhy": "it reaches out with push", "deadline": NOW + 751_000,
            "action": {
                "tool": "Bash", "input": {"command": "git push origin main"}, "folder": "/home/ada/backend",
                "meaning": {"nature": "shell", "about": "git push origin main"},
                "shown": "command: git push origin main\ndescription: publish it", "digest": "9f2c81d0a4b1c7e3ff",
                "reason": "it is not allowed by itself",
            },
            "suggestion": {"answer": {"value": true}, "times": 2, "of": 3, "lastBy": "user", "lastAt": 0},
        }),
    )
}

pub fn review() -> Question {
    let more =
        json!({"question": "Is the API fine?", "askedOf": "frontend", "responseType": "text", "blocking": false});
    question("q-review", more)
}

pub fn event(seq: i64, kind: &str, session: &str, turn: &str, data: Value) -> Event {
    made(&json!({
        "seq": seq, "at": NOW - 1000, "kind": kind, "team": "backend", "session": session, "turn": turn, "data": data,
    }))
}

pub fn turn(number: i64, state: &str, message: &str) -> Turn {
    let over = matches!(state, "completed" | "failed");
    made(&json!({
        "id": format!("t{number}"), "sessionId": "s1", "number": number, "state": state, "message": message,
        "attempts": 1, "acceptedAt": NOW - 60_000, "startedAt": NOW - 59_000,
        "finishedAt": over.then_some(NOW - 20_000), "durationMs": over.then_some(39_000), "error": (state == "failed").then_some("the model is tired"),
        "usage": over.then(|| json!({
            "inputTokens": 1, "outputTokens": 1, "cacheReadTokens": 0, "cacheWriteTokens": 0, "costUsd": 0.0312,
        })),
    }))
}

pub fn message(seq: i64, kind: &str, text: &str) -> Message {
    made(&json!({"seq": seq, "at": NOW, "type": kind, "text": text}))
}

pub fn call(id: &str, name: &str, about: &str) -> Value {
    json!({"id": id, "name": name, "input": {}, "meaning": {"nature": "unknown", "about": about}})
}

pub fn called(seq: i64, id: &str, name: &str, about: &str) -> Message {
    made(&json!({"seq": seq, "at": NOW, "type": "tool_use", "text": name, "calls": [call(id, name, about)]}))
}

pub fn came_back(seq: i64, id: &str, text: &str, is_error: bool) -> Message {
    let results = json!([{"call": id, "isError": is_error}]);
    made(&json!({"seq": seq, "at": NOW, "type": "tool_result", "text": text, "results": results}))
}

pub fn press(state: &mut State, keys: &str) -> Vec<Wish> {
    let code = |c| match c {
        '\n' => KeyCode::Enter,
        '\t' => KeyCode::Tab,
        '\u{1b}' => KeyCode::Esc,
        c => KeyCode::Char(c),
    };
    keys.chars().flat_map(|c| state.press(KeyEvent::new(code(c), KeyModifiers::NONE))).collect()
}

pub fn press_code(state: &mut State, code: KeyCode) -> Vec<Wish> {
    state.press(KeyEvent::new(code, KeyModifiers::NONE))
}

pub fn cells(state: &State, colours: Colours) -> Buffer {
    let backend = TestBackend::new(state.size.width, state.size.height);
    let mut terminal = Terminal::new(backend).expect("a test backend cannot fail");
    terminal.draw(|frame| draw::draw(frame, state, colours)).expect("a test backend cannot fail");
    terminal.backend().buffer().clone()
}

/// The screen as text. What stands behind a wide character is not a cell of its own.
pub fn seen(state: &State) -> String {
    let buffer = cells(state, Colours::Sixteen);
    let line = |y| {
        let (mut line, mut x) = (String::new(), 0);
        while x < state.size.width {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += u16::try_from(super::text::cells(symbol).max(1)).expect("a cell is narrow");
        }
        line.trim_end().to_owned()
    };
    (0..state.size.height).map(line).collect::<Vec<_>>().join("\n")
}

/// Times of the day differ from place to place.
pub fn check(name: &str, state: &State) {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [A-Z0-9+-]+", "DATE HH:MM:SS ZONE");
    settings.bind(|| insta::assert_snapshot!(name, seen(state)));
}
