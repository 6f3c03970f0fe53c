//! What can be counted about questions, and what was answered to the same before.

use iris_core::id::QuestionId;
use iris_core::question::{Answer, asks_alike};

use super::QuestionRow;
use super::close::TOLD;
use crate::error::StoreError;
use crate::tx::{Tx, values};

#[derive(Clone, Debug, Default)]
pub struct Figures {
    pub kinds: Vec<KindFigures>,
    /// Closed in that time, whenever they were asked.
    pub closed: i64,
    pub jobs: i64,
    pub job_questions: i64,
    /// Open questions that an agent has waited for longer than an hour.
    pub waiting_long: i64,
}

#[derive(Clone, Debug, Default)]
pub struct KindFigures {
    pub kind: String,
    pub asked: i64,
    pub open: i64,
    /// By a person; rules are counted apart.
    pub answered: i64,
    pub by_rule: i64,
    /// By the party that had told the agent, in what it told next, or by a team.
    pub by_others: i64,
    pub defaulted: i64,
    pub expired: i64,
    pub cancelled: i64,
    /// Of all answers of people together.
    pub answer_ms: i64,
}

const LONG_MS: i64 = 3_600_000;

/// Of the questions asked in the last so many milliseconds.
pub fn figures(tx: &mut Tx<'_>, within_ms: i64, is_agent: impl Fn(&str) -> bool) -> Result<Figures, StoreError> {
    let since = tx.wall_ms() - within_ms;
    let sql = "SELECT kind, count(*), count(CASE WHEN state = 'open' THEN 1 END), \
               count(rule), \
               count(CASE WHEN state = 'defaulted' THEN 1 END), count(CASE WHEN state = 'expired' THEN 1 END), \
               count(CASE WHEN state IN ('cancelled', 'superseded') THEN 1 END), \
               count(CASE WHEN state = 'answered' AND rule IS NULL THEN 1 END) \
               FROM question WHERE opened_at >= ?1 GROUP BY kind ORDER BY kind";
    let rows = tx.many(sql, values![since])?;
    let kinds = rows.iter().map(|row| KindFigures {
        kind: row.text(0).to_owned(),
        asked: row.int(1),
        open: row.int(2),
        by_rule: row.int(3),
        defaulted: row.int(4),
        expired: row.int(5),
        cancelled: row.int(6),
        by_others: row.int(7),
        ..KindFigures::default()
    });
    let mut kinds: Vec<_> = kinds.collect();
    // By Iris's own time, from when people could see it; by the clock on the wall for what was closed before that was kept.
    let sql = "SELECT kind, closed_by, count(*), CAST(coalesce(sum(CASE WHEN closed IS NOT NULL AND asked > 0 \
               THEN closed - asked ELSE closed_at - opened_at END), 0) AS BIGINT) FROM question \
               WHERE opened_at >= ?1 AND state = 'answered' AND rule IS NULL \
               AND (resume IS NULL OR resume <> ?2) GROUP BY kind, closed_by";
    for row in tx.many(sql, values![since, TOLD])?.iter().filter(|row| !is_agent(row.maybe_text(1).unwrap_or_default()))
    {
        if let Some(kind) = kinds.iter_mut().find(|kind| kind.kind == row.text(0)) {
            kind.answered += row.int(2);
            kind.by_others -= row.int(2);
            kind.answer_ms += row.int(3);
        }
    }
    let jobs = tx.one("SELECT count(*) FROM job WHERE created_at >= ?1", values![since])?.map_or(0, |row| row.int(0));
    let sql = "SELECT count(*) FROM question WHERE job IS NOT NULL AND opened_at >= ?1";
    let job_questions = tx.one(sql, values![since])?.map_or(0, |row| row.int(0));
    let sql = "SELECT count(*) FROM question WHERE state = 'open' AND blocks = 1 AND asked <= iris_now() - ?1";
    let waiting_long = tx.one(sql, values![LONG_MS])?.map_or(0, |row| row.int(0));
    let sql = "SELECT count(*) FROM question WHERE closed_at IS NOT NULL AND closed_at >= ?1";
    let closed = tx.one(sql, values![since])?.map_or(0, |row| row.int(0));
    Ok(Figures { kinds, closed, jobs, job_questions, waiting_long })
}

/// What people answered when the same was asked before.
#[derive(Clone, Debug)]
pub struct Past {
    pub question: QuestionId,
    pub answer: Answer,
    pub by: String,
    pub at: i64,
}

/// So many of a team's latest answers are looked through for the same in other words.
const LATEST: i64 = 100;

/// What people answered in its team to what asks the same, newest first. That is what `similar` answers, too: the same in
/// other spaces or capitals is found among the latest. What somebody told the agent next was not chosen as an answer, and is
/// none to learn from.
pub fn past_answers(tx: &mut Tx<'_>, row: &QuestionRow, limit: usize) -> Result<Vec<Past>, StoreError> {
    let sql = "SELECT id, answer, closed_by, closed_at, deed, detail FROM question WHERE team = ?1 AND state = 'answered' \
               AND rule IS NULL AND (resume IS NULL OR resume <> ?3) AND deed = ?2 \
               UNION SELECT * FROM (SELECT id, answer, closed_by, closed_at, deed, detail FROM question \
               WHERE team = ?1 AND state = 'answered' AND rule IS NULL AND (resume IS NULL OR resume <> ?3) \
               AND closed_at IS NOT NULL ORDER BY closed_at DESC, id LIMIT ?4) AS latest ORDER BY 4 DESC, 1";
    let rows = tx.many(sql, values![&row.team, row.deed.as_str(), TOLD, LATEST])?;
    let is_same = |deed: &str, detail: &str| {
        deed == row.deed || serde_json::from_str(detail).is_ok_and(|detail| asks_alike(&row.detail, &detail))
    };
    let past = rows.iter().filter(|past| is_same(past.text(4), past.text(5))).filter_map(|past| {
        Some(Past {
            question: QuestionId::new(past.text(0)),
            answer: serde_json::from_str(past.maybe_text(1)?).ok()?,
            by: past.text(2).to_owned(),
            at: past.int(3),
        })
    });
    Ok(past.take(limit).collect())
}
