//! Questions: opened once, closed once, and their answers passed on once.

mod close;
mod figures;
mod open;
mod resume;

use iris_core::actor::Through;
use iris_core::event::Subject;
use iris_core::id::{JobId, Party, QuestionId, RuleId, SessionId, TurnId};
use iris_core::question::{Answer, Detail, OnDeadline, QuestionKind, QuestionState, Risk, Way};
use iris_core::team::TeamName;

use crate::error::StoreError;
use crate::tx::{Row, Tx, values};
use crate::{event, job};

pub use close::{Answered, Given, answer, any_late, cancel, cancel_all, expire, remember, supersede, withdraw};
pub(crate) use close::{answer_by_tell, cancel_of_job, cancel_of_session, cancel_of_turn, supersede_by_tell};
pub use figures::{Figures, KindFigures, Past, figures, past_answers};
pub(crate) use open::open_detected;
pub use open::{Limits, NewQuestion, Opening, any_to_show, found_lately, note_heard, note_limited, open, show_due};
pub use resume::{confirm, hand, list_to_pass_on, resume_by_turn, words};
pub(crate) use resume::{put_back, words_again};

#[derive(Clone, Debug)]
pub struct QuestionRow {
    pub id: QuestionId,
    pub kind: QuestionKind,
    pub state: QuestionState,
    pub team: TeamName,
    pub session: SessionId,
    pub turn: Option<TurnId>,
    /// The agent's own name for its request, and the process that made it.
    pub request: String,
    pub epoch: i64,
    pub text: String,
    pub detail: Detail,
    /// The party it is put to; anybody if none.
    pub asked_of: Option<Party>,
    pub opened_at: i64,
    pub closed_at: Option<i64>,
    pub closed_by: Option<String>,
    /// Nothing, if it was closed before this was kept.
    pub closed_through: Option<Through>,
    pub answer: Option<Answer>,
    pub way: Way,
    pub job: Option<JobId>,
    pub context: Option<String>,
    pub blocks: bool,
    pub default: Option<Answer>,
    pub on_deadline: OnDeadline,
    pub deadline_at: Option<i64>,
    pub risk: Option<Risk>,
    pub risk_why: Option<String>,
    pub digest: Option<String>,
    pub deed: String,
    pub resume: Option<String>,
    pub resume_turn: Option<TurnId>,
    pub in_doubt: bool,
    pub rule: Option<RuleId>,
    pub replaced_by: Option<QuestionId>,
    pub key: Option<String>,
    /// Why it was withdrawn, or is no longer asked.
    pub closed_why: Option<String>,
    /// Whoever asked waits where it asked, outside, and is told nowhere else.
    pub is_outside: bool,
    /// It is asked in a job that is not over. What the agent of one that is asks later, in the same session, is not waited for by
    /// the job.
    pub is_of_running_job: bool,
}

macro_rules! question_columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, kind, state, team, session, turn, request, epoch, text, detail, asked_of, opened_at, ",
            "closed_at, closed_by, answer, way, job, context, blocks, default_answer, on_deadline, deadline_at, risk, ",
            "risk_why, digest, deed, resume, resume_turn, doubt, rule, replaced_by, key, closed_through, closed_why, \
             outside, (SELECT count(*) FROM job WHERE job.id = question.job AND job.ended_at IS NULL) FROM question ",
            $rest
        )
    };
}
pub(crate) use question_columns;

impl QuestionRow {
    pub(crate) fn read(row: &Row) -> Result<Self, StoreError> {
        let damaged = |what: &str| StoreError::Damaged { place: "a question".to_owned(), what: what.to_owned() };
        let answer = |index| row.maybe_text(index).and_then(|json| serde_json::from_str(json).ok());
        Ok(Self {
            id: QuestionId::new(row.text(0)),
            kind: row.parsed(1)?,
            state: row.parsed(2)?,
            team: row.parsed(3)?,
            session: SessionId::new(row.text(4)),
            turn: row.maybe_text(5).map(TurnId::new),
            request: row.text(6).to_owned(),
            epoch: row.int(7),
            text: row.text(8).to_owned(),
            detail: serde_json::from_str(row.text(9)).map_err(|error| damaged(&error.to_string()))?,
            asked_of: row.maybe_text(10).map(Party::new),
            opened_at: row.int(11),
            closed_at: row.maybe_int(12),
            closed_by: row.maybe_text(13).map(str::to_owned),
            answer: answer(14),
            way: row.parsed(15)?,
            job: row.maybe_text(16).map(JobId::new),
            context: row.maybe_text(17).map(str::to_owned),
            blocks: row.int(18) != 0,
            default: answer(19),
            on_deadline: row.parsed(20)?,
            deadline_at: row.maybe_int(21),
            risk: row.maybe_text(22).and_then(|risk| risk.parse().ok()),
            risk_why: row.maybe_text(23).map(str::to_owned),
            digest: row.maybe_text(24).map(str::to_owned),
            deed: row.text(25).to_owned(),
            resume: row.maybe_text(26).map(str::to_owned),
            resume_turn: row.maybe_text(27).map(TurnId::new),
            in_doubt: row.int(28) != 0,
            rule: row.maybe_text(29).map(RuleId::new),
            replaced_by: row.maybe_text(30).map(QuestionId::new),
            key: row.maybe_text(31).map(str::to_owned),
            closed_through: row.maybe_text(32).and_then(|json| serde_json::from_str(json).ok()),
            closed_why: row.maybe_text(33).map(str::to_owned),
            is_outside: row.int(34) != 0,
            is_of_running_job: row.int(35) != 0,
        })
    }

    pub(crate) fn subject(&self) -> Subject {
        Subject { team: Some(self.team.clone()), session: Some(self.session.clone()), turn: self.turn.clone() }
    }
}

pub fn find(tx: &mut Tx<'_>, id: &QuestionId) -> Result<Option<QuestionRow>, StoreError> {
    tx.one(question_columns!("WHERE id = ?1"), values![id])?.as_ref().map(QuestionRow::read).transpose()
}

/// The row, locked until the transaction ends, and whether its time is over.
fn lock(tx: &mut Tx<'_>, id: &QuestionId) -> Result<Option<(QuestionRow, bool)>, StoreError> {
    let sql = if tx.is_postgres() {
        question_columns!("WHERE id = ?1 FOR UPDATE")
    } else {
        question_columns!("WHERE id = ?1")
    };
    let Some(row) = tx.one(sql, values![id])?.as_ref().map(QuestionRow::read).transpose()? else { return Ok(None) };
    let late = tx.one("SELECT id FROM question WHERE id = ?1 AND due <= iris_now()", values![id])?.is_some();
    Ok(Some((row, late)))
}

/// Which open questions are meant: all of them, if nothing is said.
#[derive(Clone, Debug, Default)]
pub struct OpenFilter {
    pub kind: Option<String>,
    pub is_blocking: Option<bool>,
    pub team: Option<String>,
    pub job: Option<String>,
}

/// So many of a list, and how many more there are.
#[derive(Clone, Debug)]
pub struct Listed {
    pub rows: Vec<QuestionRow>,
    pub more: i64,
}

/// Those that wait for an answer, oldest first. If there are more than can be listed, those in the middle are left out: what
/// was asked just now is seen, too. What still waits for the party that told is not shown yet.
pub fn list_open(tx: &mut Tx<'_>, filter: &OpenFilter, limit: i64) -> Result<Listed, StoreError> {
    let OpenFilter { kind, is_blocking, team, job } = filter;
    let blocks = is_blocking.map(i64::from);
    let sql = "SELECT count(*) FROM question WHERE state = 'open' AND shown <= iris_now() AND kind = coalesce(?1, kind) \
               AND blocks = coalesce(?2, blocks) AND team = coalesce(?3, team) \
               AND coalesce(job, '') = coalesce(?4, job, '')";
    let meant = values![kind.as_ref(), blocks, team.as_ref(), job.as_ref()];
    let count = tx.one(sql, meant)?.map_or(0, |row| row.int(0));
    let newest = if count > limit { limit / 2 } else { 0 };
    let sql = question_columns!(
        "WHERE state = 'open' AND shown <= iris_now() AND kind = coalesce(?1, kind) AND blocks = coalesce(?2, blocks) \
         AND team = coalesce(?3, team) AND coalesce(job, '') = coalesce(?4, job, '') ORDER BY opened_at, id LIMIT ?5"
    );
    let meant = values![kind.as_ref(), blocks, team.as_ref(), job.as_ref(), limit - newest];
    let mut rows = tx.many(sql, meant)?;
    if newest > 0 {
        let sql = question_columns!(
            "WHERE state = 'open' AND shown <= iris_now() AND kind = coalesce(?1, kind) AND blocks = coalesce(?2, blocks) \
             AND team = coalesce(?3, team) AND coalesce(job, '') = coalesce(?4, job, '') \
             ORDER BY opened_at DESC, id DESC LIMIT ?5"
        );
        let meant = values![kind.as_ref(), blocks, team.as_ref(), job.as_ref(), newest];
        rows.extend(tx.many(sql, meant)?.into_iter().rev());
    }
    let rows = rows.iter().map(QuestionRow::read).collect::<Result<Vec<_>, _>>()?;
    let more = count - i64::try_from(rows.len()).unwrap_or(count);
    Ok(Listed { rows, more })
}

/// Where a page of closed questions ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closed {
    pub at: i64,
    pub id: String,
}

/// Those that were closed before this one, newest first; of one session, if it is named. `None`: from the newest on.
pub fn list_closed(
    tx: &mut Tx<'_>,
    session: Option<&SessionId>,
    before: Option<&Closed>,
    limit: i64,
) -> Result<Vec<QuestionRow>, StoreError> {
    let (at, id) = before.map_or((i64::MAX, ""), |closed| (closed.at, closed.id.as_str()));
    let sql = question_columns!(
        "WHERE closed_at IS NOT NULL AND closed_at <= ?1 AND (closed_at < ?1 OR id < ?2) \
         AND session = coalesce(?4, session) ORDER BY closed_at DESC, id DESC LIMIT ?3"
    );
    tx.many(sql, values![at, id, limit, session])?.iter().map(QuestionRow::read).collect()
}

/// The newest questions of a job, oldest first.
pub fn list_of_job(tx: &mut Tx<'_>, job: &JobId, limit: i64) -> Result<Listed, StoreError> {
    let sql = question_columns!("WHERE job = ?1 ORDER BY opened_at DESC, id DESC LIMIT ?2");
    let rows = tx.many(sql, values![job, limit])?;
    let rows = rows.iter().rev().map(QuestionRow::read).collect::<Result<Vec<_>, _>>()?;
    let count = tx.one("SELECT count(*) FROM question WHERE job = ?1", values![job])?.map_or(0, |row| row.int(0));
    let more = count - i64::try_from(rows.len()).unwrap_or(count);
    Ok(Listed { rows, more })
}

/// Says in the session's row what it waits for, and in its job's.
fn restate(tx: &mut Tx<'_>, session: &SessionId, job: Option<&JobId>) -> Result<(), StoreError> {
    // Its source is the newest event: what was asked, answered or withdrawn just now.
    let (seq, now) = (event::next_number(tx)? - 1, tx.wall_ms());
    tx.run(
        "UPDATE session SET waiting = found.waiting, state_seq = ?2, state_at = ?3, state_mark = iris_now() FROM (SELECT CASE \
         WHEN count(*) = 0 THEN NULL \
         WHEN sum(CASE WHEN kind = 'approval' THEN 1 ELSE 0 END) > 0 THEN 'approval' ELSE 'input' END AS waiting \
         FROM question WHERE session = ?1 AND state = 'open' AND blocks = 1) AS found \
         WHERE id = ?1 AND coalesce(session.waiting, '') <> coalesce(found.waiting, '')",
        values![session, seq, now],
    )?;
    job.map_or(Ok(()), |job| job::restate(tx, job))
}
