//! Cancelling a question: nobody needs the answer any more, and an agent that waits for it is told so.

use std::sync::Arc;

use iris_core::actor::Actor;
use iris_core::id::QuestionId;
use iris_store::question::{self, QuestionRow};

use super::{QuestionError, pass_on};
use crate::engine::Engine;

impl Engine {
    pub async fn cancel_question(&self, id: &QuestionId, by: &Actor) -> Result<QuestionRow, QuestionError> {
        let (wanted, party) = (id.clone(), by.clone());
        let cancelled = self
            .inner
            .store
            .write("question.cancel", move |tx| {
                question::cancel(tx, &wanted, Some(&party), "somebody said that it is not needed any more")
            })
            .await?;
        match cancelled {
            None => Err(QuestionError::NotFound(id.clone())),
            Some((false, row)) => Err(QuestionError::Closed(Box::new(row))),
            Some((true, row)) => {
                pass_on::pass_on(&Arc::clone(&self.inner), &row).await;
                self.inner.upkeep.nudge();
                Ok(row)
            }
        }
    }
}
