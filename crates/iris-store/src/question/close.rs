//! The end of a question, whichever it is: by compare-and-set, in the same transaction that says who is to be told.

use iris_core::actor::{Actor, Surface, Through};
use iris_core::duration::Millis;
use iris_core::event::{Draft, Fact, QuestionEvent};
use iris_core::id::{JobId, Party, QuestionId, SessionId, TurnId};
use iris_core::question::{Answer, OnDeadline, QuestionState, leave, type_of};
use iris_core::relay;
use iris_core::rule::RuleScope;

use super::open::{insert, note_unasked, to_json};
use super::{NewQuestion, QuestionRow, find, lock, restate};
use crate::error::StoreError;
use crate::rule::{self, NewRule};
use crate::session::{self, SessionRow};
use crate::tx::{Tx, values};
use crate::{event, job};

/// An answer on its way in.
#[derive(Clone, Debug)]
pub struct Given {
    pub by: Actor,
    /// As the question wants it.
    pub answer: Answer,
    /// The digest of what the person saw.
    pub seen: Option<String>,
    /// Make a rule of it: about what, and for how long.
    pub remember: Option<(RuleScope, i64)>,
    /// How long a refusal holds for whoever asks again.
    pub refusals_last_ms: i64,
}

#[derive(Debug)]
pub enum Answered {
    /// This one counts.
    Won(Box<QuestionRow>),
    /// It was closed before; the row says how, by whom and when.
    Lost(Box<QuestionRow>),
    /// Its time was over.
    Late(Box<QuestionRow>),
    /// What is stored or asked now is not what the person saw.
    Changed(Box<QuestionRow>),
    NotFound,
}

/// Answers a question. The first wins; everybody else is told who did, by the row that comes back.
pub fn answer(tx: &mut Tx<'_>, id: &QuestionId, given: &Given) -> Result<Answered, StoreError> {
    let Some((row, late)) = lock(tx, id)? else { return Ok(Answered::NotFound) };
    match row.state {
        QuestionState::Open if late => {
            end_in_time(tx, &row)?;
            return reread(tx, id).map(Answered::Late);
        }
        QuestionState::Open => {}
        QuestionState::Expired | QuestionState::Defaulted => return Ok(Answered::Late(Box::new(row))),
        _ => return Ok(Answered::Lost(Box::new(row))),
    }
    // An approval is worth something only for the bytes that were looked at.
    let saw_another = given.seen.is_some() && given.seen != row.digest;
    if saw_another || row.digest != row.detail.digest(row.context.as_deref()) {
        return Ok(Answered::Changed(Box::new(row)));
    }
    let (by, answer) = (&given.by, &given.answer);
    let told = !row.is_outside && (row.blocks || row.kind.is_told_late());
    close(tx, &row, QuestionState::Answered, Closer::of(Some(by)), Some(answer), told.then_some("due"))?;
    let fact = QuestionEvent::Answered {
        id: id.clone(),
        job: row.job.clone(),
        by: by.clone(),
        answer: answer.clone(),
        response: type_of(row.detail.response_type(), answer),
        rule: None,
    };
    append(tx, &row, fact)?;
    calm(tx, &row)?;
    remember(tx, &row, given)?;
    if row.is_outside {
        // Whoever waits may be cut off at this very moment, and asks again.
        tx.run("UPDATE question SET unused = 1 WHERE id = ?1", values![id])?;
    }
    restate(tx, &row.session, row.job.as_ref())?;
    reread(tx, id).map(Answered::Won)
}

/// If a person has answered, whatever went back and forth before was no loop.
fn calm(tx: &mut Tx<'_>, row: &QuestionRow) -> Result<(), StoreError> {
    tx.run(
        "UPDATE session SET found = 0 WHERE id = ?1 \
         AND EXISTS (SELECT id FROM question WHERE id = ?2 AND shown + ?3 <= iris_now())",
        values![&row.session, &row.id, relay::READING_MS],
    )
}

/// A refusal holds for whoever asks for the same again; an approval or an answer only if the person says so.
pub fn remember(tx: &mut Tx<'_>, row: &QuestionRow, given: &Given) -> Result<(), StoreError> {
    let answer = leave::decision(&row.detail, &given.answer);
    let refused = matches!(answer, Answer::Refuse { .. });
    let (scope, for_ms) = match given.remember {
        Some(remembered) => remembered,
        None if refused && row.digest.is_some() => (RuleScope::of(&row.detail), given.refusals_last_ms),
        None => return Ok(()),
    };
    if for_ms > 0 {
        let by = given.by.clone();
        rule::make(tx, &NewRule { row, scope, by, answer, for_ms })?;
    }
    Ok(())
}

/// Nobody needs the answer any more. `None` if there is no such question; false if it was closed before.
pub fn cancel(
    tx: &mut Tx<'_>,
    id: &QuestionId,
    by: Option<&Actor>,
    why: &str,
) -> Result<Option<(bool, QuestionRow)>, StoreError> {
    let Some((row, _)) = lock(tx, id)? else { return Ok(None) };
    if row.state != QuestionState::Open {
        return Ok(Some((false, row)));
    }
    cancel_open(tx, &row, by, why, "due")?;
    restate(tx, &row.session, row.job.as_ref())?;
    Ok(Some((true, *reread(tx, id)?)))
}

fn cancel_open(
    tx: &mut Tx<'_>,
    row: &QuestionRow,
    by: Option<&Actor>,
    why: &str,
    resume: &str,
) -> Result<(), StoreError> {
    close(tx, row, QuestionState::Cancelled, Closer::of(by), None, Some(resume))?;
    tx.run("UPDATE question SET closed_why = ?1 WHERE id = ?2", values![why, &row.id])?;
    let fact =
        QuestionEvent::Cancelled { id: row.id.clone(), job: row.job.clone(), by: by.cloned(), why: why.to_owned() };
    append(tx, row, fact)
}

/// Another question takes the place of an open one, with the same agent waiting: the action was edited.
pub fn supersede(
    tx: &mut Tx<'_>,
    id: &QuestionId,
    by: &Actor,
    new: &NewQuestion,
) -> Result<Option<(bool, QuestionRow)>, StoreError> {
    let Some((row, late)) = lock(tx, id)? else { return Ok(None) };
    if row.state != QuestionState::Open || late {
        return Ok(Some((false, row)));
    }
    let Some(session) = session::find(tx, &row.session)? else { return Ok(None) };
    let mut new = new.clone();
    // The time there is does not begin anew. It is Iris's time, which no change of the wall clock moves.
    let left = tx.one("SELECT due - iris_now() FROM question WHERE id = ?1 AND due IS NOT NULL", values![id])?;
    new.draft.deadline = left.map(|row| Millis(u64::try_from(row.int(0)).unwrap_or(1).max(1)));
    supersede_by(tx, &row, Some(by), &new.id)?;
    insert(tx, &session, Some(row.epoch), &new)?;
    take_over(tx, &row.id, &new.id)?;
    restate(tx, &row.session, row.job.as_ref())?;
    Ok(Some((true, *reread(tx, &new.id)?)))
}

/// The agent asked once and has waited since then, whatever a person made of it. It counts as asked once, too.
fn take_over(tx: &mut Tx<'_>, old: &QuestionId, new: &QuestionId) -> Result<(), StoreError> {
    tx.run(
        "UPDATE question SET asked = old.asked, shown = old.shown FROM (SELECT asked, shown FROM question WHERE id = ?1) \
         AS old WHERE id = ?2",
        values![old, new],
    )?;
    note_unasked(tx, old)
}

pub(super) fn supersede_by(
    tx: &mut Tx<'_>,
    row: &QuestionRow,
    by: Option<&Actor>,
    next: &QuestionId,
) -> Result<(), StoreError> {
    close(tx, row, QuestionState::Superseded, Closer::of(by), None, None)?;
    tx.run("UPDATE question SET replaced_by = ?1 WHERE id = ?2", values![next, &row.id])?;
    let (who, through) = (by.map(|by| by.party.clone()), by.and_then(|by| by.through.clone()));
    let (id, job) = (row.id.clone(), row.job.clone());
    let (by, told, why) = (Some(next.clone()), None, None);
    append(tx, row, QuestionEvent::Superseded { id, job, by, told, why, who, through })
}

/// Whether the time of any open question is over.
pub fn any_late(tx: &mut Tx<'_>) -> Result<bool, StoreError> {
    Ok(tx.one("SELECT id FROM question WHERE state = 'open' AND due <= iris_now() LIMIT 1", &[])?.is_some())
}

/// Ends the questions whose time is over, and returns them.
pub fn expire(tx: &mut Tx<'_>, limit: i64) -> Result<Vec<QuestionRow>, StoreError> {
    let sql = "SELECT id FROM question WHERE state = 'open' AND due <= iris_now() ORDER BY due, id LIMIT ?1";
    let mut ended = Vec::new();
    for found in tx.many(sql, values![limit])? {
        let id = QuestionId::new(found.text(0));
        let Some((row, late)) = lock(tx, &id)? else { continue };
        if row.state == QuestionState::Open && late {
            end_in_time(tx, &row)?;
            ended.push(*reread(tx, &id)?);
        }
    }
    Ok(ended)
}

fn end_in_time(tx: &mut Tx<'_>, row: &QuestionRow) -> Result<(), StoreError> {
    let (id, job) = (row.id.clone(), row.job.clone());
    let through = Through::from(Surface::Deadline);
    let time = Closer { party: None, through: Some(&through) };
    match (&row.default, row.on_deadline) {
        (Some(default), OnDeadline::Default) => {
            let resume = (!row.is_outside).then_some("due");
            close(tx, row, QuestionState::Defaulted, time, Some(default), resume)?;
            let response = type_of(row.detail.response_type(), default);
            append(tx, row, QuestionEvent::Defaulted { id, job, answer: default.clone(), response, through })?;
        }
        _ => {
            close(tx, row, QuestionState::Expired, time, None, Some("due"))?;
            append(tx, row, QuestionEvent::Expired { id, job, through })?;
            if let Some(job) = row.job.as_ref().filter(|_| row.blocks) {
                let why = format!("nobody answered in time: {}", row.text);
                job::fail(tx, job, &why)?;
            }
        }
    }
    restate(tx, &row.session, row.job.as_ref())
}

/// Who or what closes a question: time does, and is nobody.
#[derive(Clone, Copy)]
struct Closer<'a> {
    party: Option<&'a Party>,
    through: Option<&'a Through>,
}

impl<'a> Closer<'a> {
    fn of(actor: Option<&'a Actor>) -> Self {
        Self { party: actor.map(|actor| &actor.party), through: actor.and_then(|actor| actor.through.as_ref()) }
    }
}

fn close(
    tx: &mut Tx<'_>,
    row: &QuestionRow,
    state: QuestionState,
    by: Closer<'_>,
    answer: Option<&Answer>,
    resume: Option<&str>,
) -> Result<(), StoreError> {
    let json = answer.map(|answer| serde_json::to_string(answer).expect("an answer is plain data"));
    let through = by.through.map(to_json);
    let now = tx.wall_ms();
    tx.run(
        "UPDATE question SET state = ?1, closed_at = ?2, closed_by = ?3, closed_through = ?4, answer = ?5, resume = ?6, \
         closed = iris_now() WHERE id = ?7 AND state = 'open'",
        values![state.as_str(), now, by.party, through.as_ref(), json.as_ref(), resume, &row.id],
    )
}

fn append(tx: &mut Tx<'_>, row: &QuestionRow, fact: QuestionEvent) -> Result<(), StoreError> {
    event::append(tx, &[Draft { subject: row.subject(), fact: Fact::Question(fact) }])?;
    Ok(())
}

fn reread(tx: &mut Tx<'_>, id: &QuestionId) -> Result<Box<QuestionRow>, StoreError> {
    find(tx, id)?.map(Box::new).ok_or_else(|| StoreError::Sql("a question vanished while it was closed".to_owned()))
}

/// Everything is being stopped.
pub fn cancel_all(tx: &mut Tx<'_>, by: &Actor, why: &str) -> Result<(), StoreError> {
    let open = tx.many("SELECT id FROM question WHERE state = 'open'", &[])?;
    for row in open {
        cancel(tx, &QuestionId::new(row.text(0)), Some(by), why)?;
    }
    // What was answered and has not reached its agent would start it again.
    tx.run("UPDATE question SET resume = 'done' WHERE resume = 'due'", &[])
}

pub(crate) fn cancel_of_job(tx: &mut Tx<'_>, job: &JobId, by: Option<&Actor>, why: &str) -> Result<(), StoreError> {
    let open = tx.many("SELECT id FROM question WHERE job = ?1 AND state = 'open'", values![job])?;
    let ids: Vec<_> = open.iter().map(|row| QuestionId::new(row.text(0))).collect();
    cancel_each(tx, &ids, by, why)
}

/// Those that were asked in a turn that was broken off.
pub(crate) fn cancel_of_turn(tx: &mut Tx<'_>, turn: &TurnId, by: Option<&Actor>, why: &str) -> Result<(), StoreError> {
    let open = tx.many("SELECT id FROM question WHERE turn = ?1 AND state = 'open'", values![turn])?;
    let ids: Vec<_> = open.iter().map(|row| QuestionId::new(row.text(0))).collect();
    cancel_each(tx, &ids, by, why)
}

pub(crate) fn cancel_of_session(tx: &mut Tx<'_>, session: &SessionId, why: &str) -> Result<(), StoreError> {
    let open = tx.many("SELECT id FROM question WHERE session = ?1 AND state = 'open'", values![session])?;
    let ids: Vec<_> = open.iter().map(|row| QuestionId::new(row.text(0))).collect();
    cancel_each(tx, &ids, None, why)?;
    tx.run("UPDATE question SET resume = 'done' WHERE session = ?1 AND resume = 'due'", values![session])
}

fn cancel_each(tx: &mut Tx<'_>, ids: &[QuestionId], by: Option<&Actor>, why: &str) -> Result<(), StoreError> {
    for id in ids {
        cancel(tx, id, by, why)?;
    }
    Ok(())
}

/// The agent no longer waits for what it asked with this request, and nobody else does.
pub fn withdraw(
    tx: &mut Tx<'_>,
    session: &SessionId,
    epoch: i64,
    request: &str,
    by: Option<&Actor>,
    why: &str,
) -> Result<(), StoreError> {
    let sql = "SELECT id FROM question WHERE session = ?1 AND epoch = ?2 AND request = ?3 AND state = 'open'";
    for found in tx.many(sql, values![session, epoch, request])? {
        let Some((row, _)) = lock(tx, &QuestionId::new(found.text(0)))? else { continue };
        if row.state == QuestionState::Open {
            cancel_open(tx, &row, by, why, "done")?;
            restate(tx, &row.session, row.job.as_ref())?;
        }
    }
    Ok(())
}

/// In the outbox: nothing has to reach the agent, because the next tell is what it was answered with. Nobody chose that
/// as an answer, so nothing is learnt from it.
pub(super) const TOLD: &str = "told";

/// Whoever told the agent may answer what it asked by telling it again: what was found in a reply, also if the agent had
/// asked it with a tool before, without waiting.
pub(crate) fn answer_by_tell(tx: &mut Tx<'_>, session: &SessionRow, by: &Actor, text: &str) -> Result<(), StoreError> {
    for row in found_in_replies(tx, session)? {
        let answer = Answer::Choose { values: vec![text.to_owned()], note: None };
        close(tx, &row, QuestionState::Answered, Closer::of(Some(by)), Some(&answer), Some(TOLD))?;
        let (id, job) = (row.id.clone(), row.job.clone());
        let response = type_of(row.detail.response_type(), &answer);
        append(tx, &row, QuestionEvent::Answered { id, job, by: by.clone(), answer, response, rule: None })?;
    }
    restate(tx, &session.id, session.job.as_ref())
}

/// An agent tells the one that asked more. No agent answers anything, so nobody has; but what the two settle between them is
/// no longer asked of anybody.
pub(crate) fn supersede_by_tell(
    tx: &mut Tx<'_>,
    session: &SessionRow,
    by: &Actor,
    told: &TurnId,
) -> Result<(), StoreError> {
    let why = format!("{} told it more", by.party);
    for row in found_in_replies(tx, session)? {
        close(tx, &row, QuestionState::Superseded, Closer::of(Some(by)), None, None)?;
        tx.run("UPDATE question SET closed_why = ?1 WHERE id = ?2", values![&why, &row.id])?;
        let (id, job, who, through) = (row.id.clone(), row.job.clone(), by.party.clone(), by.through.clone());
        let (told, why, who) = (Some(told.clone()), Some(why.clone()), Some(who));
        append(tx, &row, QuestionEvent::Superseded { id, job, by: None, told, why, who, through })?;
    }
    restate(tx, &session.id, session.job.as_ref())
}

fn found_in_replies(tx: &mut Tx<'_>, session: &SessionRow) -> Result<Vec<QuestionRow>, StoreError> {
    let sql = "SELECT id FROM question WHERE session = ?1 AND state = 'open' AND (way = 'detected' \
               OR (way = 'tool' AND blocks = 1 AND kind IN ('clarifying', 'confirming', 'preference')))";
    let mut rows = Vec::new();
    for found in tx.many(sql, values![&session.id])? {
        rows.extend(lock(tx, &QuestionId::new(found.text(0)))?.map(|(row, _)| row));
    }
    Ok(rows)
}
