//! What can be counted about questions, and what past answers suggest.

use iris_core::id::Party;
use iris_core::question::{Answer, QuestionKind};
use iris_store::StoreError;
use iris_store::question::{self, Figures, Past, QuestionRow};

use crate::engine::Engine;

pub use iris_store::question::KindFigures as OfKind;

/// So many answers are looked at.
const EVIDENCE: usize = 20;
/// So often the same must have been answered before it is offered; once is enough for a preference.
const REPEATED: usize = 2;

/// What the same was answered to before.
#[derive(Clone, Debug)]
pub struct Suggestion {
    pub answer: Answer,
    /// How often, of how many answers.
    pub times: usize,
    pub of: usize,
    pub last: Past,
}

impl Engine {
    pub async fn question_figures(&self, within_ms: i64) -> Result<Figures, StoreError> {
        let config = self.inner.config();
        let is_agent = move |party: &str| config.is_team(&Party::new(party));
        self.inner.store.read(move |tx| question::figures(tx, within_ms, is_agent)).await
    }

    /// The answer that was given most, with the evidence. Never for an approval: each of those is decided by itself, or by
    /// a rule that a person made.
    pub async fn suggest_answer(&self, row: &QuestionRow) -> Result<Option<Suggestion>, StoreError> {
        if row.kind == QuestionKind::Approval {
            return Ok(None);
        }
        let asked = row.clone();
        let past = self.inner.store.read(move |tx| question::past_answers(tx, &asked, EVIDENCE)).await?;
        // An agent that answers another's words is no person whose answers are to be learnt from.
        let config = self.inner.config();
        let past = past.into_iter().filter(|past| !config.is_team(&Party::new(past.by.as_str()))).collect();
        let enough = if row.kind == QuestionKind::Preference { 1 } else { REPEATED };
        Ok(most_given(past).filter(|suggestion| suggestion.times >= enough))
    }
}

fn most_given(past: Vec<Past>) -> Option<Suggestion> {
    let of = past.len();
    let times = |answer: &Answer| past.iter().filter(|other| other.answer == *answer).count();
    // The newest of those that were given most.
    let last = past.iter().rev().max_by_key(|one| times(&one.answer))?;
    Some(Suggestion { answer: last.answer.clone(), times: times(&last.answer), of, last: last.clone() })
}
