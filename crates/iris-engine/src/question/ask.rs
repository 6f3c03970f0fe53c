//! Asking from outside: for a job, over the API. What agents ask on their own pipe is in agent/ask.rs.

use iris_core::id::{JobId, Party, QuestionId, SessionId};
use iris_core::key::KeyHolder;
use iris_core::question::{AskRequest, Draft, QuestionState, Way};
use iris_core::team::TeamName;
use iris_store::question::{self, Listed, NewQuestion, Opening, QuestionRow};
use iris_store::{StoreError, job, session};
use uuid::Uuid;

use super::{MOST_LISTED, QuestionError};
use crate::engine::Engine;

/// What agents ask that Iris does not run is kept in a session of this party with their team.
const OUTSIDE: &str = "outside";

/// Who is told the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    /// The agent in whose session it is asked.
    Agent,
    /// Whoever asks, where it asks.
    Outside,
}

impl Engine {
    /// Asks a question in a job, whose agent is told the answer. A repeated key, or the same question while it is open,
    /// finds the first.
    pub async fn ask_in_job(
        &self,
        id: &JobId,
        keys: &KeyHolder,
        request: &AskRequest,
    ) -> Result<QuestionRow, QuestionError> {
        let session = self.session_of_job(id).await?;
        self.ask_in(session, keys, request, Told::Agent).await
    }

    async fn session_of_job(&self, id: &JobId) -> Result<SessionId, QuestionError> {
        let wanted = id.clone();
        let job = self.inner.store.read(move |tx| job::find(tx, &wanted)).await?;
        let job = job.ok_or_else(|| QuestionError::NoJob(id.to_string()))?;
        if job.state.is_over() {
            return Err(QuestionError::JobOver(job.state.to_string()));
        }
        Ok(job.session)
    }

    /// Asks for an agent that Iris does not run: in a job, or for the team it speaks for.
    pub async fn ask_from_outside(
        &self,
        party: &Party,
        job: Option<JobId>,
        keys: &KeyHolder,
        request: &AskRequest,
    ) -> Result<QuestionRow, QuestionError> {
        let team = party.as_str().parse::<TeamName>().ok().filter(|team| self.inner.team(team).is_some());
        let session = match (job, team) {
            (Some(job), Some(team)) => match self.find_job(&job).await {
                Ok(found) if found.team == team => self.session_of_job(&job).await?,
                _ => return Err(QuestionError::NoJob(job.to_string())),
            },
            (Some(job), None) => self.session_of_job(&job).await?,
            (None, None) => return Err(QuestionError::NoPlace),
            (None, Some(team)) => {
                let fresh = SessionId::new(Uuid::new_v4().to_string());
                let outside = Party::new(OUTSIDE);
                let made = self
                    .inner
                    .store
                    .write("session.create", move |tx| session::find_or_create(tx, &outside, &team, &fresh));
                made.await?.id
            }
        };
        self.ask_in(session, keys, request, Told::Outside).await
    }

    async fn ask_in(
        &self,
        session: SessionId,
        keys: &KeyHolder,
        request: &AskRequest,
        told: Told,
    ) -> Result<QuestionRow, QuestionError> {
        let policy = self.inner.config().questions.policy();
        let new = NewQuestion {
            id: QuestionId::new(Uuid::now_v7().to_string()),
            turn: None,
            request: String::new(),
            asked_of: None,
            key: request.key.as_deref().map(|given| keys.key(given).as_str().to_owned()),
            hidden_ms: 0,
            draft: Draft::asked(request, Way::Api, &policy)?,
            waited_for: Vec::new(),
            is_outside: told == Told::Outside,
        };
        let (limits, limited) = (self.inner.config().questions.limits(), session.clone());
        let opening =
            self.inner.store.write("question.open", move |tx| question::open(tx, &session, None, &new, limits)).await?;
        match opening {
            Opening::Open(id) => self.find_question(&id).await,
            Opening::Answered(row) => Ok(*row),
            Opening::KeyTaken(first) => {
                Err(QuestionError::KeyTaken { given: request.key.clone().unwrap_or_default(), first })
            }
            Opening::Limited { why } => {
                self.say_limited(limited, &why).await?;
                Err(QuestionError::Limited(why))
            }
        }
    }

    /// Whoever asks too much is told each time, people only so often.
    async fn say_limited(&self, session: SessionId, why: &str) -> Result<(), StoreError> {
        if !self.inner.limited.is_to_be_said(&session) {
            return Ok(());
        }
        tracing::warn!(%session, why, "an agent asks too much");
        let why = why.to_owned();
        self.inner.store.write("question.limited", move |tx| question::note_limited(tx, &session, &why)).await
    }

    pub async fn list_job_questions(&self, id: &JobId) -> Result<Listed, QuestionError> {
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

    /// The answers were written to whoever asked from outside, and are used up.
    pub async fn note_heard(&self, ids: Vec<QuestionId>) {
        let written = self.inner.store.write("question.heard", move |tx| question::note_heard(tx, &ids)).await;
        if let Err(error) = written {
            tracing::warn!(%error, "could not write down that an answer arrived; the same call would find it again");
        }
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
