//! Rules that people made from their answers: listed, and taken back.

use iris_core::actor::Actor;
use iris_core::fault::FaultKind;
use iris_core::id::RuleId;
use iris_store::StoreError;
use iris_store::rule::{self, RuleRow};

use crate::engine::Engine;

#[derive(Debug, thiserror::Error)]
pub enum RuleError {
    #[error("no rule {0} holds")]
    NotFound(RuleId),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RuleError {
    pub fn kind(&self) -> FaultKind {
        match self {
            Self::NotFound(_) => FaultKind::NotFound,
            Self::Store(error) => error.kind(),
        }
    }

    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotFound(_) => Some("run `iris rules list` to see those that hold".to_owned()),
            Self::Store(error) => error.hint().map(str::to_owned),
        }
    }
}

const MOST_LISTED: i64 = 1000;

impl Engine {
    pub async fn list_rules(&self) -> Result<Vec<RuleRow>, StoreError> {
        self.inner.store.read(|tx| rule::list(tx, MOST_LISTED)).await
    }

    pub async fn revoke_rule(&self, id: &RuleId, by: &Actor) -> Result<(), RuleError> {
        let (wanted, party) = (id.clone(), by.clone());
        let revoked = self.inner.store.write("rule.revoke", move |tx| rule::revoke(tx, &wanted, &party)).await?;
        if revoked { Ok(()) } else { Err(RuleError::NotFound(id.clone())) }
    }
}
