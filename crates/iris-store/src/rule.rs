//! Rules: made from an answer, listed, used, taken back.

use iris_core::actor::Actor;
use iris_core::event::{Draft, Fact, RuleEvent};
use iris_core::id::{Party, QuestionId, RuleId};
use iris_core::question::{Answer, Detail, Risk, what_is_asked};
use iris_core::rule::{Rule, RuleScope};
use iris_core::team::TeamName;

use crate::error::StoreError;
use crate::event;
use crate::question::QuestionRow;
use crate::tx::{Row, Tx, values};

#[derive(Clone, Debug)]
pub struct RuleRow {
    pub rule: Rule,
    pub team: TeamName,
    /// What it was made from, for people.
    pub about: String,
    pub question: QuestionId,
    pub made_by: Party,
    pub made_at: i64,
    pub until_at: i64,
    pub uses: i64,
}

pub(crate) struct NewRule<'a> {
    pub row: &'a QuestionRow,
    pub scope: RuleScope,
    pub by: Actor,
    pub answer: Answer,
    pub for_ms: i64,
}

macro_rules! rule_columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, team, scope, tool, deed, risk, answer, about, question, made_by, made_at, until_at, uses, ",
            "(SELECT question.digest FROM question WHERE question.id = rule.question), ",
            "(SELECT question.detail FROM question WHERE question.id = rule.question AND question.kind <> 'approval' ",
            "AND question.digest IS NULL) FROM rule WHERE revoked_at IS NULL AND until > iris_now() ",
            $rest
        )
    };
}

impl RuleRow {
    fn read(row: &Row) -> Result<Self, StoreError> {
        let damaged =
            |error: serde_json::Error| StoreError::Damaged { place: "a rule".to_owned(), what: error.to_string() };
        Ok(Self {
            rule: Rule {
                id: RuleId::new(row.text(0)),
                scope: row.parsed(2)?,
                tool: row.maybe_text(3).map(str::to_owned),
                deed: row.text(4).to_owned(),
                asked: row.maybe_text(14).and_then(|detail| what_is_asked(&serde_json::from_str(detail).ok()?)),
                digest: row.maybe_text(13).map(str::to_owned),
                risk: row.maybe_text(5).and_then(|risk| risk.parse().ok()),
                answer: serde_json::from_str(row.text(6)).map_err(damaged)?,
            },
            team: row.parsed(1)?,
            about: row.text(7).to_owned(),
            question: QuestionId::new(row.text(8)),
            made_by: Party::new(row.text(9)),
            made_at: row.int(10),
            until_at: row.int(11),
            uses: row.int(12),
        })
    }
}

/// Those that hold, newest first.
pub fn list(tx: &mut Tx<'_>, limit: i64) -> Result<Vec<RuleRow>, StoreError> {
    let rows = tx.many(rule_columns!("ORDER BY made_at DESC, id LIMIT ?1"), values![limit])?;
    rows.iter().map(RuleRow::read).collect()
}

pub(crate) fn list_holding(tx: &mut Tx<'_>, team: &TeamName) -> Result<Vec<Rule>, StoreError> {
    let rows = tx.many(rule_columns!("AND team = ?1 ORDER BY made_at DESC, id"), values![team])?;
    rows.iter().map(|row| RuleRow::read(row).map(|row| row.rule)).collect()
}

/// A newer decision about the same takes the place of the older.
pub(crate) fn make(tx: &mut Tx<'_>, new: &NewRule<'_>) -> Result<RuleId, StoreError> {
    let NewRule { row, scope, by, answer, for_ms } = new;
    let id = RuleId::new(row.id.as_str());
    let (tool, about) = match &row.detail {
        Detail::Approval { tool, input, .. } if *scope == RuleScope::Tool => {
            (Some(tool.as_str()), format!("{tool}, as in {}", input.get()))
        }
        Detail::Approval { tool, input, .. } => (Some(tool.as_str()), format!("{tool} {}", input.get())),
        Detail::Visit { url, .. } => (None, format!("{} {url}", row.text)),
        _ => (None, row.text.clone()),
    };
    let json = serde_json::to_string(answer).expect("an answer is plain data");
    let now = tx.wall_ms();
    let until_at = now + for_ms;
    tx.run(
        "UPDATE rule SET revoked_at = ?1, revoked_by = ?2 WHERE team = ?3 AND scope = ?4 AND deed = ?5 \
         AND revoked_at IS NULL",
        values![now, &by.party, &row.team, scope.as_str(), &row.deed],
    )?;
    tx.run(
        "INSERT INTO rule (id, team, scope, tool, deed, risk, answer, about, question, made_by, made_at, until, \
         until_at, uses) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, iris_now() + ?12, ?13, 0)",
        values![
            &id,
            &row.team,
            scope.as_str(),
            tool,
            &row.deed,
            row.risk.map(Risk::as_str),
            &json,
            &about,
            &row.id,
            &by.party,
            now,
            *for_ms,
            until_at,
        ],
    )?;
    let fact = Fact::Rule(RuleEvent::Made {
        id: id.clone(),
        scope: *scope,
        by: by.clone(),
        question: row.id.clone(),
        answer: answer.clone(),
        expires: until_at,
    });
    event::append(tx, &[Draft { subject: row.subject(), fact }])?;
    Ok(id)
}

pub(crate) fn note_use(tx: &mut Tx<'_>, id: &RuleId) -> Result<(), StoreError> {
    tx.run("UPDATE rule SET uses = uses + 1 WHERE id = ?1", values![id])
}

/// False if no such rule holds.
pub fn revoke(tx: &mut Tx<'_>, id: &RuleId, by: &Actor) -> Result<bool, StoreError> {
    let now = tx.wall_ms();
    let revoked = tx.one(
        "UPDATE rule SET revoked_at = ?1, revoked_by = ?2 WHERE id = ?3 AND revoked_at IS NULL \
         AND until > iris_now() RETURNING team",
        values![now, &by.party, id],
    )?;
    let Some(revoked) = revoked else { return Ok(false) };
    let fact = Fact::Rule(RuleEvent::Revoked { id: id.clone(), by: by.clone() });
    let subject = iris_core::event::Subject { team: Some(revoked.parsed(0)?), ..Default::default() };
    event::append(tx, &[Draft { subject, fact }])?;
    Ok(true)
}
