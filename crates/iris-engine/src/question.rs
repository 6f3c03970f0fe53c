//! Questions: asked, shown, answered once, and their answers passed on.

pub mod answer;
pub mod ask;
pub mod cancel;
pub mod edit;
pub mod figures;
pub(crate) mod limited;
mod meaning;
pub(crate) mod pass_on;
pub(crate) mod path;

use iris_core::fault::FaultKind;
use iris_core::id::{QuestionId, SessionId};
use iris_core::question::{AnswerError, AskError, QuestionState};
use iris_store::question::{self, Closed, Listed, OpenFilter, QuestionRow};
use iris_store::{StoreError, wall_ms};

use crate::engine::Engine;

#[derive(Debug, thiserror::Error)]
pub enum QuestionError {
    #[error("there is no question {0}")]
    NotFound(QuestionId),
    #[error("{0}")]
    DoesNotFit(#[from] AnswerError),
    #[error("{0}")]
    BadAsk(#[from] AskError),
    #[error("the question was {} already{}", .0.state, said_by(.0))]
    Closed(Box<QuestionRow>),
    #[error("the time for this question is over{}", said_by(.0))]
    Late(Box<QuestionRow>),
    #[error("the work is not run again with this answer: {0}")]
    NotAgain(String),
    #[error("what is asked is not what was looked at: its digest is {}", .0.digest.as_deref().unwrap_or("none"))]
    Changed(Box<QuestionRow>),
    #[error("{}", key_taken(.given, .first))]
    KeyTaken { given: String, first: Box<QuestionRow> },
    #[error("only the input of an action can be edited, and it must be a JSON object")]
    NothingToEdit,
    #[error("a rule of the scope '{0}' cannot be made from this question")]
    BadScope(&'static str),
    #[error("Iris cannot read this action exactly, so a yes to it holds for this once")]
    Unreadable,
    #[error("a rule lasts between 1m and 30d")]
    BadLength,
    #[error("it may not ask: {0}")]
    Limited(String),
    #[error("there is no job {0}")]
    NoJob(String),
    #[error("it is not known for whom this is asked")]
    NoPlace,
    #[error("the job is {0} already")]
    JobOver(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// An answer belongs to what was asked first under its key, and to nothing else.
pub(crate) fn key_taken(given: &str, first: &QuestionRow) -> String {
    format!("the key '{given}' belongs to question {}, which asks something else: {}", first.id, first.text)
}

fn said_by(row: &QuestionRow) -> String {
    let ago = row.closed_at.map_or(0, |at| (wall_ms() - at).max(0) / 1000);
    match (&row.closed_by, &row.closed_through) {
        (Some(by), Some(through)) if row.rule.is_none() => format!(" by {by} ({through}), {ago} s ago"),
        (Some(by), _) => format!(" by {by}, {ago} s ago"),
        (None, _) => format!(", {ago} s ago"),
    }
}

impl QuestionError {
    pub fn kind(&self) -> FaultKind {
        match self {
            Self::NotFound(_) | Self::NoJob(_) => FaultKind::NotFound,
            Self::DoesNotFit(_) | Self::BadAsk(_) => FaultKind::Unfit,
            Self::NothingToEdit | Self::BadScope(_) | Self::Unreadable => FaultKind::Unfit,
            Self::BadLength | Self::NoPlace => FaultKind::Unfit,
            Self::Closed(_) | Self::Changed(_) => FaultKind::Conflict,
            Self::KeyTaken { .. } => FaultKind::Unfit,
            Self::JobOver(_) | Self::NotAgain(_) => FaultKind::Conflict,
            Self::Late(_) => FaultKind::Gone,
            Self::Limited(_) => FaultKind::Limit,
            Self::Store(error) => error.kind(),
        }
    }

    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotFound(_) => Some("run `iris inbox` to see what is open".to_owned()),
            Self::DoesNotFit(_) => Some("run `iris inbox` to see what it takes".to_owned()),
            Self::Closed(row) if row.state == QuestionState::Superseded => row.replaced_by.as_ref().map_or_else(
                || {
                    row.closed_why
                        .as_ref()
                        .map(|why| format!("nobody answered it: {why}; to say more, tell {}", row.team))
                },
                |next| Some(format!("question {next} took its place")),
            ),
            Self::Closed(row) | Self::Late(row) if is_repeatable(row) => Some(format!(
                "to run the work again with your answer: `iris answer {} <answer> --again`, or send \"again\": true",
                row.id
            )),
            Self::Changed(_) => Some("look at it again with `iris inbox`, and answer what you see there".to_owned()),
            Self::KeyTaken { .. } => Some("ask with another key, or ask the very same again".to_owned()),
            Self::Limited(_) => Some("go on with what is known, or ask later".to_owned()),
            Self::BadScope(_) => Some("use deed or tool for an approval, question for anything else".to_owned()),
            Self::Unreadable => Some("answer it without a rule".to_owned()),
            Self::NoPlace => Some("name the job in which you ask, or speak for a team".to_owned()),
            Self::NoJob(_) => Some("run `iris jobs list` to see what there is".to_owned()),
            Self::Store(error) => error.hint().map(str::to_owned),
            Self::BadAsk(error) => Some(error.hint().to_owned()),
            Self::Closed(_) | Self::Late(_) | Self::NothingToEdit | Self::BadLength => None,
            Self::JobOver(_) => None,
            Self::NotAgain(_) => Some(
                "see `iris jobs list`; to have it done with your answer as well, start it or tell the team".to_owned(),
            ),
        }
    }

    /// How the question was closed, for whoever came too late.
    pub fn closed(&self) -> Option<&QuestionRow> {
        match self {
            Self::Closed(row) | Self::Late(row) => Some(row),
            _ => None,
        }
    }
}

/// Whether the work that asked can be done again with an answer: it ended without one.
fn is_repeatable(row: &QuestionRow) -> bool {
    matches!(row.state, QuestionState::Expired | QuestionState::Cancelled | QuestionState::Defaulted)
}

const MOST_LISTED: i64 = 1000;

impl Engine {
    pub async fn list_open_questions(&self, filter: OpenFilter) -> Result<Listed, StoreError> {
        self.inner.store.read(move |tx| question::list_open(tx, &filter, MOST_LISTED)).await
    }

    /// Those that are closed, newest first; of one session, if it is named.
    pub async fn list_closed_questions(
        &self,
        session: Option<SessionId>,
        before: Option<Closed>,
        limit: i64,
    ) -> Result<Vec<QuestionRow>, StoreError> {
        self.inner.store.read(move |tx| question::list_closed(tx, session.as_ref(), before.as_ref(), limit)).await
    }

    pub async fn find_question(&self, id: &QuestionId) -> Result<QuestionRow, QuestionError> {
        let wanted = id.clone();
        let row = self.inner.store.read(move |tx| question::find(tx, &wanted)).await?;
        row.ok_or_else(|| QuestionError::NotFound(id.clone()))
    }
}
