//! Passing answers on: the outbox. What is due reaches the agent once: on its pipe if it still waits there, else by a turn
//! in which it is told.
//!
//! Handing over is written down before the bytes are, so that what may have reached the agent is never taken for fresh;
//! it is confirmed when the agent has gone on. A process that ends in between leaves it in doubt, and says so when told.

use iris_core::event::{Draft, Fact, QuestionEvent};
use iris_core::id::{QuestionId, SessionId, TurnId};
use iris_core::question::tell::{Told, tell_back};
use iris_core::question::{QuestionState, Way};

use super::{QuestionRow, find, lock, question_columns};
use crate::error::StoreError;
use crate::turn::{self, Accept, Accepted, NewTurn};
use crate::tx::{Tx, values};
use crate::{event, job};

/// What has to reach an agent, oldest first.
pub fn list_to_pass_on(tx: &mut Tx<'_>, limit: i64) -> Result<Vec<QuestionRow>, StoreError> {
    let sql = question_columns!("WHERE resume = 'due' ORDER BY closed_at, id LIMIT ?1");
    tx.many(sql, values![limit])?.iter().map(QuestionRow::read).collect()
}

/// The answer is about to be written to the agent that waits for it. False: somebody else has passed it on.
pub fn hand(tx: &mut Tx<'_>, id: &QuestionId, epoch: i64) -> Result<bool, StoreError> {
    let handed = tx.one(
        "UPDATE question SET resume = 'handed' WHERE id = ?1 AND resume = 'due' AND epoch = ?2 RETURNING id",
        values![id, epoch],
    )?;
    Ok(handed.is_some())
}

/// The agent has gone on with what it was handed.
pub fn confirm(tx: &mut Tx<'_>, ids: &[QuestionId]) -> Result<(), StoreError> {
    for id in ids {
        let sql = "UPDATE question SET resume = 'done' WHERE id = ?1 AND resume = 'handed' RETURNING id";
        if tx.one(sql, values![id])?.is_some()
            && let Some(row) = find(tx, id)?
        {
            note_resumed(tx, &row, None)?;
        }
    }
    Ok(())
}

/// The process that was handed something has ended, and it is not known whether it went on with it.
pub(crate) fn put_back(tx: &mut Tx<'_>, session: &SessionId) -> Result<(), StoreError> {
    tx.run("UPDATE question SET resume = 'due', doubt = 1 WHERE session = ?1 AND resume = 'handed'", values![session])
}

/// Tells the agent by a turn, which is taken in here and nowhere else. `None` if there was nothing left to do.
pub fn resume_by_turn(
    tx: &mut Tx<'_>,
    id: &QuestionId,
    telling: impl FnOnce(&QuestionRow) -> NewTurn,
) -> Result<Option<Accepted>, StoreError> {
    let Some((row, _)) = lock(tx, id)? else { return Ok(None) };
    if row.resume.as_deref() != Some("due") {
        return Ok(None);
    }
    // Nobody waits on a pipe, and without an answer there is nothing to tell.
    let is_answered = matches!(row.state, QuestionState::Answered | QuestionState::Defaulted);
    if !is_answered && !is_missed(tx, &row)? {
        tx.run("UPDATE question SET resume = 'done' WHERE id = ?1", values![id])?;
        return Ok(None);
    }
    let Accept::Accepted(accepted) = turn::accept(tx, &telling(&row))? else {
        return Err(StoreError::Sql(format!("the answer to {id} could not be told")));
    };
    // It holds for the same request again. In doubt an approval does not: it may have been used.
    let asks_again = matches!(row.way, Way::Permission | Way::Plan | Way::AskUser | Way::Elicitation | Way::Tool);
    let unused = row.blocks && asks_again && !(row.in_doubt && row.digest.is_some());
    tx.run(
        "UPDATE question SET resume = 'done', resume_turn = ?1, unused = ?2 WHERE id = ?3",
        values![&accepted.turn, i64::from(unused), id],
    )?;
    note_resumed(tx, &row, Some(&accepted))?;
    Ok(Some(accepted))
}

/// Somebody has withdrawn what a job still waits for, though its turn is over. Untold it would end as if all were well.
fn is_missed(tx: &mut Tx<'_>, row: &QuestionRow) -> Result<bool, StoreError> {
    let is_withdrawn = row.state == QuestionState::Cancelled && row.blocks && !row.is_outside;
    let Some(job) = row.job.as_ref().filter(|_| is_withdrawn && matches!(row.way, Way::Detected | Way::Api)) else {
        return Ok(false);
    };
    Ok(job::find(tx, job)?.is_some_and(|job| job.ended_at.is_none()))
}

/// What the agent is told, when it is told the answer by a turn.
pub fn words(row: &QuestionRow) -> String {
    tell_back(&Told {
        text: &row.text,
        detail: &row.detail,
        state: row.state,
        answer: row.answer.as_ref(),
        by: row.closed_by.as_deref().unwrap_or("nobody"),
        in_doubt: row.in_doubt,
    })
}

/// What it is told when that turn was broken off: it may have had it. Of an approval it is known whether it was used.
pub(crate) fn words_again(tx: &mut Tx<'_>, telling: &TurnId) -> Result<Option<String>, StoreError> {
    tx.run(
        "UPDATE question SET doubt = 1 WHERE resume_turn = ?1 AND (digest IS NULL OR unused = 0)",
        values![telling],
    )?;
    let row = tx.one(question_columns!("WHERE resume_turn = ?1"), values![telling])?;
    Ok(row.as_ref().map(QuestionRow::read).transpose()?.as_ref().map(words))
}

fn note_resumed(tx: &mut Tx<'_>, row: &QuestionRow, told: Option<&Accepted>) -> Result<(), StoreError> {
    let turn = told.map(|told| told.turn.clone());
    let fact = Fact::Question(QuestionEvent::Resumed { id: row.id.clone(), job: row.job.clone(), turn });
    event::append(tx, &[Draft { subject: row.subject(), fact }])?;
    Ok(())
}
