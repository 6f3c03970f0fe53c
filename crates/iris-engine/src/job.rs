//! Jobs: a team is given a goal and works on it to its end, over as many turns as it takes.

use iris_core::actor::Actor;
use iris_core::fault::FaultKind;
use iris_core::id::{JobId, Party, SessionId, TurnId};
use iris_core::job::JobState;
use iris_core::key::Key;
use iris_core::relay::Voice;
use iris_core::team::TeamName;
use iris_store::StoreError;
use iris_store::job::{self, JobRow, NewJob, Started};
use iris_store::turn::NewTurn;
use uuid::Uuid;

use crate::engine::Engine;
use crate::turn::cancel::CancelError;
use crate::turn::tell::{Patience, Tell, TellError};

/// A job that somebody wants.
#[derive(Clone, Debug)]
pub struct StartJob {
    pub team: TeamName,
    pub goal: String,
    pub by: Actor,
    /// A job with a key that was used before finds the first.
    pub key: Option<Key>,
    /// The job that is done again, and what is known now that was not then.
    pub again_of: Option<(JobId, String)>,
}

#[derive(Debug, thiserror::Error)]
pub enum JobError {
    #[error("there is no job {0}")]
    NotFound(JobId),
    #[error("job {job} is {state} already")]
    Over { job: JobId, state: JobState },
    #[error("this key was used before, for job {0}")]
    KeyTaken(JobId),
    #[error(transparent)]
    Tell(#[from] TellError),
    #[error(transparent)]
    Cancel(#[from] CancelError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl JobError {
    pub fn kind(&self) -> FaultKind {
        match self {
            Self::NotFound(_) => FaultKind::NotFound,
            Self::Over { .. } => FaultKind::Conflict,
            Self::KeyTaken(_) => FaultKind::Unfit,
            Self::Tell(error) => error.kind(),
            Self::Cancel(error) => error.kind(),
            Self::Store(error) => error.kind(),
        }
    }

    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotFound(_) => Some("run `iris jobs list` to see what there is".to_owned()),
            Self::Over { .. } => Some("nothing was changed; to do it again, start it anew".to_owned()),
            Self::Cancel(error) => error.hint(),
            Self::KeyTaken(_) => Some("use a new key for a new job".to_owned()),
            Self::Tell(error) => error.hint(),
            Self::Store(error) => error.hint().map(str::to_owned),
        }
    }
}

impl Engine {
    pub async fn start_job(&self, start: StartJob) -> Result<JobRow, JobError> {
        let id = JobId::new(Uuid::now_v7().to_string());
        // Each job has a conversation of its own.
        let party = Party::new(format!("job-{id}"));
        let text = match &start.again_of {
            Some((_, known)) => format!("{}\n\n{known}", start.goal),
            None => start.goal.clone(),
        };
        let tell = Tell {
            from: party,
            through: None,
            // Nothing is open yet in the conversation of a new job.
            voice: Voice::Tells,
            to: start.team.clone(),
            text,
            patience: Patience::None,
            key: start.key.clone(),
            delay: None,
            within: None,
            follower: None,
        };
        self.check(&tell)?;
        let new = NewJob {
            id,
            started_by: start.by,
            goal: start.goal.replace('\0', ""),
            key: start.key.map(|key| key.as_str().to_owned()),
            again_of: start.again_of.map(|(job, _)| job),
            first: self.first_turn(tell),
        };
        match self.inner.store.write("job.start", move |tx| job::start(tx, &new)).await? {
            Started::New(row, accepted) => {
                self.set_going(accepted).await;
                Ok(*row)
            }
            Started::Repeated(row) => Ok(*row),
            Started::KeyTaken(job) => Err(JobError::KeyTaken(job)),
            Started::QueueFull { waiting } => Err(TellError::QueueFull { team: start.team, waiting }.into()),
        }
    }

    fn first_turn(&self, tell: Tell) -> NewTurn {
        NewTurn {
            id: TurnId::new(Uuid::now_v7().to_string()),
            fresh_session: SessionId::new(Uuid::new_v4().to_string()),
            from: tell.from,
            through: None,
            voice: tell.voice,
            to: tell.to,
            body: tell.text.replace('\0', ""),
            key: None,
            delay_ms: None,
            longest_queue: i64::from(self.inner.config().settings.max_queue),
            cause: None,
            depth: 0,
            origin: None,
            detached: true,
        }
    }

    pub async fn find_job(&self, id: &JobId) -> Result<JobRow, JobError> {
        let wanted = id.clone();
        let row = self.inner.store.read(move |tx| job::find(tx, &wanted)).await?;
        row.ok_or_else(|| JobError::NotFound(id.clone()))
    }

    /// Newest first.
    pub async fn list_jobs(&self, before: Option<String>, limit: i64) -> Result<Vec<JobRow>, StoreError> {
        self.inner.store.read(move |tx| job::list(tx, before.as_deref(), limit)).await
    }

    /// Ends a job: its questions are cancelled, its turns broken off.
    pub async fn stop_job(&self, id: &JobId, by: &Actor) -> Result<JobRow, JobError> {
        let row = self.find_job(id).await?;
        let (wanted, party, why) = (id.clone(), by.clone(), format!("stopped by {by}"));
        let ended = self
            .inner
            .store
            .write("job.stop", move |tx| job::end(tx, &wanted, JobState::Stopped, Some(&party), None, Some(&why)))
            .await?;
        let over = self.find_job(id).await?;
        if !ended {
            return Err(JobError::Over { job: id.clone(), state: over.state });
        }
        self.cancel_session(&row.session, Some(by)).await?;
        Ok(over)
    }
}
