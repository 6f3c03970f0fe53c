//! Questions: listed, and answered once.

use iris_core::fault::FaultKind;
use iris_core::id::{Party, QuestionId};
use iris_core::question::{Answer, AnswerError, reply};
use iris_store::question::{self, QuestionRow};
use iris_store::{StoreError, wall_ms};

use crate::engine::Engine;

#[derive(Debug, thiserror::Error)]
pub enum QuestionError {
    #[error("there is no question {0}")]
    NotFound(QuestionId),
    #[error("{0}")]
    DoesNotFit(#[from] AnswerError),
    #[error("the question was {} already{}", .0.state, said_by(.0))]
    Closed(Box<QuestionRow>),
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn said_by(row: &QuestionRow) -> String {
    let ago = row.closed_at.map_or(0, |at| (wall_ms() - at).max(0) / 1000);
    match &row.closed_by {
        Some(by) => format!(" by {by}, {ago} s ago"),
        None => format!(", {ago} s ago"),
    }
}

impl QuestionError {
    pub fn kind(&self) -> FaultKind {
        match self {
            Self::NotFound(_) => FaultKind::NotFound,
            Self::DoesNotFit(_) => FaultKind::Unfit,
            Self::Closed(_) => FaultKind::Conflict,
            Self::Store(error) => error.kind(),
        }
    }

    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotFound(_) => Some("run `iris inbox` to see what is open".to_owned()),
            Self::DoesNotFit(_) => Some("run `iris inbox` to see what it takes".to_owned()),
            Self::Closed(_) => None,
            Self::Store(error) => error.hint().map(str::to_owned),
        }
    }
}

const MOST_LISTED: i64 = 1000;

impl Engine {
    pub async fn list_open_questions(&self) -> Result<Vec<QuestionRow>, StoreError> {
        self.inner.store.read(|tx| question::list_open(tx, MOST_LISTED)).await
    }

    /// Answers a question and lets the agent go on. The first answer wins.
    pub async fn answer_question(
        &self,
        id: &QuestionId,
        by: &Party,
        answer: Answer,
    ) -> Result<QuestionRow, QuestionError> {
        let wanted = id.clone();
        let row = self.inner.store.read(move |tx| question::find(tx, &wanted)).await?;
        let row = row.ok_or_else(|| QuestionError::NotFound(id.clone()))?;
        let reply = reply(&row.detail, &answer)?;
        let (wanted, party) = (id.clone(), by.clone());
        let answered =
            self.inner.store.write("question.answer", move |tx| question::answer(tx, &wanted, &party, &answer)).await?;
        match answered {
            None => Err(QuestionError::NotFound(id.clone())),
            Some((false, row)) => Err(QuestionError::Closed(Box::new(row))),
            Some((true, row)) => {
                if let Some(runner) = self.inner.runner(&row.session) {
                    runner.answer(row.request.clone(), row.epoch, reply).await;
                }
                Ok(row)
            }
        }
    }
}
