//! One-time links: whoever has one signs a browser in, once and soon.

use std::time::Duration;

use iris_core::credential::{CredentialKind, Scopes};
use iris_core::id::Party;
use iris_store::token::TokenRow;
use iris_store::wall_ms;
use tokio::time::Instant;

use super::{Credential, Made, TokenError, digest, new_secret};
use crate::engine::Engine;

const GOOD_FOR: Duration = Duration::from_secs(5 * 60);
const BROWSER_MS: i64 = 30 * 24 * 60 * 60 * 1000;
/// More than anybody needs at once.
const MOST: usize = 64;

/// What whoever follows the link gets: no more than whoever made it has.
#[derive(Clone, Debug)]
pub struct Link {
    party: Party,
    scopes: Scopes,
    made: Instant,
}

impl Engine {
    /// The code of a new link. It is in memory only: a restart makes it worthless.
    pub fn make_link(&self, by: &Credential) -> Result<(String, Duration), TokenError> {
        if !by.kind.is_human() {
            return Err(TokenError::NotAllowed("an agent cannot sign a browser in".to_owned()));
        }
        let code = new_secret();
        let mut links = self.inner.credentials.links.lock().expect("nothing panics while it holds the links");
        links.retain(|_, link| link.made.elapsed() < GOOD_FOR);
        if links.len() >= MOST {
            return Err(TokenError::NotAllowed(format!("{MOST} links wait to be used; use one, or wait")));
        }
        let link = Link { party: by.party.clone(), scopes: by.scopes, made: Instant::now() };
        links.insert(digest(&code), link);
        Ok((code, GOOD_FOR))
    }

    /// Signs a browser in. The link is spent whatever comes of it.
    pub async fn follow_link(&self, code: &str) -> Result<Made, TokenError> {
        let spent = self.inner.credentials.links.lock().expect("nothing panics while it holds the links");
        let link = { spent }.remove(&digest(code)).filter(|link| link.made.elapsed() < GOOD_FOR);
        let link = link.ok_or(TokenError::LinkSpent)?;
        let id = uuid::Uuid::new_v4().simple().to_string()[..12].to_owned();
        self.keep(TokenRow {
            name: format!("browser-{}", &id[..6]),
            id,
            kind: CredentialKind::Browser,
            party: link.party,
            scopes: link.scopes,
            digest: String::new(),
            created_at: wall_ms(),
            expires_at: Some(wall_ms() + BROWSER_MS),
            used_at: None,
        })
        .await
    }
}
