//! Questions, their answers, rules and jobs.

use iris_core::actor::Surface;
use iris_core::agent::PermissionRequest;
use iris_core::call::{Meaning, ToolNature};
use iris_core::duration::Millis;
use iris_core::id::{JobId, Party, QuestionId, RuleId, SessionId};
use iris_core::job::JobState;
use iris_core::question::draft::Found;
use iris_core::question::risk::as_written;
use iris_core::question::{Answer, AskRequest, Draft, OnDeadline, Policy, QuestionKind, QuestionState, Way};
use iris_core::rule::RuleScope;
use iris_core::turn::Ask;
use iris_store::job::{NewJob, Started};
use iris_store::question::{Answered, Given, Limits, NewQuestion, Opening, QuestionRow};
use iris_store::{Store, StoreError, job, lane, question, rule, session, turn};
use serde_json::value::RawValue;

use crate::databases::{Database, completed, finish, new_turn, serve, tell};
use crate::on_both;

const LIMITS: Limits = Limits { per_minute: 20, open: 10 };

fn policy(deadline_ms: u64) -> Policy {
    let time = Millis(deadline_ms);
    Policy {
        blocking: time,
        approval: time,
        error_recovery: time,
        shortest: Millis(1),
        longest: Millis(86_400_000),
        on_deadline: OnDeadline::Fail,
        real: as_written,
    }
}

fn approval(command: &str, deadline_ms: u64) -> Draft {
    action(&serde_json::json!({ "command": command }).to_string(), deadline_ms)
}

fn action(input: &str, deadline_ms: u64) -> Draft {
    let asked = PermissionRequest {
        request: "r".to_owned(),
        tool: "Bash".to_owned(),
        meaning: Box::new(Meaning { asides: &["description", "timeout"], ..ToolNature::Shell.into() }),
        input: RawValue::from_string(input.to_owned()).expect("JSON"),
        reason: None,
        plan: None,
        call: None,
    };
    Draft::of(&Ask::Permission(asked), "/p", &policy(deadline_ms)).expect("it can be asked")
}

fn asked(request: serde_json::Value, deadline_ms: u64) -> Draft {
    let request: AskRequest = serde_json::from_value(request).expect("a question");
    Draft::asked(&request, Way::Tool, &policy(deadline_ms)).expect("it can be asked")
}

fn new(id: &str, draft: Draft) -> NewQuestion {
    NewQuestion {
        id: QuestionId::new(id),
        turn: None,
        request: id.to_owned(),
        asked_of: None,
        key: None,
        hidden_ms: 0,
        draft,
        waited_for: Vec::new(),
        is_outside: false,
    }
}

async fn open(store: &Store, session: &SessionId, epoch: i64, new: NewQuestion) -> Opening {
    let session = session.clone();
    let opened = store.write("open", move |tx| question::open(tx, &session, Some(epoch), &new, LIMITS)).await;
    opened.expect("written")
}

fn given(answer: Answer) -> Given {
    Given { by: Party::new("ada").into(), answer, seen: None, remember: None, refusals_last_ms: 60_000 }
}

async fn answer(store: &Store, id: &str, given: Given) -> Answered {
    let id = QuestionId::new(id);
    store.write("answer", move |tx| question::answer(tx, &id, &given)).await.expect("written")
}

async fn row(store: &Store, id: &str) -> QuestionRow {
    let id = QuestionId::new(id);
    store.read(move |tx| question::find(tx, &id)).await.expect("read").expect("there")
}

fn yes() -> Answer {
    Answer::Approve { note: None }
}

async fn begin(store: &Store) -> (SessionId, i64) {
    let told = tell(store, new_turn("user", "one")).await;
    let (epoch, _) = serve(store, &told.session).await;
    (told.session, epoch)
}

async fn resume(store: &Store, id: &str) -> Option<iris_store::turn::Accepted> {
    let id = QuestionId::new(id);
    let told = store.write("resume", move |tx| {
        question::resume_by_turn(tx, &id, |row| turn::NewTurn {
            key: Some(format!("answer/{}", row.id)),
            origin: Some("answer"),
            ..new_turn("user", "told")
        })
    });
    told.await.expect("written")
}

on_both!(what_a_person_edits_is_not_asked_by_the_agent, |database: Database| async move {
    let store = database.open_as("n1");
    let (session, epoch) = begin(&store).await;
    open(&store, &session, epoch, new("q0", approval("make 0", 60_000))).await;
    for edit in 1..=LIMITS.per_minute {
        let (old, next) = (QuestionId::new(format!("q{}", edit - 1)), format!("q{edit}"));
        let edited = new(&next, approval(&format!("make {edit}"), 60_000));
        let by = Party::new("ada").into();
        let edited = store.write("edit", move |tx| question::supersede(tx, &old, &by, &edited)).await;
        assert!(edited.expect("written").is_some_and(|(done, _)| done));
    }
    let asked = open(&store, &session, epoch, new("next", approval("make install", 60_000))).await;
    assert!(matches!(asked, Opening::Open(_)), "{asked:?}");
    store.close().await;
});

// The agent asked once, and waits since then for the party it asked.
on_both!(an_edit_begins_no_wait_anew, |database: Database| async move {
    let store = database.open_as("n1");
    let (session, epoch) = begin(&store).await;
    let asked_of = Some(Party::new("beacon"));
    let put =
        |id: &str, command: &str| NewQuestion { asked_of: asked_of.clone(), ..new(id, approval(command, 60_000)) };
    open(&store, &session, epoch, put("q0", "make")).await;
    let (by, edited) = (Party::new("ada").into(), put("q1", "make test"));
    let edit = store.write("edit", move |tx| question::supersede(tx, &QuestionId::new("q0"), &by, &edited)).await;
    assert!(edit.expect("written").is_some_and(|(done, _)| done));
    let sql = "SELECT edited.asked, edited.shown, old.asked FROM question AS old, question AS edited \
               WHERE old.id = 'q0' AND edited.id = 'q1'";
    let marks = store.read(move |tx| tx.one(sql, &[])).await.expect("read").expect("both are there");
    let (asked, shown, old) = (marks.int(0), marks.int(1), marks.int(2));
    assert!(asked > 0 && asked == shown && old == 0, "{asked} {shown} {old}");
    assert!(!store.read(question::any_to_show).await.expect("read"), "it was never held back");
    store.write("show", |tx| question::show_due(tx, 10)).await.expect("written");
    assert_eq!(row(&store, "q1").await.asked_of, asked_of);
    let figures = store.read(|tx| question::figures(tx, 60_000, |_| false)).await.expect("read");
    assert_eq!(figures.waiting_long, 0);
    store.close().await;
});

// It can be read in more than one way, so that what a rule lets through is not what would run.
on_both!(what_cannot_be_read_passes_by_no_rule, |database: Database| async move {
    let store = database.open_as("n1");
    let (session, epoch) = begin(&store).await;
    open(&store, &session, epoch, new("no", approval("touch refused", 60_000))).await;
    assert!(matches!(answer(&store, "no", given(Answer::Refuse { why: None })).await, Answered::Won(_)));
    open(&store, &session, epoch, new("q0", approval("make", 60_000))).await;
    let all = Given { remember: Some((RuleScope::Tool, 60_000)), ..given(yes()) };
    assert!(matches!(answer(&store, "q0", all).await, Answered::Won(_)));
    let by_rule = open(&store, &session, epoch, new("q1", approval("make test", 60_000))).await;
    assert!(matches!(by_rule, Opening::Answered(_)), "{by_rule:?}");
    let (deep, shut) = ("[".repeat(200), "]".repeat(200));
    let odd = |command: &str| {
        [
            format!(r#"{{"command":"{command}","description":"\ud83d"}}"#),
            format!(r#"{{"command":"{command}","timeout":1e999}}"#),
            format!(r#"{{"command":"make","command":"{command}"}}"#),
            format!(r#"{{"command":"{command}","description":{deep}{shut}}}"#),
        ]
    };
    for (number, input) in odd("touch pwned").into_iter().enumerate() {
        let id = format!("odd{number}");
        let opened = open(&store, &session, epoch, new(&id, action(&input, 60_000))).await;
        assert!(matches!(opened, Opening::Open(_)), "{input}: {opened:?}");
        let kept = row(&store, &id).await;
        let iris_core::question::Detail::Approval { input: raw, .. } = &kept.detail else { panic!("{kept:?}") };
        assert_eq!(raw.get(), input, "byte by byte");
        answer(&store, &id, given(yes())).await;
    }
    // A refusal of the plain one holds for those that say the same beside what cannot be read.
    for (number, input) in odd("touch refused").into_iter().enumerate() {
        let refused = open(&store, &session, epoch, new(&format!("again{number}"), action(&input, 60_000))).await;
        let Opening::Answered(row) = refused else { panic!("{input}: {refused:?}") };
        assert!(matches!(row.answer, Some(Answer::Refuse { .. })), "{row:?}");
    }
    let events = store.read(|tx| iris_store::event::list_after(tx, 0, 1000)).await.expect("read");
    for event in events {
        serde_json::from_str::<serde_json::Value>(&event.body).expect("whoever hears of it can read it");
    }
    store.close().await;
});

on_both!(whoever_waits_outside_is_told_nowhere_else, |database: Database| async move {
    let store = database.open_as("n1");
    let (session, epoch) = begin(&store).await;
    let which = || asked(serde_json::json!({"question": "Which?", "type": "blocking"}), 60_000);
    let said = || given(Answer::Choose { values: vec!["x".to_owned()], note: None });
    for (id, is_outside, resume) in [("here", false, Some("due")), ("there", true, None)] {
        open(&store, &session, epoch, NewQuestion { is_outside, ..new(id, which()) }).await;
        let Answered::Won(won) = answer(&store, id, said()).await else { panic!("it is open") };
        assert_eq!((won.is_outside, won.resume.as_deref()), (is_outside, resume));
    }
    store.close().await;
});

on_both!(of_many_that_are_open_the_oldest_and_the_newest_are_listed, |database: Database| async move {
    let store = database.open_as("n1");
    let (session, epoch) = begin(&store).await;
    for number in 0..7 {
        let id = format!("q{number}");
        let draft = match number % 2 {
            0 => approval(&format!("make {number}"), 60_000),
            _ => asked(serde_json::json!({"question": format!("Which {number}?"), "type": "clarifying"}), 60_000),
        };
        open(&store, &session, epoch, new(&id, draft)).await;
    }
    // In this order, though all were asked in one millisecond.
    let order = "UPDATE question SET opened_at = CAST(substr(id, 2) AS BIGINT)";
    store.write("order", move |tx| tx.run(order, &[])).await.expect("written");
    let list = |filter: question::OpenFilter, limit: i64| {
        let listed = store.read(move |tx| question::list_open(tx, &filter, limit));
        async {
            let listed = listed.await.expect("read");
            (listed.rows.iter().map(|row| row.id.to_string()).collect::<Vec<_>>().join(" "), listed.more)
        }
    };
    let all = question::OpenFilter::default;
    assert_eq!(list(all(), 7).await, ("q0 q1 q2 q3 q4 q5 q6".to_owned(), 0));
    assert_eq!(list(all(), 4).await, ("q0 q1 q5 q6".to_owned(), 3));
    let approvals = question::OpenFilter { kind: Some("approval".to_owned()), ..all() };
    assert_eq!(list(approvals, 2).await, ("q0 q6".to_owned(), 2));
    let idle = question::OpenFilter { is_blocking: Some(false), ..all() };
    assert_eq!(list(idle, 9).await, ("q1 q3 q5".to_owned(), 0));
    let others = question::OpenFilter { team: Some("beta".to_owned()), ..all() };
    assert_eq!(list(others, 9).await, (String::new(), 0));
    let jobs = question::OpenFilter { job: Some("j".to_owned()), ..all() };
    assert_eq!(list(jobs, 9).await, (String::new(), 0));
    store.close().await;
});

on_both!(of_many_answers_one_wins_and_the_question_outlives_its_agent, |database: Database| async move {
    let store = database.open_as("n1");
    let (session, epoch) = begin(&store).await;
    open(&store, &session, epoch, new("q1", approval("ls", 60_000))).await;
    open(&store, &session, epoch, new("q2", approval("make", 60_000))).await;
    let mut answering = tokio::task::JoinSet::new();
    for number in 0..20 {
        let store = store.clone();
        answering.spawn(async move {
            let said = if number % 2 == 0 { yes() } else { Answer::Refuse { why: None } };
            let by = Party::new(format!("person-{number}")).into();
            answer(&store, "q1", Given { by, ..given(said) }).await
        });
    }
    let mut winners = Vec::new();
    let mut told = Vec::new();
    for answered in answering.join_all().await {
        match answered {
            Answered::Won(row) => winners.push(row.closed_by),
            Answered::Lost(row) => told.push(row.closed_by),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(winners.len(), 1, "one of twenty wins");
    assert!(told.iter().all(|by| *by == winners[0]), "and every other is told who");

    let waits = store
        .read({
            let s = session.clone();
            move |tx| session::find(tx, &s)
        })
        .await
        .expect("read")
        .expect("there");
    assert_eq!(waits.shown(), "waiting_for_approval");
    let own = lane::OwnLanes::FromEarlierLife { processes: 0 };
    store.write("recover", move |tx| lane::recover(tx, own, |_| Default::default())).await.expect("written");
    assert_eq!(row(&store, "q2").await.state, QuestionState::Open, "it waits on");
    assert!(matches!(answer(&store, "q2", given(yes())).await, Answered::Won(_)));
});

on_both!(an_answer_is_passed_on_once_by_whichever_way, |database: Database| async move {
    let store = database.open_as("n1");
    let (session, epoch) = begin(&store).await;
    open(&store, &session, epoch, new("q1", approval("ls", 60_000))).await;
    assert!(resume(&store, "q1").await.is_none(), "nothing to tell before it is answered");
    answer(&store, "q1", given(yes())).await;
    let hand = |id: &'static str| {
        let id = QuestionId::new(id);
        store.write("hand", move |tx| question::hand(tx, &id, epoch))
    };
    assert!(hand("q1").await.expect("written"), "the pipe has it");
    assert!(!hand("q1").await.expect("written"), "once");
    assert!(resume(&store, "q1").await.is_none(), "and it is not told again");
    store.write("confirm", |tx| question::confirm(tx, &[QuestionId::new("q1")])).await.expect("written");
    assert_eq!(row(&store, "q1").await.resume.as_deref(), Some("done"));

    // Handed over to a process that ended before it went on: in doubt, told once, and the approval is used up.
    open(&store, &session, epoch, new("q2", approval("make", 60_000))).await;
    answer(&store, "q2", given(yes())).await;
    assert!(hand("q2").await.expect("written"));
    let own = lane::OwnLanes::FromEarlierLife { processes: 0 };
    store.write("recover", move |tx| lane::recover(tx, own, |_| Default::default())).await.expect("written");
    assert!(row(&store, "q2").await.in_doubt);
    assert!(resume(&store, "q2").await.is_some());
    assert!(resume(&store, "q2").await.is_none(), "once");
    let (epoch, _) = serve(&store, &session).await;
    let again = open(&store, &session, epoch, new("q3", approval("make", 60_000))).await;
    assert!(matches!(again, Opening::Open(_)), "an approval that may have been used is asked for again: {again:?}");
});

on_both!(an_answer_told_by_a_turn_holds_once_for_the_same_bytes, |database: Database| async move {
    let store = database.open_as("n1");
    let (session, epoch) = begin(&store).await;
    open(&store, &session, epoch, new("q1", approval("make", 60_000))).await;
    let own = lane::OwnLanes::FromEarlierLife { processes: 0 };
    store.write("recover", move |tx| lane::recover(tx, own, |_| Default::default())).await.expect("written");
    answer(&store, "q1", given(yes())).await;
    assert!(resume(&store, "q1").await.is_some());
    let (epoch, _) = serve(&store, &session).await;
    let other = open(&store, &session, epoch, new("q2", approval("make all", 60_000))).await;
    assert!(matches!(other, Opening::Open(_)), "other bytes are asked for");
    let same = open(&store, &session, epoch, new("q3", approval("make", 60_000))).await;
    assert!(matches!(same, Opening::Answered(row) if row.id.as_str() == "q1"));
    let again = open(&store, &session, epoch, new("q4", approval("make", 60_000))).await;
    assert!(matches!(again, Opening::Open(_)), "once");
});

on_both!(the_same_asked_again_is_one_question, |database: Database| async move {
    let store = database.open_as("n1");
    let (session, epoch) = begin(&store).await;
    let which = || asked(serde_json::json!({"question": "Which?", "type": "blocking"}), 60_000);
    for number in 0..15 {
        let opened = open(&store, &session, epoch, new(&format!("q{number}"), which())).await;
        assert!(matches!(opened, Opening::Open(id) if id.as_str() == "q0"), "cut and asked again");
    }
    // While the first request still waits, the second is another.
    let waited_for = vec![QuestionId::new("q0")];
    let beside = open(&store, &session, epoch, NewQuestion { waited_for, ..new("q99", which()) }).await;
    assert!(matches!(beside, Opening::Open(id) if id.as_str() == "q99"));
    let key = Some("k".to_owned());
    let other = || asked(serde_json::json!({"question": "Where?", "type": "blocking"}), 60_000);
    open(&store, &session, epoch, NewQuestion { key: key.clone(), ..new("k1", other()) }).await;
    let said = Answer::Choose { values: vec!["here".to_owned()], note: None };
    answer(&store, "k1", given(said)).await;
    let repeated = open(&store, &session, epoch, NewQuestion { key, ..new("k2", other()) }).await;
    assert!(matches!(repeated, Opening::Answered(row) if row.id.as_str() == "k1"), "also after it was answered");
});

on_both!(a_deadline_gives_the_default_or_fails_the_job, |database: Database| async move {
    let store = database.open_as("n1");
    let new_job = |id: &str| NewJob {
        id: JobId::new(id),
        started_by: Party::new("ada").into(),
        goal: "goal".to_owned(),
        key: None,
        again_of: None,
        first: new_turn(&format!("job-{id}"), "goal"),
    };
    let start = |job: NewJob| store.write("start", move |tx| job::start(tx, &job));
    let Started::New(job_row, told) = start(new_job("j1")).await.expect("written") else { panic!("new") };
    let (epoch, work) = serve(&store, &told.session).await;
    let find_job = || store.read(|tx| job::find(tx, &JobId::new("j1")));
    let defaulted =
        serde_json::json!({"question": "TS?", "type": "blocking", "options": ["a", "b"], "defaultResponse": "b"});
    open(&store, &told.session, epoch, new("q1", asked(defaulted, 150))).await;
    open(&store, &told.session, epoch, new("q2", approval("ls", 150))).await;
    assert_eq!(find_job().await.expect("read").expect("there").state, JobState::WaitingForApproval);
    assert!(store.write("early", |tx| question::expire(tx, 10)).await.expect("written").is_empty(), "none is early");
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    assert!(
        matches!(answer(&store, "q2", given(yes())).await, Answered::Late(_)),
        "too late, though nobody looked yet"
    );
    let expired = store.write("expire", |tx| question::expire(tx, 10)).await.expect("written");
    // The job failed because of the one, which ended the other before its default could be taken, or after.
    assert!(expired.len() <= 1);
    let late = row(&store, "q2").await;
    assert_eq!(late.state, QuestionState::Expired);
    assert!(matches!(row(&store, "q1").await.state, QuestionState::Defaulted | QuestionState::Cancelled));
    let over = find_job().await.expect("read").expect("there");
    assert_eq!(over.state, JobState::Failed);
    assert!(over.error.expect("why").contains("nobody answered"), "it says why");
    assert_eq!(job_row.state, JobState::Running);
    finish(&store, completed(&work.expect("work"), "done")).await;
    assert!(store.write("settle", job::settle_all).await.expect("written").is_empty(), "it is over already");
});

on_both!(a_default_is_taken_and_marked_as_such, |database: Database| async move {
    let store = database.open_as("n1");
    let (session, epoch) = begin(&store).await;
    let request = serde_json::json!({"question": "TS?", "type": "error_recovery", "defaultResponse": "skip"});
    open(&store, &session, epoch, new("q1", asked(request, 100))).await;
    tokio::time::sleep(std::time::Duration::from_millis(150)).await;
    let ended = store.write("expire", |tx| question::expire(tx, 10)).await.expect("written");
    assert_eq!(ended.len(), 1);
    let row = row(&store, "q1").await;
    assert_eq!((row.state, row.closed_by.as_deref()), (QuestionState::Defaulted, None));
    assert_eq!(row.closed_through, Some(Surface::Deadline.into()));
    assert_eq!(row.answer.expect("the default").words(), "skip");
    assert!(matches!(answer(&store, "q1", given(yes())).await, Answered::Late(_)), "its time is over");
});

on_both!(a_job_ends_with_its_last_turn_and_takes_its_questions_along, |database: Database| async move {
    let store = database.open_as("n1");
    let first = new_turn("job-1", "goal");
    let new_job = NewJob {
        id: JobId::new("1"),
        started_by: Party::new("ada").into(),
        goal: "goal".to_owned(),
        key: Some("k".to_owned()),
        again_of: None,
        first,
    };
    let start = |job: NewJob| store.write("start", move |tx| job::start(tx, &job));
    let Started::New(_, told) = start(new_job.clone()).await.expect("written") else { panic!("new") };
    let again = NewJob { id: JobId::new("2"), ..new_job.clone() };
    assert!(matches!(start(again.clone()).await.expect("written"), Started::Repeated(row) if row.id.as_str() == "1"));
    let other = NewJob { goal: "other".to_owned(), ..again };
    assert!(matches!(start(other).await.expect("written"), Started::KeyTaken(_)));
    let (epoch, work) = serve(&store, &told.session).await;
    assert!(!store.read(job::any_to_settle).await.expect("read"), "it runs");
    let later = serde_json::json!({"question": "Tabs?", "type": "preference"});
    open(&store, &told.session, epoch, new("q1", asked(later, 60_000))).await;
    finish(&store, completed(&work.expect("work"), "all done")).await;
    assert_eq!(store.write("settle", job::settle_all).await.expect("written"), [JobId::new("1")]);
    let row_now = store.read(|tx| job::find(tx, &JobId::new("1"))).await.expect("read").expect("there");
    assert_eq!((row_now.state, row_now.result.as_deref()), (JobState::Completed, Some("all done")));
    assert_eq!(row(&store, "q1").await.state, QuestionState::Cancelled);
});

on_both!(
    a_telling_that_is_cancelled_is_how_its_job_ended_and_one_that_is_not_needed_is_not,
    |database: Database| async move {
        let store = database.open_as("n1");
        for (id, is_needed, expected) in [("1", false, JobState::Completed), ("2", true, JobState::Stopped)] {
            let party = format!("job-{id}");
            let new_job = NewJob {
                id: JobId::new(id),
                started_by: Party::new("ada").into(),
                goal: "goal".to_owned(),
                key: None,
                again_of: None,
                first: new_turn(&party, "goal"),
            };
            let started = store.write("start", move |tx| job::start(tx, &new_job)).await.expect("written");
            let Started::New(_, told) = started else { panic!("new") };
            let (epoch, work) = serve(&store, &told.session).await;
            let (asked, again) = (format!("{id}-asked"), format!("{id}-again"));
            open(&store, &told.session, epoch, new(&asked, approval("ls", 60_000))).await;
            answer(&store, &asked, given(yes())).await;
            let question = QuestionId::new(asked.as_str());
            let telling = store.write("resume", move |tx| {
                let telling = turn::NewTurn { origin: Some("answer"), ..new_turn(&party, "told") };
                question::resume_by_turn(tx, &question, |_| telling)
            });
            let telling = telling.await.expect("written").expect("it is told").turn;
            if is_needed {
                let by = Party::new("ada").into();
                store.write("cancel", move |tx| turn::cancel_by(tx, &telling, &by)).await.expect("written");
            } else {
                // It asks once more before it is told, and has its answer by that.
                let asked_again = open(&store, &told.session, epoch, new(&again, approval("ls", 60_000))).await;
                assert!(matches!(asked_again, Opening::Answered(_)), "{asked_again:?}");
            }
            finish(&store, completed(&work.expect("work"), "done")).await;
            assert_eq!(store.write("settle", job::settle_all).await.expect("written"), [JobId::new(id)]);
            let over = store.read(move |tx| job::find(tx, &JobId::new(id))).await.expect("read").expect("there");
            assert_eq!(over.state, expected);
        }
    }
);

on_both!(a_refusal_holds_and_rules_are_made_listed_and_taken_back, |database: Database| async move {
    let store = database.open_as("n1");
    let (session, epoch) = begin(&store).await;
    open(&store, &session, epoch, new("q1", approval("make docs", 60_000))).await;
    answer(&store, "q1", given(Answer::Refuse { why: Some("no".to_owned()) })).await;
    let again = open(&store, &session, epoch, new("q2", approval("make  docs ", 60_000))).await;
    let Opening::Answered(refused) = again else { panic!("it sticks: {again:?}") };
    assert!(matches!(refused.answer, Some(Answer::Refuse { .. })) && refused.rule.is_some());
    let rules = store.read(|tx| rule::list(tx, 10)).await.expect("read");
    assert_eq!((rules.len(), rules[0].uses), (1, 1));
    let revoke = |id: RuleId| store.write("revoke", move |tx| rule::revoke(tx, &id, &Party::new("ada").into()));
    assert!(revoke(rules[0].rule.id.clone()).await.expect("written"));
    assert!(!revoke(rules[0].rule.id.clone()).await.expect("written"), "once");
    open(&store, &session, epoch, new("q3", approval("make docs", 60_000))).await;
    let remember = Some((RuleScope::Tool, 60_000));
    answer(&store, "q3", Given { remember, ..given(yes()) }).await;
    let other = open(&store, &session, epoch, new("q4", approval("cargo test", 60_000))).await;
    assert!(matches!(other, Opening::Answered(_)), "the rule is about the tool");
    let risky = open(&store, &session, epoch, new("q5", approval("rm -rf x", 60_000))).await;
    assert!(matches!(risky, Opening::Open(_)), "but not about what is riskier");
});

on_both!(changed_bytes_are_never_approved, |database: Database| async move {
    let store = database.open_as("n1");
    let (session, epoch) = begin(&store).await;
    open(&store, &session, epoch, new("q1", approval("ls", 60_000))).await;
    let digest = row(&store, "q1").await.digest;
    let seen = Given { seen: Some("0".repeat(64)), ..given(yes()) };
    assert!(matches!(answer(&store, "q1", seen).await, Answered::Changed(_)), "not what the person saw");
    assert!(matches!(answer(&store, "q1", Given { seen: digest, ..given(yes()) }).await, Answered::Won(_)));
});

on_both!(who_asks_too_much_is_limited_and_others_are_not, |database: Database| async move {
    let store = database.open_as("n1");
    let (session, epoch) = begin(&store).await;
    let told = tell(&store, new_turn("other", "one")).await;
    let (other_epoch, _) = serve(&store, &told.session).await;
    let mut limited = 0;
    for number in 0..100 {
        let request = serde_json::json!({"question": format!("Q{number}?"), "type": "preference"});
        let opened = open(&store, &session, epoch, new(&format!("q{number}"), asked(request, 60_000))).await;
        limited += usize::from(matches!(opened, Opening::Limited { .. }));
    }
    assert_eq!(limited, 90, "ten may be open");
    let opened = open(&store, &told.session, other_epoch, new("other", approval("ls", 60_000))).await;
    assert!(matches!(opened, Opening::Open(_)));
});

on_both!(cancel_and_answer_have_one_order, |database: Database| async move {
    let store = database.open_as("n1");
    let (session, epoch) = begin(&store).await;
    for round in 0..10 {
        let id = format!("q{round}");
        let request = serde_json::json!({"question": format!("Q{round}?"), "type": "preference"});
        open(&store, &session, epoch, new(&id, asked(request, 60_000))).await;
        let cancel = {
            let id = QuestionId::new(id.as_str());
            store.write("cancel", move |tx| question::cancel(tx, &id, Some(&Party::new("bob").into()), "no"))
        };
        let said = Answer::Choose { values: vec!["x".to_owned()], note: None };
        let (cancelled, answered) = tokio::join!(cancel, answer(&store, &id, given(said)));
        let cancelled: Result<_, StoreError> = cancelled;
        let (cancelled, _) = cancelled.expect("written").expect("there");
        assert!(cancelled != matches!(answered, Answered::Won(_)), "one of the two, in round {round}");
    }
});

on_both!(what_is_told_next_is_no_answer_to_learn_from, |database: Database| async move {
    let store = database.open_as("n1");
    let (session, epoch) = begin(&store).await;
    let found = Found {
        kind: QuestionKind::Blocking,
        text: "Which port?",
        options: &[],
        reply: "Which port?",
        reason: "it asks",
        confidence: 0.9,
        written: None,
    };
    let draft = Draft::found(&found, &policy(60_000));
    open(&store, &session, epoch, new("q1", draft.clone())).await;
    tell(&store, new_turn("user", "thanks")).await;
    assert_eq!(row(&store, "q1").await.state, QuestionState::Answered);
    let learnt = || async {
        let read = store.read(|tx| {
            let row = question::find(tx, &QuestionId::new("q1"))?.expect("there");
            let past = question::past_answers(tx, &row, 5)?;
            let figures = question::figures(tx, 3_600_000, |_| false)?;
            let [kind] = figures.kinds.as_slice() else { panic!("{figures:?}") };
            Ok((past, (kind.answered, kind.by_others)))
        });
        let (past, counted) = read.await.expect("read");
        (past.iter().map(|past| past.answer.words()).collect::<Vec<_>>(), counted)
    };
    assert_eq!(learnt().await, (vec![], (0, 1)));
    open(&store, &session, epoch, new("q2", draft)).await;
    let said = Answer::Choose { values: vec!["8080".to_owned()], note: None };
    assert!(matches!(answer(&store, "q2", given(said)).await, Answered::Won(_)));
    assert_eq!(learnt().await, (vec!["8080".to_owned()], (1, 1)));
    // The same in other words is the same; something else is not.
    for (id, text, said) in [("q3", " which  PORT", "9090"), ("q4", "Which ports?", "1")] {
        open(&store, &session, epoch, new(id, Draft::found(&Found { text, ..found }, &policy(60_000)))).await;
        let said = Answer::Choose { values: vec![said.to_owned()], note: None };
        assert!(matches!(answer(&store, id, given(said)).await, Answered::Won(_)));
    }
    let (mut past, _) = learnt().await;
    past.sort();
    assert_eq!(past, ["8080", "9090"]);
});

on_both!(figures_count_what_happened, |database: Database| async move {
    let store = database.open_as("n1");
    let (session, epoch) = begin(&store).await;
    open(&store, &session, epoch, new("q1", approval("ls", 60_000))).await;
    answer(&store, "q1", given(yes())).await;
    open(&store, &session, epoch, new("q2", approval("make", 50))).await;
    tokio::time::sleep(std::time::Duration::from_millis(80)).await;
    store.write("expire", |tx| question::expire(tx, 10)).await.expect("written");
    let figures = store.read(|tx| question::figures(tx, 3_600_000, |party| party == "beta")).await.expect("read");
    let [kind] = figures.kinds.as_slice() else { panic!("{figures:?}") };
    assert_eq!((kind.asked, kind.answered, kind.expired, kind.open), (2, 1, 1, 0));
    // Somebody set the clock back while it was open: nobody took longer to answer for that.
    let moved = "UPDATE question SET opened_at = opened_at - 7200000 WHERE id = 'q1'";
    store.write("clock", move |tx| tx.run(moved, &[])).await.expect("written");
    let figures = store.read(|tx| question::figures(tx, 86_400_000, |_| false)).await.expect("read");
    assert!(figures.kinds[0].answer_ms < 7_200_000, "{figures:?}");
    let past = store
        .read(|tx| {
            let row = question::find(tx, &QuestionId::new("q1"))?.expect("there");
            question::past_answers(tx, &row, 5)
        })
        .await
        .expect("read");
    assert_eq!(past.len(), 1);
});

on_both!(what_was_decided_is_listed_page_by_page_newest_first, |database: Database| async move {
    let store = database.open_as("n1");
    let (session, epoch) = begin(&store).await;
    for number in 0..5 {
        let id = format!("q{number}");
        open(&store, &session, epoch, new(&id, approval(&format!("make {number}"), 60_000))).await;
        if number < 3 {
            answer(&store, &id, given(yes())).await;
        }
    }
    let withdraw = |tx: &mut iris_store::Tx<'_>| question::cancel(tx, &QuestionId::new("q3"), None, "its turn ended");
    store.write("cancel", withdraw).await.expect("written");
    let (mut found, mut before) = (Vec::new(), None);
    loop {
        let place = before.clone();
        let page = store.read(move |tx| question::list_closed(tx, None, place.as_ref(), 3)).await.expect("read");
        let Some(last) = page.last() else { break };
        before = Some(question::Closed { at: last.closed_at.expect("closed"), id: last.id.to_string() });
        found.extend(page);
    }
    let mut sorted = found.clone();
    sorted.sort_by_key(|row| std::cmp::Reverse((row.closed_at, row.id.to_string())));
    let ids = |rows: &[QuestionRow]| rows.iter().map(|row| row.id.to_string()).collect::<Vec<_>>();
    assert_eq!((ids(&found), found.len()), (ids(&sorted), 4), "each once, and none that is open");
    let of = async |id: SessionId| {
        store.read(move |tx| question::list_closed(tx, Some(&id), None, 9)).await.expect("read").len()
    };
    assert_eq!((of(session.clone()).await, of(SessionId::new("another")).await), (4, 0), "of one session");
    let withdrawn = found.iter().find(|row| row.id == QuestionId::new("q3")).expect("listed");
    assert_eq!(withdrawn.closed_why.as_deref(), Some("its turn ended"));
    let figures = store.read(|tx| question::figures(tx, 60_000, |_| false)).await.expect("read");
    assert_eq!(figures.closed, 4);
});

on_both!(what_is_shown_to_everybody_is_put_to_anybody, |database: Database| async move {
    let store = database.open_as("n1");
    let (session, epoch) = begin(&store).await;
    let held = NewQuestion {
        asked_of: Some(Party::new("beacon")),
        hidden_ms: 50,
        ..new("q1", asked(serde_json::json!({"question": "Which?", "type": "blocking"}), 60_000))
    };
    open(&store, &session, epoch, held).await;
    assert_eq!(row(&store, "q1").await.asked_of, Some(Party::new("beacon")));
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    store.write("show", |tx| question::show_due(tx, 10)).await.expect("written");
    assert_eq!(row(&store, "q1").await.asked_of, None);
});
