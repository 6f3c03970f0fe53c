//! Questions: opened, answered once, or cancelled when nobody waits any more.

use iris_core::event::{Draft, Fact, QuestionEvent, Subject};
use iris_core::id::{Party, QuestionId, SessionId, TurnId};
use iris_core::question::{Answer, Detail, QuestionKind, QuestionState};
use iris_core::team::TeamName;

use crate::error::StoreError;
use crate::event;
use crate::session::{self, SessionRow};
use crate::tx::{Row, Tx, values};

#[derive(Clone, Debug)]
pub struct NewQuestion {
    pub id: QuestionId,
    pub turn: Option<TurnId>,
    pub request: String,
    /// The party it is put to; nobody in particular if none.
    pub asked_of: Option<Party>,
    pub detail: Detail,
}

#[derive(Clone, Debug)]
pub struct QuestionRow {
    pub id: QuestionId,
    pub kind: QuestionKind,
    pub state: QuestionState,
    pub team: TeamName,
    pub session: SessionId,
    pub turn: Option<TurnId>,
    pub request: String,
    pub epoch: i64,
    pub text: String,
    pub detail: Detail,
    pub asked_of: Option<Party>,
    pub opened_at: i64,
    pub closed_at: Option<i64>,
    pub closed_by: Option<String>,
    pub answer: Option<Answer>,
}

macro_rules! question_columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, kind, state, team, session, turn, request, epoch, text, detail, asked_of, opened_at, ",
            "closed_at, closed_by, answer FROM question ",
            $rest
        )
    };
}

impl QuestionRow {
    fn read(row: &Row) -> Result<Self, StoreError> {
        let damaged = |what: &str| StoreError::Damaged { place: "a question".to_owned(), what: what.to_owned() };
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
            answer: row.maybe_text(14).and_then(|json| serde_json::from_str(json).ok()),
        })
    }

    fn subject(&self) -> Subject {
        Subject { team: Some(self.team.clone()), session: Some(self.session.clone()), turn: self.turn.clone() }
    }
}

pub fn open(tx: &mut Tx<'_>, session: &SessionId, epoch: i64, new: &NewQuestion) -> Result<(), StoreError> {
    let row = session::lock_owned(tx, session, epoch)?;
    let text = new.detail.text();
    let detail = serde_json::to_string(&new.detail).expect("a question is plain data");
    let now = tx.wall_ms();
    tx.run(
        "INSERT INTO question (id, kind, state, team, session, turn, request, epoch, text, detail, asked_of, opened_at) \
         VALUES (?1, ?2, 'open', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        values![
            &new.id,
            new.detail.kind().as_str(),
            &row.to,
            session,
            new.turn.as_ref(),
            &new.request,
            epoch,
            &text,
            &detail,
            new.asked_of.as_ref(),
            now,
        ],
    )?;
    let subject = Subject { turn: new.turn.clone(), ..row.subject() };
    let (id, asked_of, detail) = (new.id.clone(), new.asked_of.clone(), new.detail.clone());
    let fact = Fact::Question(QuestionEvent::Opened { id, text, asked_of, detail });
    event::append(tx, &[Draft { subject, fact }])?;
    Ok(())
}

pub fn find(tx: &mut Tx<'_>, id: &QuestionId) -> Result<Option<QuestionRow>, StoreError> {
    tx.one(question_columns!("WHERE id = ?1"), values![id])?.as_ref().map(QuestionRow::read).transpose()
}

/// Those that wait for an answer, oldest first.
pub fn list_open(tx: &mut Tx<'_>, limit: i64) -> Result<Vec<QuestionRow>, StoreError> {
    let sql = question_columns!("WHERE state = 'open' ORDER BY opened_at, id LIMIT ?1");
    tx.many(sql, values![limit])?.iter().map(QuestionRow::read).collect()
}

/// Answers a question. The first wins; everybody else is told who did, by the row that comes back.
pub fn answer(
    tx: &mut Tx<'_>,
    id: &QuestionId,
    by: &Party,
    answer: &Answer,
) -> Result<Option<(bool, QuestionRow)>, StoreError> {
    let json = serde_json::to_string(answer).expect("an answer is plain data");
    let now = tx.wall_ms();
    let won = tx.one(
        "UPDATE question SET state = 'answered', closed_at = ?1, closed_by = ?2, answer = ?3 \
         WHERE id = ?4 AND state = 'open' RETURNING id",
        values![now, by, &json, id],
    )?;
    let Some(row) = find(tx, id)? else { return Ok(None) };
    if won.is_some() {
        let fact = Fact::Question(QuestionEvent::Answered { id: id.clone(), by: by.clone(), answer: answer.clone() });
        event::append(tx, &[Draft { subject: row.subject(), fact }])?;
    }
    Ok(Some((won.is_some(), row)))
}

/// The agent withdrew its request.
pub fn cancel(tx: &mut Tx<'_>, id: &QuestionId, why: &str) -> Result<(), StoreError> {
    let now = tx.wall_ms();
    let open = tx.one(
        "UPDATE question SET state = 'cancelled', closed_at = ?1 WHERE id = ?2 AND state = 'open' RETURNING id",
        values![now, id],
    )?;
    let Some(row) = open.map(|_| find(tx, id)).transpose()?.flatten() else { return Ok(()) };
    let fact = Fact::Question(QuestionEvent::Cancelled { id: id.clone(), why: why.to_owned() });
    event::append(tx, &[Draft { subject: row.subject(), fact }])?;
    Ok(())
}

/// Nobody waits for the answers any more.
pub(crate) fn cancel_all(tx: &mut Tx<'_>, session: &SessionRow, why: &str) -> Result<(), StoreError> {
    let open = tx.many("SELECT id FROM question WHERE session = ?1 AND state = 'open'", values![&session.id])?;
    for row in open {
        cancel(tx, &QuestionId::new(row.text(0)), why)?;
    }
    Ok(())
}
