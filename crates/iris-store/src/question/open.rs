//! A question is written down: unless it is there already, a rule answers it, or the agent asks too much.

use iris_core::actor::{Actor, Surface, Through};
use iris_core::event::{Draft as EventDraft, Fact, QuestionEvent, QuestionOpened, Subject};
use iris_core::id::{Party, QuestionId, SessionId, TurnId};
use iris_core::question::{Answer, Draft, QuestionState, Way, asks_alike, leave, type_of};
use iris_core::relay;
use iris_core::rule::{Rule, decide};

use super::close::supersede_by;
use super::{QuestionRow, find, question_columns, restate};
use crate::error::StoreError;
use crate::session::{self, SessionRow};
use crate::turn::CancelWaiting;
use crate::tx::{Tx, values};
use crate::{event, rule, turn};

#[derive(Clone, Debug)]
pub struct NewQuestion {
    pub id: QuestionId,
    pub turn: Option<TurnId>,
    /// The agent's own name for its request; empty if nothing of it waits on a pipe.
    pub request: String,
    /// The party it is put to; anybody if none.
    pub asked_of: Option<Party>,
    pub key: Option<String>,
    /// How long only the party that told sees it.
    pub hidden_ms: i64,
    pub draft: Draft,
    /// Questions that requests of the agent still wait for: another request for the same is another question.
    pub waited_for: Vec<QuestionId>,
    /// Whoever asks waits where it asks, outside, and is told nowhere else.
    pub is_outside: bool,
}

/// How much an agent may ask.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub per_minute: i64,
    pub open: i64,
}

#[derive(Debug)]
pub enum Opening {
    /// It is open; the same if it was asked before and nobody has answered yet.
    Open(QuestionId),
    /// A rule has answered it, or an answer that was given when the agent could not be reached.
    Answered(Box<QuestionRow>),
    /// The agent asks too much.
    Limited { why: String },
    /// Something else was asked under this key.
    KeyTaken(Box<QuestionRow>),
}

/// `epoch`: the process that asks; none for what is asked from outside.
pub fn open(
    tx: &mut Tx<'_>,
    session: &SessionId,
    epoch: Option<i64>,
    new: &NewQuestion,
    limits: Limits,
) -> Result<Opening, StoreError> {
    let row = match epoch {
        Some(epoch) => session::lock_owned(tx, session, epoch)?,
        None => session::lock(tx, session)?.ok_or(StoreError::Fenced)?,
    };
    // This very write may have been made before, and its answer lost.
    if let Some(known) = find(tx, &new.id)? {
        return Ok(as_known(known));
    }
    if let Some(known) = find_by_key(tx, session, new.key.as_deref())? {
        return Ok(if asks_the_same(&known, &new.draft) {
            as_known(known)
        } else {
            Opening::KeyTaken(Box::new(known))
        });
    }
    let rules = rule::list_holding(tx, &row.to)?;
    if let Some(rule) = decide(&rules, &new.draft) {
        return answer_by_rule(tx, &row, epoch, new, rule, limits);
    }
    if let Some(given) = use_up(tx, &row, new)? {
        return Ok(Opening::Answered(Box::new(given)));
    }
    let left = list_left_open(tx, &row, new)?;
    if let Some(same) = left.iter().find(|left| asks_the_same(left, &new.draft)) {
        rebind(tx, &same.id, epoch, new)?;
        return Ok(Opening::Open(same.id.clone()));
    }
    if let Some(why) = asks_too_much(tx, session, limits)? {
        return Ok(Opening::Limited { why });
    }
    insert(tx, &row, epoch, new)?;
    // What somebody may be looking at stays what it is. It is for the same deed in other bytes, so nobody needs it now.
    for old in &left {
        supersede_by(tx, old, None, &new.id)?;
    }
    restate(tx, session, row.job.as_ref())?;
    Ok(Opening::Open(new.id.clone()))
}

/// Whether an answer to what is on record is an answer to this, too.
fn asks_the_same(known: &QuestionRow, draft: &Draft) -> bool {
    let is_same = match &draft.digest {
        // The same bytes may do more than when they were decided on: a link may lead elsewhere now.
        Some(_) => known.digest == draft.digest && draft.risk <= known.risk,
        None => to_json(&known.detail) == to_json(&draft.detail),
    };
    is_same && known.kind == draft.kind
}

fn as_known(known: QuestionRow) -> Opening {
    if known.state == QuestionState::Open { Opening::Open(known.id) } else { Opening::Answered(Box::new(known)) }
}

fn find_by_key(tx: &mut Tx<'_>, session: &SessionId, key: Option<&str>) -> Result<Option<QuestionRow>, StoreError> {
    let Some(key) = key else { return Ok(None) };
    let sql = question_columns!("WHERE session = ?1 AND key = ?2");
    tx.one(sql, values![session, key])?.as_ref().map(QuestionRow::read).transpose()
}

/// The same deed is open already, and nothing waits for it any more: its process ended, or its call was cut.
fn list_left_open(tx: &mut Tx<'_>, session: &SessionRow, new: &NewQuestion) -> Result<Vec<QuestionRow>, StoreError> {
    let sql =
        question_columns!("WHERE session = ?1 AND deed = ?2 AND state = 'open' AND way = ?3 ORDER BY opened_at, id");
    let rows = tx.many(sql, values![&session.id, &new.draft.deed, new.draft.way.as_str()])?;
    let mut open = rows.iter().map(QuestionRow::read).collect::<Result<Vec<_>, _>>()?;
    open.retain(|row| !new.waited_for.contains(&row.id));
    Ok(open)
}

/// Another request waits for the same question. What it asks is never changed: somebody may be looking at it.
fn rebind(tx: &mut Tx<'_>, id: &QuestionId, epoch: Option<i64>, new: &NewQuestion) -> Result<(), StoreError> {
    tx.run(
        "UPDATE question SET request = ?1, epoch = ?2, turn = coalesce(?3, turn) WHERE id = ?4",
        values![&new.request, epoch.unwrap_or(0), new.turn.as_ref(), id],
    )
}

/// How long an answer is kept for a client outside that was cut off before it had it: as long as clients try again.
const CUT_OFF_MS: i64 = 600_000;

/// An answer that is told to the agent by a turn, because its process had ended, holds once for the very same request, and
/// only until that turn is over. One that went out to no client outside holds for the same call again, for a while.
fn use_up(tx: &mut Tx<'_>, session: &SessionRow, new: &NewQuestion) -> Result<Option<QuestionRow>, StoreError> {
    let sql = question_columns!(
        "WHERE session = ?1 AND deed = ?2 AND unused = 1 AND ((way = 'api' AND closed_at > ?3) OR resume_turn IN \
         (SELECT id FROM turn WHERE state IN ('scheduled', 'queued', 'running'))) ORDER BY closed_at, id"
    );
    let since = tx.wall_ms() - CUT_OFF_MS;
    let rows = tx.many(sql, values![&session.id, &new.draft.deed, since])?;
    let given = rows.iter().map(QuestionRow::read).collect::<Result<Vec<_>, _>>()?;
    let Some(given) = given.into_iter().find(|given| asks_the_same(given, &new.draft)) else { return Ok(None) };
    // A client outside may be cut off again: its answer is used up when it went out (`note_heard`).
    if given.way == Way::Api {
        return Ok(Some(given));
    }
    tx.run("UPDATE question SET unused = 0, resume = 'done' WHERE id = ?1", values![&given.id])?;
    let used = QuestionEvent::Used { id: given.id.clone(), job: given.job.clone() };
    event::append(tx, &[EventDraft { subject: subject(session, new), fact: Fact::Question(used) }])?;
    // It need not be told any more, if it has not been.
    if let Some(telling) = &given.resume_turn
        && turn::cancel_waiting(tx, telling)? == CancelWaiting::Done
    {
        tx.run("UPDATE question SET resume_turn = NULL WHERE id = ?1", values![&given.id])?;
    }
    Ok(Some(given))
}

/// The answers went out to the clients outside that asked, and are used up with that.
pub fn note_heard(tx: &mut Tx<'_>, ids: &[QuestionId]) -> Result<(), StoreError> {
    for id in ids {
        tx.run("UPDATE question SET unused = 0 WHERE id = ?1", values![id])?;
    }
    Ok(())
}

fn asks_too_much(tx: &mut Tx<'_>, session: &SessionId, limits: Limits) -> Result<Option<String>, StoreError> {
    let sql = "SELECT count(*) FROM question WHERE session = ?1 AND asked > iris_now() - 60000";
    let lately = tx.one(sql, values![session])?.map_or(0, |row| row.int(0));
    if lately >= limits.per_minute {
        return Ok(Some(format!("it asked {lately} questions within a minute; {} are allowed", limits.per_minute)));
    }
    let sql = "SELECT count(*) FROM question WHERE session = ?1 AND state = 'open'";
    let open = tx.one(sql, values![session])?.map_or(0, |row| row.int(0));
    if open >= limits.open {
        return Ok(Some(format!("{open} of its questions are open; {} are allowed", limits.open)));
    }
    Ok(None)
}

/// What a rule refuses counts as asked, so that an agent cannot try for ever; what it allows does not.
fn answer_by_rule(
    tx: &mut Tx<'_>,
    session: &SessionRow,
    epoch: Option<i64>,
    new: &NewQuestion,
    rule: &Rule,
    limits: Limits,
) -> Result<Opening, StoreError> {
    let refused = matches!(rule.answer, Answer::Refuse { .. });
    if refused && let Some(why) = asks_too_much(tx, &session.id, limits)? {
        return Ok(Opening::Limited { why });
    }
    insert(tx, session, epoch, new)?;
    close_by_rule(tx, session, new, rule, None)?;
    if !refused {
        note_unasked(tx, &new.id)?;
    }
    let row = find(tx, &new.id)?.ok_or_else(|| StoreError::Sql("a question vanished while it was made".to_owned()))?;
    Ok(Opening::Answered(Box::new(row)))
}

/// It does not count as asked by the agent. Only for what is closed: how long the others wait is known by when they were
/// asked.
pub(super) fn note_unasked(tx: &mut Tx<'_>, id: &QuestionId) -> Result<(), StoreError> {
    tx.run("UPDATE question SET asked = 0 WHERE id = ?1", values![id])
}

/// `resume`: `due` if the agent has to be told, nothing if it waits for what comes back here.
fn close_by_rule(
    tx: &mut Tx<'_>,
    session: &SessionRow,
    new: &NewQuestion,
    rule: &Rule,
    resume: Option<&str>,
) -> Result<(), StoreError> {
    let through = Through::from(Surface::Rule);
    let answer = leave::told(&new.draft.detail, &rule.answer);
    let (by, json, now) = (format!("rule:{}", rule.id), to_json(&answer), tx.wall_ms());
    tx.run(
        "UPDATE question SET state = 'answered', closed_at = ?1, closed_by = ?2, answer = ?3, rule = ?4, due = NULL, \
         resume = ?5, closed_through = ?7, closed = iris_now() WHERE id = ?6",
        values![now, &by, &json, &rule.id, resume, &new.id, &to_json(&through)],
    )?;
    rule::note_use(tx, &rule.id)?;
    let fact = Fact::Question(QuestionEvent::Answered {
        id: new.id.clone(),
        job: session.job.clone(),
        by: Actor { party: Party::new(by), through: Some(through) },
        response: type_of(new.draft.detail.response_type(), &answer),
        answer,
        rule: Some(rule.id.clone()),
    });
    event::append(tx, &[EventDraft { subject: subject(session, new), fact }])?;
    Ok(())
}

pub(super) fn insert(
    tx: &mut Tx<'_>,
    session: &SessionRow,
    epoch: Option<i64>,
    new: &NewQuestion,
) -> Result<(), StoreError> {
    let Draft { kind, way, text, context, detail, default, on_deadline, deadline, risk, risk_why, digest, deed } =
        &new.draft;
    let now = tx.wall_ms();
    // Nobody can answer what is held back, so its time begins when it is shown.
    let deadline_ms = deadline.map(|deadline| i64::try_from(deadline.0).unwrap_or(i64::MAX / 4) + new.hidden_ms);
    let deadline_at = deadline_ms.map(|deadline| now + deadline);
    let json = to_json(detail);
    // A job speaks with its agent itself, and has nobody to answer for it: what is put to it is put to anybody.
    let is_jobs = |party: &Party| session.job.is_some() && *party == session.from;
    let asked_of = new.asked_of.clone().filter(|party| !is_jobs(party));
    tx.run(
        "INSERT INTO question (id, kind, state, team, session, turn, request, epoch, text, detail, asked_of, opened_at, \
         way, job, context, blocks, default_answer, on_deadline, due, deadline_at, asked, shown, risk, risk_why, digest, \
         deed, key, outside) VALUES (?1, ?2, 'open', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, \
         iris_now() + ?18, ?19, iris_now(), iris_now() + ?20, ?21, ?22, ?23, ?24, ?25, ?26)",
        values![
            &new.id,
            kind.as_str(),
            &session.to,
            &session.id,
            new.turn.as_ref(),
            &new.request,
            epoch.unwrap_or(0),
            text,
            &json,
            asked_of.as_ref(),
            now,
            way.as_str(),
            session.job.as_ref(),
            context.as_ref(),
            i64::from(new.draft.blocks()),
            default.as_ref().map(to_json).as_ref(),
            on_deadline.as_str(),
            deadline_ms,
            deadline_at,
            new.hidden_ms,
            risk.map(|risk| risk.as_str()),
            risk_why.as_ref(),
            digest.as_ref(),
            deed,
            new.key.as_ref(),
            i64::from(new.is_outside),
        ],
    )?;
    let opened = QuestionOpened {
        id: new.id.clone(),
        kind: *kind,
        way: *way,
        text: text.clone(),
        context: context.clone(),
        response_type: detail.response_type(),
        asked_of,
        job: session.job.clone(),
        deadline: deadline_at,
        on_deadline: *on_deadline,
        risk: *risk,
        digest: digest.clone(),
        detail: detail.told(),
    };
    let fact = Fact::Question(QuestionEvent::Opened(Box::new(opened)));
    event::append(tx, &[EventDraft { subject: subject(session, new), fact }])?;
    Ok(())
}

fn subject(session: &SessionRow, new: &NewQuestion) -> Subject {
    Subject { turn: new.turn.clone(), ..session.subject() }
}

pub(super) fn to_json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("questions and answers are plain data")
}

/// A question that was found in a reply is written down with the end of its turn. If a rule answers it, the agent is told.
pub(crate) fn open_detected(tx: &mut Tx<'_>, session: &SessionRow, new: &NewQuestion) -> Result<(), StoreError> {
    if find(tx, &new.id)?.is_some() {
        return Ok(());
    }
    if let Some(same) = find_alike(tx, session, &new.draft)? {
        wait_for(tx, &same, &new.draft)?;
        return restate(tx, &session.id, session.job.as_ref());
    }
    insert(tx, session, None, new)?;
    let rules = rule::list_holding(tx, &session.to)?;
    if let Some(rule) = decide(&rules, &new.draft) {
        // An agent that asks the same after every answer would be answered for ever.
        if answered_by_rule(tx, session)? < relay::DEEPEST {
            close_by_rule(tx, session, new, rule, Some("due"))?;
        } else {
            tracing::info!(session = %session.id, rule = %rule.id, "a rule has answered often enough; a person is asked");
        }
    }
    tx.run(
        "UPDATE session SET found = found + 1 - CASE WHEN (iris_now() - found_at) / ?1 < found \
         THEN (iris_now() - found_at) / ?1 ELSE found END, found_at = iris_now() WHERE id = ?2",
        values![relay::DECAY_MS, &session.id],
    )?;
    restate(tx, &session.id, session.job.as_ref())
}

/// What is asked in a reply may be open already: in an earlier reply, or because the agent asked it with a tool, too.
fn find_alike(tx: &mut Tx<'_>, session: &SessionRow, draft: &Draft) -> Result<Option<QuestionRow>, StoreError> {
    let rows = tx.many(
        question_columns!("WHERE session = ?1 AND state = 'open' ORDER BY opened_at, id"),
        values![&session.id],
    )?;
    let open = rows.iter().map(QuestionRow::read).collect::<Result<Vec<_>, _>>()?;
    Ok(open.into_iter().find(|open| open.digest.is_none() && asks_alike(&open.detail, &draft.detail)))
}

/// The turn is over, so what the agent did not wait for before is waited for now, and for as long as if it were asked now.
fn wait_for(tx: &mut Tx<'_>, same: &QuestionRow, draft: &Draft) -> Result<(), StoreError> {
    if same.blocks || !draft.blocks() {
        return Ok(());
    }
    let deadline_ms = draft.deadline.map(|deadline| i64::try_from(deadline.0).unwrap_or(i64::MAX / 4));
    let deadline_at = deadline_ms.map(|deadline| tx.wall_ms() + deadline);
    tx.run(
        "UPDATE question SET blocks = 1, due = coalesce(due, iris_now() + ?1), deadline_at = coalesce(deadline_at, ?2) \
         WHERE id = ?3",
        values![deadline_ms, deadline_at, &same.id],
    )
}

/// How many questions that were found in replies rules have answered one after the other, since anybody else had a say.
fn answered_by_rule(tx: &mut Tx<'_>, session: &SessionRow) -> Result<i64, StoreError> {
    let sql = "SELECT count(*) FROM question WHERE session = ?1 AND way = ?2 AND rule IS NOT NULL \
               AND id > coalesce((SELECT max(id) FROM question WHERE session = ?1 AND state <> 'open' AND rule IS NULL), '') \
               AND opened_at >= coalesce((SELECT accepted_at FROM turn WHERE session = ?1 AND origin IS NULL \
               ORDER BY number DESC LIMIT 1), 0)";
    let row = tx.one(sql, values![&session.id, Way::Detected.as_str()])?;
    Ok(row.map_or(0, |row| row.int(0)))
}

/// Whether a question that was held back is to be seen now.
pub fn any_to_show(tx: &mut Tx<'_>) -> Result<bool, StoreError> {
    let sql = "SELECT id FROM question WHERE state = 'open' AND shown > asked AND shown <= iris_now() LIMIT 1";
    Ok(tx.one(sql, &[])?.is_some())
}

/// Says of what was held back that it is to be seen now. To people it is asked at this moment, which is how it is known
/// that it was said; and from now on it is put to anybody, since the party that it waited for has said nothing.
pub fn show_due(tx: &mut Tx<'_>, limit: i64) -> Result<(), StoreError> {
    let sql = "UPDATE question SET asked = shown, asked_of = NULL WHERE id IN (SELECT id FROM question WHERE state = 'open' \
               AND shown > asked AND shown <= iris_now() ORDER BY shown, id LIMIT ?1) RETURNING id";
    for found in tx.many(sql, values![limit])? {
        let Some(row) = find(tx, &QuestionId::new(found.text(0)))? else { continue };
        let fact = Fact::Question(QuestionEvent::Shown { id: row.id.clone(), job: row.job.clone() });
        event::append(tx, &[EventDraft { subject: row.subject(), fact }])?;
    }
    Ok(())
}

/// How many questions were found in a session's replies, and how long ago the last was.
pub fn found_lately(tx: &mut Tx<'_>, session: &SessionId) -> Result<(i64, i64), StoreError> {
    let row = tx.one("SELECT found, iris_now() - found_at FROM session WHERE id = ?1", values![session])?;
    Ok(row.map_or((0, 0), |row| (row.int(0), row.int(1))))
}

/// Says in the log that an agent asks too much.
pub fn note_limited(tx: &mut Tx<'_>, session: &SessionId, why: &str) -> Result<(), StoreError> {
    let Some(session) = session::find(tx, session)? else { return Ok(()) };
    let fact = Fact::Question(QuestionEvent::Limited { why: why.to_owned() });
    event::append(tx, &[EventDraft { subject: session.subject(), fact }])?;
    Ok(())
}
