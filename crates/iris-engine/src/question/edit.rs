//! Editing an action before it is approved. The edited action is another question, with a digest and a risk of its own;
//! the one it takes the place of can no longer be answered.

use iris_core::actor::Actor;
use iris_core::agent::PermissionRequest;
use iris_core::id::QuestionId;
use iris_core::question::input::Input;
use iris_core::question::{Detail, Draft, OnDeadline};
use iris_core::turn::Ask;
use iris_store::question::{self, NewQuestion, QuestionRow};
use serde_json::value::RawValue;
use uuid::Uuid;

use super::QuestionError;
use crate::engine::Engine;

impl Engine {
    /// Returns the question that now has to be answered.
    pub async fn edit_question(
        &self,
        id: &QuestionId,
        by: &Actor,
        input: Box<RawValue>,
    ) -> Result<QuestionRow, QuestionError> {
        let row = self.find_question(id).await?;
        let new = self.edited(&row, input)?;
        let (wanted, party) = (id.clone(), by.clone());
        let edited =
            self.inner.store.write("question.edit", move |tx| question::supersede(tx, &wanted, &party, &new)).await?;
        match edited {
            None => Err(QuestionError::NotFound(id.clone())),
            Some((false, row)) => Err(QuestionError::Closed(Box::new(row))),
            Some((true, row)) => Ok(row),
        }
    }

    fn edited(&self, row: &QuestionRow, input: Box<RawValue>) -> Result<NewQuestion, QuestionError> {
        let Detail::Approval { tool, nature, folder, plan, reason, .. } = &row.detail else {
            return Err(QuestionError::NothingToEdit);
        };
        // What a person writes is meant to be read by everybody alike.
        let read = Input::read(&input);
        if !read.is_exact || !read.value.is_object() {
            return Err(QuestionError::NothingToEdit);
        }
        let asked = PermissionRequest {
            request: row.request.clone(),
            tool: tool.clone(),
            meaning: Box::new(self.meaning_of(&row.team, *nature, tool, &input)),
            input,
            reason: reason.clone(),
            plan: plan.clone(),
            call: None,
        };
        let policy = self.inner.config().questions.policy();
        let mut draft = Draft::of(&Ask::Permission(asked), folder, &policy)?;
        draft.on_deadline = if row.deadline_at.is_some() { row.on_deadline } else { OnDeadline::Wait };
        Ok(NewQuestion {
            id: QuestionId::new(Uuid::now_v7().to_string()),
            turn: row.turn.clone(),
            request: row.request.clone(),
            asked_of: row.asked_of.clone(),
            key: None,
            hidden_ms: 0,
            draft,
            waited_for: Vec::new(),
            is_outside: false,
        })
    }
}
