//! Asking from outside: for a job, over the API. What agents ask on their own pipe is in agent/ask.rs.

use iris_core::id::{JobId, QuestionId};
use iris_core::question::{AskRequest, Draft, QuestionState, Way};
use iris_store::question::{self, NewQuestion, Opening, QuestionRow};
use iris_store::{StoreError, job};
use uuid::Uuid;

use super::{MOST_LISTED, QuestionError};
use crate::engine::Engine;

impl Engine {
    /// Asks a question in a job. A repeated key, or the same question while it is open, finds the first.
    pub async fn ask_in_job(&self, id: &JobId, request: &AskRequest) -> Result<QuestionRow, QuestionError> {
        let policy = self.inner.config.questions.policy();
        let draft = Draft::asked(request, Way::Api, &policy)?;
        let wanted = id.clone();
        let job = self.inner.store.read(move |tx| job::find(tx, &wanted)).await?;
        let job = job.ok_or_else(|| QuestionError::NoJob(id.to_string()))?;
        if job.state.is_over() {
            return Err(QuestionError::JobOver(job.state.to_string()));
        }
        let new = NewQuestion {
            id: QuestionId::new(Uuid::now_v7().to_string()),
            turn: None,
            request: String::new(),
            asked_of: None,
            key: request.key.clone(),
            hidden_ms: 0,
            draft,
            waited_for: Vec::new(),
        };
        let (session, limits) = (job.session, self.inner.config.questions.limits());
        let opening =
            self.inner.store.write("question.open", move |tx| question::open(tx, &session, None, &new, limits)).await?;
        match opening {
            Opening::Open(id) => self.find_question(&id).await,
            Opening::Answered(row) => Ok(*row),
            Opening::Limited { why } => Err(QuestionError::Limited(why)),
        }
    }

    pub async fn list_job_questions(&self, id: &JobId) -> Result<Vec<QuestionRow>, QuestionError> {
        let wanted = id.clone();
        let found = self
            .inner
            .store
            .read(move |tx| {
                let Some(job) = job::find(tx, &wanted)? else { return Ok(None) };
                question::list_of_job(tx, &job.id, MOST_LISTED).map(Some)
            })
            .await?;
        found.ok_or_else(|| QuestionError::NoJob(id.to_string()))
    }

    /// Returns when the question is closed.
    pub async fn wait_for_answer(&self, id: &QuestionId) -> Result<QuestionRow, QuestionError> {
        // Subscribe, then look, then wait.
        let (mut head, _) = self.inner.bus.subscribe();
        loop {
            let row = self.find_question(id).await?;
            if row.state != QuestionState::Open {
                return Ok(row);
            }
            head.changed().await.map_err(|_| StoreError::Closed)?;
        }
    }
}
