//! Jobs: started with their first turn, shown as what they wait for, ended with their last.

use iris_core::actor::Actor;
use iris_core::event::{Draft, Fact, JobEvent, Subject};
use iris_core::id::{JobId, Party, SessionId};
use iris_core::job::{JobState, JobView, settle};
use iris_core::team::TeamName;
use iris_core::turn::Ending;

use crate::clock::age_ms;
use crate::error::StoreError;
use crate::turn::{self, Accept, Accepted, NewTurn};
use crate::tx::{Row, Tx, values};
use crate::{event, question, session};

#[derive(Clone, Debug)]
pub struct JobRow {
    pub id: JobId,
    pub team: TeamName,
    pub session: SessionId,
    pub started_by: Party,
    pub goal: String,
    pub state: JobState,
    /// The event this state came from, and when that was.
    pub state_seq: i64,
    pub state_at: i64,
    pub state_age_ms: i64,
    pub again_of: Option<JobId>,
    pub created_at: i64,
    pub ended_at: Option<i64>,
    pub result: Option<String>,
    pub error: Option<String>,
    /// Before this number the log has nothing of it.
    pub first_seq: i64,
}

#[derive(Clone, Debug)]
pub struct NewJob {
    pub id: JobId,
    pub started_by: Actor,
    pub goal: String,
    pub key: Option<String>,
    pub again_of: Option<JobId>,
    /// The first thing its agent is told.
    pub first: NewTurn,
}

#[derive(Debug)]
pub enum Started {
    New(Box<JobRow>, Accepted),
    /// The key was used before, for this very job.
    Repeated(Box<JobRow>),
    /// The key was used before, for something else.
    KeyTaken(JobId),
    QueueFull {
        waiting: i64,
    },
}

macro_rules! job_columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, team, session, started_by, goal, state, state_seq, state_at, again_of, created_at, ended_at, ",
            "result, error, iris_now() - state_mark, first_seq FROM job ",
            $rest
        )
    };
}

impl JobRow {
    fn read(row: &Row) -> Result<Self, StoreError> {
        Ok(Self {
            id: JobId::new(row.text(0)),
            team: row.parsed(1)?,
            session: SessionId::new(row.text(2)),
            started_by: Party::new(row.text(3)),
            goal: row.text(4).to_owned(),
            state: row.parsed(5)?,
            state_seq: row.int(6),
            state_at: row.int(7),
            again_of: row.maybe_text(8).map(JobId::new),
            created_at: row.int(9),
            ended_at: row.maybe_int(10),
            result: row.maybe_text(11).map(str::to_owned),
            error: row.maybe_text(12).map(str::to_owned),
            state_age_ms: age_ms(row.maybe_int(13), row.int(7)),
            first_seq: row.int(14),
        })
    }

    fn subject(&self) -> Subject {
        Subject { team: Some(self.team.clone()), session: Some(self.session.clone()), turn: None }
    }
}

pub fn find(tx: &mut Tx<'_>, id: &JobId) -> Result<Option<JobRow>, StoreError> {
    tx.one(job_columns!("WHERE id = ?1"), values![id])?.as_ref().map(JobRow::read).transpose()
}

/// Newest first, before an id.
pub fn list(tx: &mut Tx<'_>, before: Option<&str>, limit: i64) -> Result<Vec<JobRow>, StoreError> {
    let rows = match before {
        Some(before) => tx.many(job_columns!("WHERE id < ?1 ORDER BY id DESC LIMIT ?2"), values![before, limit])?,
        None => tx.many(job_columns!("ORDER BY id DESC LIMIT ?1"), values![limit])?,
    };
    rows.iter().map(JobRow::read).collect()
}

/// Writes a job down together with the first thing its agent is told.
pub fn start(tx: &mut Tx<'_>, new: &NewJob) -> Result<Started, StoreError> {
    if let Some(known) = find_repeated(tx, new)? {
        return Ok(known);
    }
    // Found before the turn is taken in, so that whatever comes of it belongs to the job.
    let made = session::find_or_create(tx, &new.first.from, &new.first.to, &new.first.fresh_session)?;
    tx.run("UPDATE session SET job = ?1 WHERE id = ?2", values![&new.id, &made.id])?;
    let fact = JobEvent::Started { id: new.id.clone(), by: new.started_by.clone(), goal: new.goal.clone() };
    let seq = event::append(tx, &[Draft { subject: made.subject(), fact: Fact::Job(fact) }])?;
    let now = tx.wall_ms();
    tx.run(
        "INSERT INTO job (id, team, session, started_by, goal, state, state_seq, state_at, state_mark, key, again_of, \
         created_at, first_seq) VALUES (?1, ?2, ?3, ?4, ?5, 'running', ?6, ?7, iris_now(), ?8, ?9, ?7, ?10)",
        values![
            &new.id,
            &new.first.to,
            &made.id,
            &new.started_by.party,
            &new.goal,
            seq,
            now,
            new.key.as_ref(),
            new.again_of.as_ref(),
            made.state_seq,
        ],
    )?;
    match turn::accept(tx, &new.first)? {
        Accept::Accepted(accepted) => {
            let row =
                find(tx, &new.id)?.ok_or_else(|| StoreError::Sql("a job vanished while it was made".to_owned()))?;
            Ok(Started::New(Box::new(row), accepted))
        }
        Accept::QueueFull { waiting } => Ok(Started::QueueFull { waiting }),
        Accept::Repeated(_) | Accept::KeyTaken { .. } | Accept::Forgotten { .. } => {
            Err(StoreError::Sql("a new turn was there already".to_owned()))
        }
    }
}

fn find_repeated(tx: &mut Tx<'_>, new: &NewJob) -> Result<Option<Started>, StoreError> {
    let sql = job_columns!("WHERE key = ?1");
    let known = match &new.key {
        Some(key) => tx.one(sql, values![key])?.as_ref().map(JobRow::read).transpose()?,
        // This very write may have been made before, and its answer lost.
        None => find(tx, &new.id)?,
    };
    let Some(row) = known else { return Ok(None) };
    // Run again with another answer, a job is another job.
    let sql = "SELECT body FROM turn WHERE session = ?1 ORDER BY number LIMIT 1";
    let told = tx.one(sql, values![&row.session])?.map(|turn| turn.text(0).to_owned());
    let same = row.goal == new.goal
        && row.team == new.first.to
        && (row.again_of.is_none() || told.is_none_or(|told| told == new.first.body));
    Ok(Some(if same { Started::Repeated(Box::new(row)) } else { Started::KeyTaken(row.id) }))
}

/// Says what a job waits for.
pub(crate) fn restate(tx: &mut Tx<'_>, id: &JobId) -> Result<(), StoreError> {
    // One that is just being ended goes on with nothing, though its questions are gone.
    let goes_on = |row: &JobRow| !row.state.is_over() && row.ended_at.is_none();
    let Some(row) = find(tx, id)?.filter(goes_on) else { return Ok(()) };
    let sql = "SELECT count(*), count(CASE WHEN kind = 'approval' THEN 1 END) FROM question \
               WHERE job = ?1 AND state = 'open' AND blocks = 1";
    let (open, approvals) = tx.one(sql, values![id])?.map_or((0, 0), |row| (row.int(0), row.int(1)));
    let state = match (open, approvals) {
        (0, _) => JobState::Running,
        (_, 0) => JobState::WaitingForInput,
        _ => JobState::WaitingForApproval,
    };
    if state == row.state {
        return Ok(());
    }
    let fact = Fact::Job(JobEvent::Status { id: id.clone(), status: state });
    let seq = event::append(tx, &[Draft { subject: row.subject(), fact }])?;
    let now = tx.wall_ms();
    tx.run(
        "UPDATE job SET state = ?1, state_seq = ?2, state_at = ?3, state_mark = iris_now() WHERE id = ?4",
        values![state.as_str(), seq, now, id],
    )
}

/// Ends a job, and with it its questions. False if it was over before. `by`: whoever wanted it to end.
pub fn end(
    tx: &mut Tx<'_>,
    id: &JobId,
    state: JobState,
    by: Option<&Actor>,
    result: Option<&str>,
    error: Option<&str>,
) -> Result<bool, StoreError> {
    let Some(row) = find(tx, id)?.filter(|row| !row.state.is_over()) else { return Ok(false) };
    let ended = tx.one(
        "UPDATE job SET ended_at = ?1, result = ?2, error = ?3 WHERE id = ?4 AND ended_at IS NULL RETURNING id",
        values![tx.wall_ms(), result, error, id],
    )?;
    if ended.is_none() {
        return Ok(false);
    }
    // Before the state changes, so that the last event of the job is its end.
    question::cancel_of_job(tx, id, by, &format!("the job is {state}"))?;
    let fact = JobEvent::Ended { id: id.clone(), status: state, by: by.cloned(), error: error.map(str::to_owned) };
    let seq = event::append(tx, &[Draft { subject: row.subject(), fact: Fact::Job(fact) }])?;
    let now = tx.wall_ms();
    tx.run(
        "UPDATE job SET state = ?1, state_seq = ?2, state_at = ?3, state_mark = iris_now() WHERE id = ?4",
        values![state.as_str(), seq, now, id],
    )?;
    Ok(true)
}

/// Fails a job, with what its agent said last.
pub(crate) fn fail(tx: &mut Tx<'_>, id: &JobId, why: &str) -> Result<bool, StoreError> {
    let Some(row) = find(tx, id)? else { return Ok(false) };
    let said = look(tx, &row)?.last_response;
    end(tx, id, JobState::Failed, None, Some(said.as_str()).filter(|said| !said.is_empty()), Some(why))
}

/// Everything is being stopped: a job that only waits, for an answer, a turn or work in the background, ends with that,
/// however well its last turn went. One whose turn runs ends as that does, and one that is at its end as it would.
pub fn stop_waiting(tx: &mut Tx<'_>, by: &Actor, why: &str) -> Result<(), StoreError> {
    for row in tx.many(job_columns!("WHERE ended_at IS NULL ORDER BY id"), &[])? {
        let job = JobRow::read(&row)?;
        let view = look(tx, &job)?;
        if !view.has_running_turn && settle(&view).is_none() {
            let said = Some(view.last_response.as_str()).filter(|said| !said.is_empty());
            end(tx, &job.id, JobState::Stopped, Some(by), said, Some(why))?;
        }
    }
    Ok(())
}

const SETTLED_AT_ONCE: i64 = 1000;

/// Ends the jobs that are at their end.
pub fn settle_all(tx: &mut Tx<'_>) -> Result<Vec<JobId>, StoreError> {
    let rows = tx.many(job_columns!("WHERE ended_at IS NULL ORDER BY id LIMIT ?1"), values![SETTLED_AT_ONCE])?;
    let mut ended = Vec::new();
    for row in rows {
        let job = JobRow::read(&row)?;
        let view = look(tx, &job)?;
        if let Some(outcome) = settle(&view)
            && end(tx, &job.id, outcome.state, None, outcome.result.as_deref(), outcome.error.as_deref())?
        {
            ended.push(job.id);
        }
    }
    Ok(ended)
}

/// Whether any job is at its end, without changing anything.
pub fn any_to_settle(tx: &mut Tx<'_>) -> Result<bool, StoreError> {
    let rows = tx.many(job_columns!("WHERE ended_at IS NULL ORDER BY id LIMIT ?1"), values![SETTLED_AT_ONCE])?;
    for row in rows {
        let job = JobRow::read(&row)?;
        if settle(&look(tx, &job)?).is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn look(tx: &mut Tx<'_>, job: &JobRow) -> Result<JobView, StoreError> {
    let Some(session) = session::find(tx, &job.session)? else {
        // Somebody deleted its session: nothing of it can go on.
        return Ok(JobView { last_ending: Some(Ending::Cancelled), ..JobView::default() });
    };
    let sql = "SELECT count(CASE WHEN state = 'open' AND blocks = 1 THEN 1 END), \
               count(CASE WHEN resume IN ('due', 'handed') THEN 1 END) FROM question WHERE job = ?1";
    let (open_questions, answers_under_way) =
        tx.one(sql, values![&job.id])?.map_or((0, 0), |row| (row.int(0), row.int(1)));
    // A telling that was not needed any more, and belongs to no answer since, is not how the job ended.
    let sql = "SELECT ending, response FROM turn WHERE session = ?1 AND finished_at IS NOT NULL \
               AND NOT (state = 'cancelled' AND coalesce(origin, '') = 'answer' \
               AND NOT EXISTS (SELECT id FROM question WHERE session = ?1 AND resume_turn = turn.id)) ORDER BY number DESC LIMIT 1";
    let last = tx.one(sql, values![&job.session])?;
    let scheduled = tx.one("SELECT count(*) FROM timer WHERE session = ?1", values![&job.session])?;
    Ok(JobView {
        has_running_turn: session.running.is_some(),
        waiting_turns: session.queued + scheduled.map_or(0, |row| row.int(0)),
        background: session.background,
        open_questions,
        answers_under_way,
        last_ending: last.as_ref().and_then(|row| serde_json::from_str(row.maybe_text(0)?).ok()),
        last_response: last.map(|row| row.text(1).to_owned()).unwrap_or_default(),
    })
}
