//! What is on the screen, kept as pictures.

use std::time::Duration;

use iris_api::question::Question;
use ratatui::layout::Size;
use ratatui::style::{Color, Modifier};
use serde_json::{Value, json};

use super::draw::{self, Colours};
use super::stage::{
    LEAST, NARROW, NOW, WIDE, called, came_back, cells, check, colour, event, full, message, press, press_code, push,
    question, read_all, seen, session, state, status, turn,
};
use super::state::{Link, State};
use super::wish::{Got, Page, Part, Piece, Read, Wish};
use crate::client::follow::Met;
use crossterm::event::KeyCode;

#[test]
fn nothing_yet() {
    check("not_read_yet", &state(NARROW));
    let mut empty = state(NARROW);
    empty.got(&Read::Questions, Got::Questions(Vec::new()));
    empty.got(&Read::Sessions, Got::Sessions(Vec::new()));
    check("empty_inbox", &empty);
    press(&mut empty, "f");
    check("empty_fleet", &empty);
}

#[test]
fn the_inbox() {
    check("inbox_narrow", &full(NARROW));
    check("inbox_wide", &full(WIDE));
    check("inbox_least", &full(LEAST));
    let mut state = full(NARROW);
    press(&mut state, "j");
    check("inbox_second", &state);
    press(&mut state, "r");
    press(&mut state, "green, please");
    check("inbox_reply", &state);
}

/// Another one answers what somebody writes to.
fn written_to_and_closed(size: Size) -> State {
    let mut state = full(size);
    press(&mut state, "rnot before the release");
    let wishes = state.got(&Read::Questions, Got::Questions(vec![colour()]));
    assert!(matches!(&wishes[..], [Wish::Read(Read::Question(id))] if id == "q-push"), "{wishes:?}");
    state
}

#[test]
fn what_is_written_to_stays_and_says_who_closed_it() {
    let mut state = written_to_and_closed(NARROW);
    let screen = seen(&state);
    assert!(screen.contains("\nalready closed\nRun `git push origin main`?"), "{screen}");
    assert!(!screen.contains("Enter sends") && !screen.contains("1. yes"), "{screen}");
    let closed = Question {
        state: "answered".to_owned(),
        closed_by: Some("ada".to_owned()),
        closed_at: Some(NOW - 1000),
        ..push()
    };
    state.got(&Read::Question("q-push".to_owned()), Got::Question(Box::new(closed.clone())));
    check("inbox_reply_closed", &state);
    press(&mut state, "\n");
    assert!(seen(&state).contains("they cannot be sent: already answered by ada at"), "{}", seen(&state));
    press(&mut state, "\u{1b}");
    assert!(seen(&state).contains("Which colour shall the button have?\nfrontend for user asks"), "{}", seen(&state));

    // Also where nothing else is asked, where there is hardly any room, and in a conversation.
    let mut least = written_to_and_closed(LEAST);
    least.got(&Read::Question("q-push".to_owned()), Got::Question(Box::new(closed.clone())));
    least.got(&Read::Questions, Got::Questions(Vec::new()));
    let screen = seen(&least);
    assert!(screen.contains("already answered by ada at") && !screen.contains("Nobody needs you"), "{screen}");
    let mut session = talking(NARROW);
    press(&mut session, "rnot before the release");
    session.got(&Read::Questions, Got::Questions(vec![Question { session: "s1".to_owned(), ..colour() }]));
    session.got(&Read::Question("q-push".to_owned()), Got::Question(Box::new(closed)));
    let screen = seen(&session);
    assert!(screen.contains("-- it asked ---") && screen.contains("already answered by ada at"), "{screen}");
    assert!(screen.contains("say no to backend") && !screen.contains("Which colour"), "{screen}");
}

#[test]
fn the_fleet() {
    let mut narrow = full(NARROW);
    press(&mut narrow, "\tjj");
    check("fleet_narrow", &narrow);
    let mut least = full(LEAST);
    press(&mut least, "fjj");
    check("fleet_least", &least);
    let mut wide = full(WIDE);
    press(&mut wide, "f");
    let troubled = status(json!({
        "store": {"state": "troubled", "what": "the disk is full", "hint": "make room", "since": 1}, "waitingSessions": 4,
    }));
    let address = wide.address.clone();
    wide.got(&Read::Status, Got::Status { status: Box::new(troubled), address });
    let held = json!({"heldUntil": NOW + 60_000, "heldWhy": "the limit of the day is reached"});
    wide.got(&Read::Session("s3".to_owned()), Got::Session(Box::new(session("s3", "frontend", "user", held))));
    let orphan = session("s9", "gone", "user", json!({"state": "stopped"}));
    wide.got(&Read::Session("s9".to_owned()), Got::Session(Box::new(orphan)));
    check("fleet_wide_with_problems", &wide);
}

/// The row of a session in the fleet, at this width.
fn row(width: u16, more: Value, questions: Vec<Question>) -> String {
    let mut state = state(Size::new(width, 24));
    read_all(&mut state, questions);
    state.got(&Read::Sessions, Got::Sessions(vec![session("s1", "backend", "user", more)]));
    press(&mut state, "f");
    let screen = seen(&state);
    let found = screen.lines().skip_while(|line| !line.starts_with(" backend")).nth(1);
    found.map(str::to_owned).unwrap_or_else(|| panic!("{screen}"))
}

#[test]
fn only_what_an_agent_waits_for_needs_you() {
    let mut asked = colour();
    asked.session = "s1".to_owned();
    let working =
        || json!({"state": "processing", "running": "t1", "last": {"kind": "tool_use", "text": "Bash: ls", "at": 1}});
    let said = row(80, working(), vec![asked.clone()]);
    assert!(said.contains("NEEDS YOU      2m") && said.contains("Which colour"), "since it asks: {said}");
    asked.blocking = false;
    let said = row(80, working(), vec![asked]);
    assert!(said.starts_with(" ? working       14s #1204") && said.ends_with("Bash: ls"), "{said}");
}

#[test]
fn a_state_says_what_it_comes_from() {
    let stopped =
        || json!({"state": "stopped", "stateSource": {"seq": 1204, "kind": "session.stopped", "cause": "evicted"}});
    assert!(row(80, stopped(), Vec::new()).ends_with("#1204   user          evicted"));
    assert!(row(140, stopped(), Vec::new()).contains("14s evicted #1204"));
    let ended = |cause: &str| json!({"stateSource": {"seq": 1204, "kind": "turn.finished", "cause": cause}});
    assert!(row(140, ended("completed"), Vec::new()).contains("turn finished #1204"));
    assert!(row(140, ended("failed"), Vec::new()).contains("turn failed #1204"));
}

/// From the daemon, so that it is known at once; and from what comes in since.
#[test]
fn who_is_quiet_is_known_from_the_daemon() {
    let mut state = state(NARROW);
    read_all(&mut state, Vec::new());
    press(&mut state, "f");
    let read = |state: &mut State, silent: Option<i64>| {
        let at_work = json!({"state": "processing", "running": "t2", "silentMs": silent});
        let got = Got::Session(Box::new(session("s2", "backend", "frontend", at_work)));
        state.got(&Read::Session("s2".to_owned()), got);
        seen(state).contains("backend for frontend is at work and has been quiet for")
    };
    assert!(!read(&mut state, Some(9_000)) && !seen(&state).contains("silent"));
    assert_eq!(state.fleet.to_ask_about(NOW + 3_000), [], "the daemon was just asked");
    assert_eq!(state.fleet.to_ask_about(NOW + 5_000), [Read::Session("s2".to_owned())]);
    // Its line says it long before that is a problem.
    assert!(!read(&mut state, Some(59_000)) && seen(&state).contains("silent for 59s"), "{}", seen(&state));
    assert!(read(&mut state, Some(61_000)));
    assert!(!read(&mut state, None) && !seen(&state).contains("silent"), "it waits for somebody");
    assert!(read(&mut state, Some(61_000)));
    state.meet(Ok(Met::Event(Box::new(event(900, "message", "s2", "t2", json!({"type": "system"}))))));
    assert!(!read(&mut state, Some(61_000)), "it was heard of a second ago");
    state.tick(NOW + 60_000);
    assert!(seen(&state).contains("quiet for 1m"));
    let delta = json!({"team": "backend", "session": "s2", "turn": "t2", "text": "I am"});
    state.meet(Ok(Met::Delta(serde_json::from_value(delta).expect("a delta"))));
    assert!(!seen(&state).contains("quiet"), "it writes");
}

/// A build takes its time: that is no alarm, and after a while a calm word.
#[test]
fn who_waits_for_a_tool_is_not_quiet() {
    let mut state = state(NARROW);
    read_all(&mut state, Vec::new());
    press(&mut state, "f");
    let read = |state: &mut State, silent: i64, kind: &str| {
        let last = json!({"kind": kind, "text": "Bash make", "at": NOW - silent});
        let at_work = json!({"state": "processing", "running": "t2", "silentMs": silent, "last": last});
        let got = Got::Session(Box::new(session("s2", "backend", "frontend", at_work)));
        state.got(&Read::Session("s2".to_owned()), got);
        seen(state)
    };
    let shown = read(&mut state, 61_000, "assistant");
    assert!(shown.contains("has been quiet for 1m") && shown.contains("silent for 1m: Bash make"), "{shown}");
    let shown = read(&mut state, 4 * 60_000, "tool_use");
    assert!(!shown.contains("quiet") && !shown.contains("waited") && !shown.contains("silent"), "{shown}");
    assert!(read(&mut state, 6 * 60_000, "tool_use").contains("backend for frontend has waited for a tool for 6m"));
    assert!(read(&mut state, 6 * 60_000, "tool_result").contains("has been quiet for 6m"));
}

/// A restart under nine turns is one thing that went wrong.
#[test]
fn what_is_wrong_in_the_same_way_is_one_line() {
    let mut state = state(WIDE);
    read_all(&mut state, Vec::new());
    press(&mut state, "f");
    let ended = |error: &str| json!({"ending": "failed", "error": error, "costUsd": 0.0});
    let sessions = (0..9).map(|number| session(&format!("r{number}"), "backend", &format!("p{number}"), json!({})));
    let failed = session("r9", "backend", "p9", json!({}));
    state.got(&Read::Sessions, Got::Sessions(sessions.chain([failed]).collect()));
    for number in 0..9 {
        let end = event(900 + number, "turn.finished", &format!("r{number}"), "t", ended("iris was restarted"));
        state.meet(Ok(Met::Event(Box::new(end))));
    }
    let end = event(910, "turn.finished", "r9", "t", ended("the model would not"));
    state.meet(Ok(Met::Event(Box::new(end))));
    let shown = seen(&state);
    assert!(shown.contains("failed: iris was restarted: 9 turns"), "{shown}");
    assert!(shown.contains("backend for p9: the last turn failed") && !shown.contains("more"), "{shown}");
}

#[test]
fn no_row_is_wider_than_the_screen_and_each_says_what_is_asked() {
    for width in 40..110 {
        let mut state = full(Size::new(width, 24));
        let screen = seen(&state);
        let row = screen.lines().find(|line| line.starts_with("!   2m backend")).expect("a row");
        assert!(row.contains("Run `git push") && row.ends_with("12m"), "{row}");
        press(&mut state, "f");
        let screen = seen(&state);
        let row = screen.lines().find(|line| line.contains("NEEDS YOU")).expect("a row");
        assert!(row.contains("2m ") && row.contains("Run `git push"), "{row}");
    }
}

#[test]
fn what_the_daemon_counted_is_shown_and_what_ends_after_that_is_added_once() {
    let mut state = full(NARROW);
    press(&mut state, "f");
    let last = json!({"turn": "t9", "at": NOW - 60_000, "ending": "terminated", "reason": "exited"});
    let counted = json!({
        "since": crate::moment::midnight(NOW), "event": 950, "ended": 8, "bad": 3, "costUsd": 0.06, "slots": [],
        "sessions": [{"session": "s2", "team": "backend", "ended": 8, "bad": 3, "costUsd": 0.06},
            {"session": "s3", "team": "frontend", "ended": 0, "bad": 0, "costUsd": 0.0, "last": last}],
    });
    state.got(&Read::Ends, Got::Ends(serde_json::from_value(counted).expect("figures")));
    assert!(seen(&state).contains("$0.06 today"), "{}", seen(&state));
    assert!(seen(&state).contains("frontend for user: the last turn ended early"), "{}", seen(&state));
    let ended = || json!({"ending": "completed", "durationMs": 5, "costUsd": 0.25});
    for seq in [950, 951, 951] {
        state.meet(Ok(Met::Event(Box::new(event(seq, "turn.finished", "s3", "t3", ended())))));
    }
    assert!(seen(&state).contains("$0.31 today"), "{}", seen(&state));
    assert!(!seen(&state).contains("ended early"), "{}", seen(&state));
    state.got(&Read::Decided, Got::Decided { since: crate::moment::midnight(NOW), count: 4 });
    press(&mut state, "i");
    assert!(seen(&state).contains("decided today: 4"), "{}", seen(&state));
}

#[test]
fn what_is_wrong_with_a_job_is_seen_in_a_small_terminal() {
    let mut state = full(NARROW);
    press(&mut state, "f");
    let from = "job-0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    state.got(&Read::Session("s9".to_owned()), Got::Session(Box::new(session("s9", "backend", from, json!({})))));
    let ended = json!({"ending": "failed", "error": "the model is tired", "durationMs": 5, "costUsd": 0});
    state.meet(Ok(Met::Event(Box::new(event(951, "turn.finished", "s9", "t9", ended)))));
    assert!(seen(&state).contains("backend for job …4a5b: the last turn failed"), "{}", seen(&state));
    assert!(seen(&state).contains("the model is tired"), "{}", seen(&state));
}

/// A session with a turn that is over and one that runs.
fn talking(size: Size) -> State {
    let mut state = full(size);
    press(&mut state, "\n");
    let said = vec![
        message(11, "thinking", "What do the tests say?\nLet me see."),
        message(12, "assistant", "I run the tests."),
        called(13, "c1", "Bash", "cargo test"),
        came_back(14, "c1", "12 passed\nin 3 s", false),
        called(15, "c2", "Read", "/etc/shadow"),
        came_back(16, "c2", "not allowed", true),
        message(17, "assistant", "They pass: all of them, and quickly, so that there is nothing left to do but this."),
    ];
    let parts = vec![
        Part { turn: turn(1, "completed", "run the tests"), messages: said },
        Part { turn: turn(2, "running", "and publish it"), messages: vec![message(31, "assistant", "Right.")] },
    ];
    let read = Read::Page { session: "s1".to_owned(), page: Page::Newest };
    let piece = Piece { parts, ..Piece::default() };
    state.got(&read, Got::Page { session: "s1".to_owned(), page: Page::Newest, piece });
    state
}

#[test]
fn a_session() {
    check("session_narrow", &talking(NARROW));
    check("session_wide", &talking(WIDE));
    let mut state = talking(Size::new(80, 60));
    state.got(&Read::Questions, Got::Questions(Vec::new()));
    let delta = json!({"team": "backend", "session": "s1", "turn": "t2", "text": "I am just writ"});
    state.meet(Ok(Met::Delta(serde_json::from_value(delta).expect("a delta"))));
    check("session_writing", &state);
    let whole = json!({"type": "assistant", "text": "I am just writing."});
    state.meet(Ok(Met::Event(Box::new(event(40, "message", "s1", "t2", whole)))));
    let call = json!({"type": "tool_use", "text": "Bash", "calls": [{"id": "c3", "name": "Bash", "input": {}, "meaning": {"nature": "shell", "about": "make publish"}}]});
    state.meet(Ok(Met::Event(Box::new(event(41, "message", "s1", "t2", call)))));
    assert!(seen(&state).contains("* Bash: make publish  …"));
    state.got(&Read::Turn("t2".to_owned()), Got::Turn(Box::new(turn(2, "failed", "and publish it"))));
    check("session_failed", &state);
}

#[test]
fn help_and_questions_of_our_own() {
    let mut state = full(NARROW);
    press(&mut state, "?");
    check("help", &state);
    press(&mut state, "\u{1b}y");
    check("confirm_risky", &state);
    check("too_small", &full(Size::new(30, 8)));
}

#[test]
fn the_first_line_says_how_things_are_however_narrow_it_is() {
    let first = |state: &State| seen(state).lines().next().map(str::to_owned).expect("a line");
    let mut small = full(Size::new(40, 10));
    small.address = "https://iris.somewhere.example:1615".to_owned();
    let said = first(&small);
    assert!(said.contains("live") && said.contains("need you") && !said.contains("example"), "{said}");
    small.link = Link::Lost { since: NOW - 65_000, why: None };
    let said = first(&small);
    assert!(said.contains("CONNECTION LOST") && said.contains("need you"), "{said}");
    let mut wide = full(WIDE);
    wide.address = small.address;
    assert!(first(&wide).contains("live") && first(&wide).contains("iris.somewhere.example:1615"));
}

#[test]
fn a_long_list_scrolls_with_the_chosen_one() {
    let mut state = state(NARROW);
    let many =
        (0..50).map(|n| question(&format!("q{n:02}"), json!({"question": format!("Question {n}?"), "openedAt": n})));
    read_all(&mut state, many.collect());
    press(&mut state, &"j".repeat(30));
    check("inbox_long", &state);
    press(&mut state, "G");
    assert!(seen(&state).contains("Question 49?"));
    assert!(!seen(&state).contains("Question 30?"));
    let sessions =
        (0..200).map(|n| session(&format!("s{n:03}"), "backend", &format!("party{n}"), json!({"usedAt": -n})));
    state.got(&Read::Sessions, Got::Sessions(sessions.collect()));
    press(&mut state, "f");
    assert!(seen(&state).contains("  … 185 more"), "the list goes on: {}", seen(&state));
    press(&mut state, &"j".repeat(100));
    check("fleet_long", &state);
}

/// All their ids begin with the same time.
#[test]
fn jobs_are_told_apart_by_the_end_of_their_ids() {
    let mut state = state(NARROW);
    read_all(&mut state, vec![]);
    let of =
        |id: &str, end: &str| session(id, "backend", &format!("job-0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f{end}"), json!({}));
    state.got(&Read::Sessions, Got::Sessions(vec![of("s1", "4a5b"), of("s2", "6c7d")]));
    press(&mut state, "f");
    assert!(seen(&state).contains("job …4a5b") && seen(&state).contains("job …6c7d"), "{}", seen(&state));
    press(&mut state, "j\n");
    assert!(seen(&state).contains("Session: backend for job …"), "{}", seen(&state));
}

#[test]
fn a_long_action_can_be_read_whole() {
    // Also where there is hardly any room.
    for size in [LEAST, NARROW] {
        read_whole(size);
    }
}

fn read_whole(size: Size) {
    let mut state = state(size);
    let shown: Vec<String> = (1..=60).map(|n| format!("line {n} of the script")).collect();
    let mut long = push();
    long.action.iter_mut().for_each(|action| action.shown = shown.join("\n"));
    read_all(&mut state, vec![long]);
    if size == NARROW {
        check("action_beginning", &state);
    }
    let mut read = seen(&state);
    for _ in 0..40 {
        press_code(&mut state, KeyCode::PageDown);
        read.push_str(&seen(&state));
    }
    assert!(shown.iter().all(|line| read.contains(line)), "no line of it is left out");
    assert_eq!(draw::inbox::unseen(&state), 0);
    if size == NARROW {
        check("action_end", &state);
    }
}

#[test]
fn hostile_text_is_harmless_everywhere() {
    let evil = "\u{1b}[31mred\u{1b}[2J\u{7} \u{202e}txt.exe\u{200b} 日本語日本語日本語 👩\u{200d}💻\n\tnext\r line ";
    let evil = format!("{evil}{} e\u{301}\u{301}\u{301}\u{301}\u{301}", "x".repeat(200));
    let mut state = state(NARROW);
    let mut asked = push();
    asked.question.clone_from(&evil);
    asked.context = Some(evil.clone());
    asked.team.clone_from(&evil);
    asked.action.iter_mut().for_each(|action| {
        action.shown.clone_from(&evil);
        action.meaning.about = Some(evil.clone());
    });
    let mut choice = colour();
    choice.questions[0].options[0].label.clone_from(&evil);
    read_all(&mut state, vec![asked, choice]);
    let named = session("s1", "backend", &evil, json!({}));
    state.got(&Read::Session("s1".to_owned()), Got::Session(Box::new(named)));
    state.fleet.take_told("s3".to_owned(), 9, &evil);
    state.fleet.teams[0].description = Some(evil.clone());
    state.say(crate::printer::Tone::Bad, evil.clone());
    check("hostile_inbox", &state);
    harmless(&state);
    press(&mut state, "j");
    harmless(&state);
    press(&mut state, "f");
    check("hostile_fleet", &state);
    harmless(&state);
    press(&mut state, "j\n");
    let said = vec![message(11, "assistant", &evil), message(12, "garbage", &evil)];
    let parts = vec![Part { turn: turn(1, "completed", &evil), messages: said }];
    let read = Read::Page { session: "s1".to_owned(), page: Page::Newest };
    let piece = Piece { parts, ..Piece::default() };
    state.got(&read, Got::Page { session: "s1".to_owned(), page: Page::Newest, piece });
    check("hostile_session", &state);
    harmless(&state);
    press(&mut state, "t");
    state.paste(&evil);
    harmless(&state);
}

fn harmless(state: &State) {
    for cell in cells(state, Colours::Sixteen).content() {
        // Between two pictures a joiner makes one of them, and nothing else gets through.
        let acts = |sign: char| sign != '\u{200d}' && iris_core::visible::acts(sign);
        assert!(!cell.symbol().chars().any(acts), "{:?}", cell.symbol());
        assert!(cell.symbol().chars().count() <= 3, "{:?}", cell.symbol());
    }
}

#[test]
fn a_lost_connection_is_shown_at_once_and_nothing_looks_fresh() {
    let mut state = full(NARROW);
    press(&mut state, "f");
    let green = |state: &State| cells(state, Colours::Sixteen).content().iter().any(|cell| cell.fg != Color::Reset);
    assert!(green(&state));
    state.meet(Ok(Met::Cut { unheard: Duration::ZERO }));
    state.tick(NOW + 65_000);
    check("lost", &state);
    let buffer = cells(&state, Colours::Sixteen);
    for at in draw::body(state.size).positions() {
        let cell = &buffer[at];
        assert!(cell.fg == Color::Reset && cell.modifier.contains(Modifier::DIM), "{at:?} looks fresh");
    }
    let wishes = state.meet(Ok(Met::Back));
    assert!(wishes.len() >= 4, "everything is read anew");
    assert_ne!(state.link, Link::Live, "not before it has been read");
    read_all(&mut state, vec![colour()]);
    assert_eq!(state.link, Link::Live);
    assert!(green(&state));
    check("healed", &state);
}

#[test]
fn of_what_was_not_heard_nothing_is_claimed() {
    let mut state = state(NARROW);
    read_all(&mut state, Vec::new());
    state.meet(Ok(Met::Cut { unheard: Duration::from_secs(20) }));
    state.tick(NOW + 2000);
    let screen = seen(&state);
    assert!(
        screen.contains("CONNECTION LOST 22s ago"),
        "since it was heard last, and not since that was noticed: {screen}"
    );
    assert!(screen.contains("Nobody needed you at") && screen.contains("Nothing is known since"), "{screen}");
    assert!(!screen.contains("Nobody needs you") && !screen.contains("0 need you"), "{screen}");
    state.meet(Ok(Met::Back));
    assert!(!seen(&state).contains("Nobody needs you"), "not before it was read");
    read_all(&mut state, Vec::new());
    assert!(seen(&state).contains("Nobody needs you"));
}

#[test]
fn without_colour_everything_can_still_be_read() {
    let state = full(NARROW);
    let pale = cells(&state, Colours::None);
    assert!(pale.content().iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset));
    let text =
        |colours| cells(&state, colours).content().iter().map(|cell| cell.symbol().to_owned()).collect::<String>();
    assert_eq!(text(Colours::None), text(Colours::Sixteen));
}
