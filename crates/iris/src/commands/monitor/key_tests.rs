//! What keys do.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Size;
use serde_json::{Value, json};

use super::draw;
use super::stage::{
    NARROW, NOW, colour, event, full, message, press, press_code, push, question, read_all, seen, state, status, turn,
};
use super::state::session::KEPT;
use super::state::{Mode, State, View};
use super::wish::{Act, Got, Page, Part, Piece, Read, Wish};
use crate::client::follow::Met;

fn answers(wishes: &[Wish]) -> Vec<(String, Value, Option<String>)> {
    let answer = |wish: &Wish| match wish {
        Wish::Act(Act::Answer { id, digest, response, .. }) => {
            Some((id.clone(), response.value.clone(), digest.clone()))
        }
        _ => None,
    };
    wishes.iter().filter_map(answer).collect()
}

fn digest() -> Option<String> {
    push().action.map(|action| action.digest)
}

#[test]
fn a_number_answers_the_chosen_question_once() {
    let mut state = full(NARROW);
    press(&mut state, "j");
    assert_eq!(answers(&press(&mut state, "7")), [], "there is no such option");
    assert_eq!(answers(&press(&mut state, "2")), [("q-colour".to_owned(), "blue".into(), None)]);
    assert_eq!(answers(&press(&mut state, "1")), [], "its answer is on its way");
    let answered = answer_of("q-colour", &json!("blue"), None);
    state.acted(&answered, Err("too late: already answered by ada at 14:02:11".to_owned()));
    assert!(seen(&state).contains("too late: already answered by ada at"));
}

fn answer_of(id: &str, value: &Value, typed: Option<&str>) -> Act {
    Act::Answer { id: id.to_owned(), digest: None, response: response(value), typed: typed.map(str::to_owned) }
}

fn response(value: &Value) -> iris_api::question::Response {
    serde_json::from_value(json!({ "value": value })).expect("a response")
}

#[test]
fn a_risky_yes_is_asked_for_twice_and_a_no_is_not() {
    let mut state = full(NARROW);
    assert_eq!(answers(&press(&mut state, "n")), [("q-push".to_owned(), false.into(), digest())]);
    let mut state = full(NARROW);
    assert_eq!(answers(&press(&mut state, "y")), []);
    assert_eq!(answers(&press(&mut state, "x")), [], "any other key leaves it");
    assert_eq!(answers(&press(&mut state, "1")), [], "and then it begins anew");
    assert_eq!(answers(&press(&mut state, "\n")), [("q-push".to_owned(), true.into(), digest())]);
    let mut low = push();
    low.risk = Some("low".to_owned());
    state.inbox.sending.clear();
    read_all(&mut state, vec![low]);
    state.tick(NOW + 5000);
    assert_eq!(answers(&press(&mut state, "y")).len(), 1);
}

#[test]
fn a_yes_to_what_cannot_be_known_is_asked_for_twice() {
    for (way, is_in_words) in [("tool", true), ("plan", false)] {
        let mut state = state(NARROW);
        let mut asked = push();
        asked.risk = Some("medium".to_owned());
        asked.way = way.to_owned();
        asked.action = asked.action.filter(|_| !is_in_words);
        read_all(&mut state, vec![asked]);
        assert_eq!(answers(&press(&mut state, "y")), [], "{way}");
        assert!(seen(&state).contains("cannot be known"), "{}", seen(&state));
        assert_eq!(answers(&press(&mut state, "\n")).len(), 1, "{way}");
    }
}

/// Holds `y` down: the first comes at once, the second after the delay, the others thirty times a second. No terminal says
/// that it is held. Gives what was answered, and when the last one came.
fn hold(state: &mut State, from: i64, delay: i64) -> (Vec<String>, i64) {
    let moments: Vec<i64> = std::iter::once(0).chain((0..90).map(|times| delay + times * 30)).collect();
    let mut given = Vec::new();
    for moment in &moments {
        state.tick(from + moment);
        for (id, _, _) in answers(&press(state, "y")) {
            // As soon as it is answered, the next one is in its place.
            let left = state.inbox.questions.iter().filter(|question| question.id != id).cloned().collect();
            state.got(&Read::Questions, Got::Questions(left));
            given.push(id);
        }
    }
    (given, from + moments[90])
}

#[test]
fn a_key_that_is_held_down_decides_one_thing() {
    for delay in [30, 250, 660, 990] {
        let mut state = full(NARROW);
        let (given, last) = hold(&mut state, NOW, delay);
        assert_eq!(given, [""; 0], "the risk is high: it is asked for twice");
        assert!(matches!(state.mode, Mode::Confirm { .. }), "and it still is asked");
        state.tick(last + 5000);
        assert_eq!(answers(&press(&mut state, "y")), [], "what asked does not confirm, however late it comes");
        assert_eq!(answers(&press(&mut state, "1\n")).len(), 1, "another key does");
    }
}

#[test]
fn a_key_that_is_held_down_answers_one_of_many() {
    let low = |id: &str| iris_api::question::Question { id: id.to_owned(), risk: Some("low".to_owned()), ..push() };
    for delay in [30, 250, 660, 990] {
        let mut state = state(NARROW);
        read_all(&mut state, vec![low("one"), low("two"), low("three"), low("four")]);
        let (given, last) = hold(&mut state, NOW + 5000, delay);
        assert_eq!(given.len(), 1, "after {delay} ms: {given:?}");
        state.tick(last + 1000);
        assert_eq!(answers(&press(&mut state, "y")).len(), 1, "looked at, and pressed again");
        // A key in between is as good as a pause.
        state.inbox.sending.clear();
        assert_eq!(answers(&press(&mut state, "y")).len(), 0);
        assert_eq!(answers(&press(&mut state, "jy")).len(), 1);
    }
}

/// Whoever answers one after the other at an even pace is not held up for ever by having been too quick once.
#[test]
fn a_key_that_is_pressed_again_and_again_answers_at_most_once_a_second() {
    let low = |id: &str| iris_api::question::Question { id: id.to_owned(), risk: Some("low".to_owned()), ..push() };
    let mut state = state(NARROW);
    read_all(&mut state, vec![low("one"), low("two"), low("three"), low("four")]);
    let given = (0..8).map(|count| {
        state.tick(NOW + 5000 + count * 600);
        let given = answers(&press(&mut state, "y")).len();
        state.inbox.sending.clear();
        given
    });
    assert_eq!(given.collect::<Vec<_>>(), [1, 0, 1, 0, 1, 0, 1, 0]);
}

/// Which option a number is can be known only by looking at it.
#[test]
fn a_number_for_options_that_are_not_on_the_screen_is_asked_for_twice() {
    let mut state = state(Size::new(40, 10));
    let mut long = colour();
    long.context = Some("line\n".repeat(40));
    read_all(&mut state, vec![long]);
    assert_eq!(answers(&press(&mut state, "2")), []);
    assert!(seen(&state).contains("not seen"), "{}", seen(&state));
    assert_eq!(answers(&press(&mut state, "\n")), [("q-colour".to_owned(), "blue".into(), None)]);
}

#[test]
fn a_yes_to_what_was_not_seen_whole_is_asked_for_twice() {
    let mut state = state(NARROW);
    let mut long = push();
    long.risk = Some("low".to_owned());
    long.action.iter_mut().for_each(|action| action.shown = "line\n".repeat(40));
    read_all(&mut state, vec![long]);
    assert_eq!(answers(&press(&mut state, "y")), []);
    assert!(seen(&state).contains("lines not seen"), "{}", seen(&state));
    press(&mut state, "\u{1b}");
    (0..9).for_each(|_| drop(press_code(&mut state, KeyCode::PageDown)));
    assert_eq!(answers(&press(&mut state, "y")).len(), 1);
}

#[test]
fn a_risky_yes_says_how_much_of_it_was_never_seen() {
    let mut state = state(NARROW);
    let mut long = push();
    long.action.iter_mut().for_each(|action| action.shown = "line\n".repeat(40));
    read_all(&mut state, vec![long]);
    let left = draw::inbox::unseen(&state);
    press(&mut state, "y");
    assert!(seen(&state).contains(&format!("the risk is high, {left} lines not seen")), "{}", seen(&state));
    assert!(seen(&state).contains(&format!("-- {left} more lines")), "{}", seen(&state));
    press(&mut state, "x");
    (0..9).for_each(|_| drop(press_code(&mut state, KeyCode::PageDown)));
    (0..9).for_each(|_| drop(press_code(&mut state, KeyCode::PageUp)));
    press(&mut state, "y");
    assert!(seen(&state).contains("the risk is high: let"), "what was seen stays seen: {}", seen(&state));
    press(&mut state, "x");
    state.resize(Size::new(60, 20));
    press(&mut state, "y");
    assert!(seen(&state).contains("lines not seen"), "at another width it is read anew");
}

#[test]
fn a_key_meant_for_another_question_is_no_answer() {
    let mut state = full(NARROW);
    // The first one is answered elsewhere just before the key.
    state.got(&Read::Questions, Got::Questions(vec![colour()]));
    assert_eq!(answers(&press(&mut state, "1")), []);
    state.tick(NOW + 1000);
    assert_eq!(answers(&press(&mut state, "1")), [("q-colour".to_owned(), "red".into(), None)]);
    // A more urgent one comes in above: the chosen one stays chosen.
    state.inbox.sending.clear();
    state.got(&Read::Questions, Got::Questions(vec![push(), colour()]));
    assert_eq!(answers(&press(&mut state, "2")), [("q-colour".to_owned(), "blue".into(), None)]);
    // What is pasted answers nothing.
    state.paste("1");
    assert!(state.inbox.sending.contains("q-colour") && matches!(state.mode, Mode::Look));
}

#[test]
fn words_are_an_answer_or_the_reason_of_a_refusal() {
    let mut state = full(NARROW);
    let given = answers(&press(&mut state, "rnot before the release\n"));
    assert_eq!(given, [("q-push".to_owned(), false.into(), digest())]);
    press(&mut state, "j");
    assert_eq!(answers(&press(&mut state, "rGreen\n")), [("q-colour".to_owned(), json!(["Green"]), None)]);
    press(&mut state, "j");
    assert_eq!(answers(&press(&mut state, "r\u{1b}")), [], "left");
    let two = json!({"questions": [{"question": "A?"}, {"question": "B?"}], "responseType": "choice"});
    read_all(&mut state, vec![question("q-two", two)]);
    state.tick(NOW + 5000);
    let given = answers(&press(&mut state, "rone, two\n"));
    assert_eq!(given, [("q-two".to_owned(), json!(["one", "two"]), None)]);
}

#[test]
fn what_was_written_before_is_there_to_be_sent_or_changed() {
    let more = json!({
        "responseType": "text", "questions": [{"question": "Which persona?"}],
        "suggestion": {"answer": {"value": "the buyer"}, "times": 2, "of": 2, "lastBy": "user", "lastAt": 0},
    });
    let check = |keys: &str, expected: &str| {
        let mut state = state(NARROW);
        read_all(&mut state, vec![question("q-text", more.clone())]);
        assert_eq!(answers(&press(&mut state, keys)), [("q-text".to_owned(), json!([expected]), None)]);
    };
    check("r\n", "the buyer");
    check("r of shoes\n", "the buyer of shoes");
    // What is chosen by a number is not written first.
    let mut chosen = colour();
    chosen.suggestion = serde_json::from_value(more["suggestion"].clone()).ok();
    let mut state = state(NARROW);
    read_all(&mut state, vec![chosen]);
    assert_eq!(answers(&press(&mut state, "rGreen\n")), [("q-colour".to_owned(), json!(["Green"]), None)]);
}

#[test]
fn where_several_may_be_chosen_one_key_is_not_an_answer() {
    let mut state = state(NARROW);
    let mut any = colour();
    any.questions[0].several = true;
    read_all(&mut state, vec![any]);
    assert!(seen(&state).contains("- Red\n- Blue") && !seen(&state).contains("1. "), "{}", seen(&state));
    assert_eq!(answers(&press(&mut state, "1")), []);
    assert!(seen(&state).contains("no one key is the answer to this question; r answers"), "{}", seen(&state));
    assert!(seen(&state).contains("r answers, with commas between"), "{}", seen(&state));
    let given = answers(&press(&mut state, "r1, Blue\n"));
    assert_eq!(given, [("q-colour".to_owned(), json!(["red", "blue"]), None)]);
}

/// One of the options is asked for and nothing else: words are not taken for one of them, whatever they say.
#[test]
fn where_an_option_is_a_no_words_are_why() {
    let options = json!([{"value": "y", "label": "Yes"}, {"value": "n", "label": "No"}]);
    let mut state = state(NARROW);
    let asked = json!([{"question": "So?", "options": options}]);
    read_all(&mut state, vec![question("q-so", json!({"options": options, "questions": asked}))]);
    assert!(seen(&state).contains("r: No, and why"), "{}", seen(&state));
    press(&mut state, "ryes, but later");
    assert!(seen(&state).contains("with No, because: yes, but later"), "{}", seen(&state));
    let act = press(&mut state, "\n").into_iter().next();
    let Some(Wish::Act(Act::Answer { response, .. })) = act else { panic!("{act:?}") };
    assert_eq!((response.value, response.text.as_deref()), (json!("n"), Some("yes, but later")));
}

fn control(state: &mut State, c: char) {
    state.press(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL));
}

fn being_typed(state: &State) -> String {
    let screen = seen(state);
    let line = screen.lines().nth_back(1).unwrap_or_default();
    line.split_once(": ").map(|(_, typed)| typed.to_owned()).unwrap_or_default()
}

/// The first question is closed by somebody else.
#[test]
fn words_to_a_question_that_another_answers_are_kept_and_never_go_elsewhere() {
    let mut state = full(NARROW);
    press(&mut state, "rnot before the release");
    state.got(&Read::Questions, Got::Questions(vec![colour()]));
    state.tick(NOW + 5000);
    assert_eq!(answers(&press(&mut state, "\n")), []);
    assert!(matches!(state.mode, Mode::Write { .. }), "they are still there");
    assert_eq!(answers(&press(&mut state, "\u{1b}1")), [], "another question has only now moved up");
    press(&mut state, "\u{1b}r");
    assert_eq!(being_typed(&state), "", "they were not meant for this one");
    assert!(seen(&state).contains("Ctrl-Y your words"), "{}", seen(&state));
    control(&mut state, 'y');
    assert_eq!(being_typed(&state), "not before the release");
    control(&mut state, 'y');
    assert_eq!(being_typed(&state), "not before the release", "once");
    // One that is open has its own words again.
    press(&mut state, "\u{1b}");
    assert_eq!(state.kept, [""; 0]);
    press(&mut state, "r");
    assert_eq!(being_typed(&state), "not before the release");
    // Until another answer is given.
    press(&mut state, "\u{1b}");
    state.tick(NOW + 9000);
    assert_eq!(answers(&press(&mut state, "1")).len(), 1);
    state.got(&Read::Questions, Got::Questions(Vec::new()));
    assert_eq!(state.kept, [""; 0]);
}

#[test]
fn words_that_came_too_late_are_kept() {
    let mut state = full(NARROW);
    let sent = press(&mut state, "rnot before the release\n");
    let [Wish::Act(act)] = sent.as_slice() else { panic!("it is sent: {sent:?}") };
    state.got(&Read::Questions, Got::Questions(vec![colour()]));
    state.acted(act, Err("too late: already answered by ada at 14:02:11 UTC".to_owned()));
    assert!(seen(&state).contains("14:02:11 UTC; Ctrl-Y has your words"), "{}", seen(&state));
    assert_eq!(state.kept, ["not before the release"]);
    let told = Act::Tell { team: "backend".to_owned(), from: "user".to_owned(), text: "go on".to_owned() };
    state.acted(&told, Err("iris does not answer".to_owned()));
    assert_eq!(state.kept, ["not before the release", "go on"]);
}

#[test]
fn what_is_to_be_confirmed_goes_with_its_question() {
    let mut state = full(NARROW);
    press(&mut state, "y");
    state.got(&Read::Questions, Got::Questions(vec![colour()]));
    let screen = seen(&state);
    assert!(!screen.contains("let backend do it") && screen.contains("nothing was done"), "{screen}");
    assert_eq!(answers(&press(&mut state, "\n")), []);
}

#[test]
fn what_came_of_an_answer_is_read_after_a_short_cut() {
    let mut state = full(NARROW);
    state.acted(&answer_of("q-push", &json!(true), None), Err("it may have been done".to_owned()));
    state.meet(Ok(Met::Cut { unheard: Duration::ZERO }));
    state.meet(Ok(Met::Back));
    assert!(seen(&state).contains("it may have been done"), "{}", seen(&state));
}

fn form() -> iris_api::question::Question {
    let schema = json!({"properties": {"age": {"type": "integer"}, "name": {"type": "string"}}, "required": ["age"]});
    question("q-form", json!({"question": "Who?", "responseType": "form", "schema": schema, "openedAt": NOW}))
}

/// The one who typed it has it back, and reads why where it belongs.
#[test]
fn what_was_not_taken_is_there_again_under_its_own_question() {
    let mut state = state(NARROW);
    read_all(&mut state, vec![form(), question("q-other", json!({"openedAt": NOW + 1}))]);
    assert!(seen(&state).contains("age, required: a whole number"), "{}", seen(&state));
    let sent = press(&mut state, "r{\"age\": \"x\"}\n");
    let [Wish::Act(act)] = sent.as_slice() else { panic!("it is sent: {sent:?}") };
    state.acted(act, Err("the field 'age' takes a whole number".to_owned()));
    let screen = seen(&state);
    assert!(screen.contains("{\"age\": \"x\"}") && screen.contains("takes a whole number"), "{screen}");
    assert!(matches!(state.mode, Mode::Write { .. }));
    // It is not said under another question, and is there again under its own.
    press(&mut state, "\u{1b}");
    state.acted(&answer_of("q-form", &json!(1), None), Err("it was not taken".to_owned()));
    assert!(seen(&state).contains("it was not taken"));
    press(&mut state, "j");
    assert!(!seen(&state).contains("it was not taken"), "{}", seen(&state));
    press(&mut state, "k");
    assert!(seen(&state).contains("it was not taken"));
    press(&mut state, "r");
    assert!(seen(&state).contains("{\"age\": \"x\"}"), "{}", seen(&state));
    assert!(seen(&state).contains("like: {\"age\":1}"), "{}", seen(&state));
}

#[test]
fn several_questions_are_answered_in_one_line() {
    let mut state = state(NARROW);
    let options = json!([{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]);
    let two = json!({"questions": [
        {"question": "Which?", "options": options, "several": true}, {"question": "How many?", "options": []},
    ]});
    read_all(&mut state, vec![question("q-two", two)]);
    let keys = seen(&state).lines().last().map(str::to_owned).expect("a line");
    assert!(keys.contains("r answer") && !keys.contains("1-9"), "{keys}");
    press(&mut state, "r");
    assert!(seen(&state).contains("like: A, B; your words"), "{}", seen(&state));
    assert_eq!(answers(&press(&mut state, "A, B\n")), []);
    assert!(seen(&state).contains("2 answers are needed"), "{}", seen(&state));
    assert_eq!(answers(&press(&mut state, "; 2\n")), [("q-two".to_owned(), json!([["a", "b"], "2"]), None)]);
}

/// What is said to happen is what happens, by the way it was asked.
#[test]
fn what_becomes_of_a_question_that_nobody_answers() {
    let then = |more: Value| {
        let mut asked = json!({"deadline": NOW + 60_000});
        asked.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let mut state = state(NARROW);
        read_all(&mut state, vec![question("q", asked)]);
        let screen = seen(&state).replace('\n', " ");
        screen.split_once("; then ").map(|(_, then)| then.to_owned()).unwrap_or_else(|| panic!("{screen}"))
    };
    let agent = "its agent is told, if it still waits";
    assert!(then(json!({"way": "permission"})).starts_with(agent));
    assert!(then(json!({"way": "detected"})).starts_with("it is closed, and nobody is told"));
    assert!(then(json!({"way": "tool", "blocking": false})).starts_with("it is closed, and nobody is told"));
    assert!(then(json!({"way": "api", "job": "01a1e280-0000", "failsJob": true})).starts_with("its job fails"));
    let of_a_job_that_is_over = json!({"way": "detected", "job": "01a1e280-0000"});
    assert!(then(of_a_job_that_is_over).starts_with("it is closed, and nobody is told"));
    assert!(then(json!({"way": "api"})).starts_with("whoever waits for it is told"));
    let options = json!([{"value": "a", "label": "Apples"}]);
    let asked = json!([{"question": "Which?", "options": options}]);
    let default = json!({"value": "a"});
    let named = json!({"questions": asked, "options": options, "default": default, "onDeadline": "default"});
    assert!(then(named).starts_with("this holds: Apples"));
    assert!(then(json!({"way": "tool", "default": default, "onDeadline": "fail"})).starts_with(agent));
}

#[test]
fn the_same_question_of_two_parties_can_be_told_apart() {
    let mut state = state(NARROW);
    let of = |id: &str, more: Value| question(id, more);
    let job = "01a1e280-1111-7000-8000-000000000001";
    read_all(&mut state, vec![of("q1", json!({})), of("q2", json!({"session": "s2"})), of("q3", json!({"job": job}))]);
    let screen = seen(&state);
    for whom in ["backend    for user", "backend    for frontend", "backend    for job …0001"] {
        assert!(screen.contains(whom), "{whom}: {screen}");
    }
    assert!(screen.contains("backend for user asks (choice)"), "{screen}");
}

fn acts(wishes: &[Wish]) -> Vec<String> {
    wishes.iter().filter(|wish| matches!(wish, Wish::Act(_))).map(|wish| format!("{wish:?}")).collect()
}

#[test]
fn the_fleet_is_told_woken_put_to_sleep_and_cancelled() {
    let mut state = full(NARROW);
    press(&mut state, "f");
    assert_eq!(acts(&press(&mut state, "w")), [r#"Act(Wake { team: "backend", from: "user" })"#]);
    press(&mut state, "jj");
    assert_eq!(acts(&press(&mut state, "s")), [r#"Act(Sleep { team: "backend", from: "frontend" })"#]);
    assert_eq!(acts(&press(&mut state, "c")), [""; 0], "asked first");
    assert_eq!(acts(&press(&mut state, "\n")), [r#"Act(Cancel { team: "backend", from: "frontend" })"#]);
    let told = acts(&press(&mut state, "tgo on\n"));
    assert_eq!(told, [r#"Act(Tell { team: "backend", from: "frontend", text: "go on" })"#]);
    assert_eq!(acts(&press(&mut state, "1y")), [""; 0], "there is no question here to answer");
}

#[test]
fn views_follow_each_other() {
    let mut state = full(NARROW);
    assert_eq!(state.view, View::Inbox);
    press(&mut state, "\t");
    assert_eq!(state.view, View::Fleet);
    press(&mut state, "\t");
    assert_eq!(state.view, View::Inbox, "no session is open");
    press(&mut state, "fj\n");
    assert_eq!(state.view, View::Session);
    press(&mut state, "\u{1b}");
    assert_eq!(state.view, View::Fleet);
    press(&mut state, "\t");
    assert_eq!(state.view, View::Session);
    press_code(&mut state, KeyCode::BackTab);
    assert_eq!(state.view, View::Fleet);
    assert!(matches!(press(&mut state, "q")[..], [Wish::Leave]));
}

fn page(state: &mut State, page: Page, piece: Piece) {
    let session = "s1".to_owned();
    let read = Read::Page { session: session.clone(), page: page.clone() };
    state.got(&read, Got::Page { session, page, piece });
}

fn said(seqs: std::ops::Range<i64>) -> Vec<iris_api::turn::Message> {
    seqs.map(|seq| message(seq, "assistant", &format!("word {seq}."))).collect()
}

fn say(state: &mut State, seq: i64) -> Vec<Wish> {
    let body = json!({"type": "assistant", "text": format!("word {seq}.")});
    state.meet(Ok(Met::Event(Box::new(event(seq, "message", "s1", "t2", body)))))
}

/// A session in its second turn, of which the messages 1000 to 1299 were read.
fn opened() -> State {
    let mut state = full(NARROW);
    state.got(&Read::Questions, Got::Questions(Vec::new()));
    let wishes = press(&mut state, "fj\n");
    assert!(matches!(&wishes[..], [Wish::Read(Read::Page { page: Page::Newest, .. })]), "{wishes:?}");
    // Said while it was being read: once in the page, once not.
    say(&mut state, 1299);
    say(&mut state, 1300);
    let parts = vec![Part { turn: turn(2, "running", "go"), messages: said(1000..1300) }];
    page(&mut state, Page::Newest, Piece { parts, is_cut_before: true, ..Piece::default() });
    state
}

#[test]
fn what_is_said_while_a_page_is_read_is_shown_once() {
    let state = opened();
    let screen = seen(&state);
    assert_eq!((screen.matches("word 1299.").count(), screen.matches("word 1300.").count()), (1, 1), "{screen}");
}

#[test]
fn scrolling_back_pauses_and_g_follows_again() {
    let mut state = opened();
    press(&mut state, "k");
    assert!(seen(&state).contains("PAUSED"));
    let before = seen(&state);
    say(&mut state, 1301);
    assert_eq!(seen(&state), before, "what is read does not move");
    press(&mut state, "G");
    assert!(seen(&state).contains("word 1301.") && seen(&state).contains("following"));
    press(&mut state, "kjj");
    assert!(seen(&state).contains("following"), "at the end it follows again");
}

#[test]
fn what_is_further_back_is_read_when_somebody_goes_there() {
    let mut state = opened();
    let wishes = press(&mut state, "g");
    let earlier = Page::Earlier { turn: 2, before: 1000 };
    assert!(matches!(&wishes[..], [Wish::Read(Read::Page { page, .. })] if *page == earlier), "{wishes:?}");
    assert!(press(&mut state, "g").is_empty(), "it is on its way");
    let parts = vec![Part { turn: turn(2, "running", "go"), messages: said(700..1000) }];
    page(&mut state, earlier, Piece { parts, is_cut_before: false, ..Piece::default() });
    assert!(seen(&state).contains("word 1000."), "the same is in view as before");
    press(&mut state, "k");
    assert!(seen(&state).contains("word 999."));
    let wishes = press(&mut state, "g");
    assert!(seen(&state).contains("== turn 2"), "{}", seen(&state));
    // Now the turn before.
    let earlier = Page::Earlier { turn: 1, before: 700 };
    assert!(matches!(&wishes[..], [Wish::Read(Read::Page { page, .. })] if *page == earlier), "{wishes:?}");
}

#[test]
fn only_so_much_is_kept() {
    let mut state = opened();
    for seq in 1301..1301 + 3 * KEPT as i64 {
        say(&mut state, seq);
    }
    let newest = format!("word {}.", 1300 + 3 * KEPT as i64);
    assert!(seen(&state).contains(&newest));
    let kept = |state: &State| state.session.as_ref().map(|session| session.entries.len());
    assert_eq!(kept(&state), Some(KEPT));
    // Who reads far back does not lose what they read to what comes in.
    press(&mut state, "kkk");
    let before = seen(&state);
    for seq in 1301 + 3 * KEPT as i64..1301 + 5 * KEPT as i64 {
        say(&mut state, seq);
    }
    assert_eq!((kept(&state), seen(&state)), (Some(KEPT), before));
    let wishes = press(&mut state, "G");
    assert!(matches!(&wishes[..], [Wish::Read(Read::Page { page: Page::Newest, .. })]), "{wishes:?}");
}

#[test]
fn keys_answer_what_the_session_asks() {
    let mut state = full(NARROW);
    press(&mut state, "\n");
    page(&mut state, Page::Newest, Piece::default());
    assert_eq!(answers(&press(&mut state, "n")), [("q-push".to_owned(), false.into(), digest())]);
    // It asks something else from now on.
    let mut other = colour();
    other.session = "s1".to_owned();
    state.got(&Read::Questions, Got::Questions(vec![other]));
    assert_eq!(answers(&press(&mut state, "1")), [], "that was meant for the question before");
    state.tick(NOW + 1000);
    assert_eq!(answers(&press(&mut state, "1")), [("q-colour".to_owned(), "red".into(), None)]);
}

#[test]
fn another_log_is_followed_from_its_own_end() {
    let mut state = full(NARROW);
    let address = state.address.clone();
    let restored = Got::Status { status: Box::new(status(json!({"newestEvent": 3}))), address };
    let wishes = state.got(&Read::Status, restored);
    assert!(matches!(wishes[0], Wish::Follow(3)), "{wishes:?}");
}

#[test]
fn of_a_team_its_first_session_opens() {
    let mut state = full(NARROW);
    press_code(&mut state, KeyCode::Tab);
    press_code(&mut state, KeyCode::Enter);
    assert_eq!(state.session.as_ref().map(|session| session.id.as_str()), Some("s1"));
    let mut state = full(NARROW);
    press_code(&mut state, KeyCode::Tab);
    press(&mut state, "jjjjj");
    press_code(&mut state, KeyCode::Enter);
    assert_eq!(state.view, View::Fleet);
    assert!(seen(&state).contains("nobody has told docs anything yet; t does"), "{}", seen(&state));
}
