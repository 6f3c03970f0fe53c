//! A question that an agent asks in plain words at the end of its turn.

use iris_core::id::TurnId;
use iris_core::turn::TurnOutcome;
use iris_store::StoreError;
use iris_store::question::NewQuestion;

use super::run::Runner;

impl Runner {
    /// The question in a reply, to be written down with the end of its turn.
    #[expect(
        clippy::unused_async,
        clippy::unused_self,
        clippy::needless_pass_by_ref_mut,
        reason = "detection comes with its own branch"
    )]
    pub(super) async fn find_question(
        &mut self,
        _outcome: &TurnOutcome,
        _turn: &TurnId,
    ) -> Result<Option<NewQuestion>, StoreError> {
        Ok(None)
    }
}
