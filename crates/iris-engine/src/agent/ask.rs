//! What an agent asks a person: kept as an open question until somebody answers or the agent no longer waits.

use iris_core::agent::Reply;
use iris_core::id::QuestionId;
use iris_core::question::Detail;
use iris_core::team::GrantPermission;
use iris_core::turn::Ask;
use iris_store::StoreError;
use iris_store::question::{self, NewQuestion};
use uuid::Uuid;

use super::run::Runner;

impl Runner {
    /// Opens a question. Until it is answered the agent waits, and nobody calls that silence.
    pub(super) async fn ask(&mut self, ask: &Ask) -> Result<(), StoreError> {
        let id = QuestionId::new(Uuid::now_v7().to_string());
        let is_forwarded = matches!(ask, Ask::Permission(_)) && self.grant == GrantPermission::Forward;
        let new = NewQuestion {
            id: id.clone(),
            turn: self.current_turn(),
            request: ask.request().to_owned(),
            asked_of: is_forwarded.then(|| self.party.clone()),
            detail: Detail::from(ask),
        };
        let (session, epoch) = (self.session.clone(), self.epoch);
        self.asks.insert(ask.request().to_owned(), id);
        self.engine.persist("question.open", move |tx| question::open(tx, &session, epoch, &new)).await
    }

    /// Passes an answer on, if it is for this process and it still waits.
    pub(super) fn pass_on(&mut self, request: &str, epoch: i64, reply: &Reply) {
        if epoch == self.epoch && self.asks.remove(request).is_some() {
            self.agent.reply(request, reply);
            self.restart_clock();
        }
    }

    /// The agent no longer waits for an answer, or for a tool.
    pub(super) async fn withdraw(&mut self, request: &str) -> Result<(), StoreError> {
        self.break_off_call(request);
        let Some(id) = self.asks.remove(request) else { return Ok(()) };
        self.engine
            .persist("question.cancel", move |tx| question::cancel(tx, &id, "the agent no longer waits for it"))
            .await
    }
}
