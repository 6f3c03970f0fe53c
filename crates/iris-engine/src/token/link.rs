//! One-time links: whoever has one signs a browser in, once and soon.

use std::collections::HashMap;
use std::time::Duration;

use iris_core::actor::Surface;
use iris_core::credential::CredentialKind;
use iris_core::event::LinkEvent;
use iris_store::token::{self, TokenRow};
use iris_store::wall_ms;
use tokio::time::Instant;

use super::{Credential, SignedIn, TokenError, digest, new_secret};
use crate::engine::Engine;

const GOOD_FOR: Duration = Duration::from_secs(5 * 60);
const BROWSER_MS: i64 = 30 * 24 * 60 * 60 * 1000;
/// More than anybody needs at once. Whoever makes more loses their own oldest.
const MOST: usize = 16;

/// What whoever follows the link gets: no more than whoever made it has, and no longer.
#[derive(Clone, Debug)]
pub struct Link {
    by: Credential,
    made: Instant,
}

impl Link {
    pub(super) fn is_good(&self) -> bool {
        self.made.elapsed() < GOOD_FOR && self.by.is_good()
    }
}

/// One place among those of whoever made it.
fn make_room(links: &mut HashMap<String, Link>, maker: &str) {
    let own = links.iter().filter(|(_, link)| root(&link.by) == maker);
    let mut own: Vec<_> = own.map(|(code, link)| (link.made, code.clone())).collect();
    own.sort();
    for (_, code) in own.iter().take((own.len() + 1).saturating_sub(MOST)) {
        links.remove(code);
    }
}

/// The token behind a browser, and a token itself.
fn root(row: &TokenRow) -> &str {
    row.id.split('.').next().unwrap_or_default()
}

/// A browser's id begins with that of the token behind it, so that both end together.
fn new_id(by: &TokenRow) -> String {
    let root = root(by);
    format!("{root}.{}", &uuid::Uuid::new_v4().simple().to_string()[..12])
}

pub(super) fn is_made_by(browser: &TokenRow, token: &TokenRow) -> bool {
    browser.id.strip_prefix(&token.id).is_some_and(|rest| rest.starts_with('.'))
}

impl Engine {
    /// The code of a new link. It is in memory only: a restart makes it worthless.
    pub async fn make_link(&self, by: &Credential, surface: Surface) -> Result<(String, Duration), TokenError> {
        if !by.kind.is_human() {
            return Err(TokenError::NotAllowed("an agent cannot sign a browser in".to_owned()));
        }
        let made = LinkEvent::Made {
            by: by.acting(surface),
            scopes: by.scopes.to_string(),
            good_for_ms: u64::try_from(GOOD_FOR.as_millis()).unwrap_or(u64::MAX),
        };
        self.inner.store.write("link.make", move |tx| token::append_link(tx, &made)).await?;
        let code = new_secret();
        let mut links = self.inner.credentials.links.lock().expect("nothing panics while it holds the links");
        links.retain(|_, link| link.is_good());
        make_room(&mut links, root(by));
        let link = Link { by: by.clone(), made: Instant::now() };
        links.insert(digest(&code), link);
        Ok((code, GOOD_FOR))
    }

    /// Signs a browser in. The link is spent whatever comes of it.
    pub async fn follow_link(&self, code: &str) -> Result<SignedIn, TokenError> {
        let spent = self.inner.credentials.links.lock().expect("nothing panics while it holds the links");
        let link = { spent }.remove(&digest(code)).filter(Link::is_good);
        let by = link.ok_or(TokenError::LinkSpent)?.by;
        let (id, word) = (new_id(&by), new_secret());
        let row = TokenRow {
            name: format!("browser-{}", &id[id.len() - 6..]),
            id,
            kind: CredentialKind::Browser,
            party: by.party.clone(),
            scopes: by.scopes,
            digest: String::new(),
            page: Some(digest(&word)),
            created_at: wall_ms(),
            expires_at: Some(by.expires_at.unwrap_or(i64::MAX).min(wall_ms() + BROWSER_MS)),
            used_at: None,
        };
        let made = self.keep(row, &by.acting(Surface::Dashboard)).await?;
        Ok(SignedIn { made, word })
    }
}
