//! Credentials: the owner's token, those that were made, and browsers that were signed in by a link.
//!
//! They are few and asked for with every request, so they are kept in memory, by their digest. The store has the same.

mod link;

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use iris_core::actor::{Actor, Surface, Through};
use iris_core::credential::{CredentialKind, Scopes, may_be_given};
use iris_core::fault::FaultKind;
use iris_core::hex::hex;
use iris_core::id::Party;
use iris_core::team::TeamName;
use iris_core::visible::acts;
use iris_store::token::{self, TokenRow};
use iris_store::{StoreError, wall_ms};
use sha2::{Digest, Sha256};
use tokio::sync::watch;

use crate::engine::{Engine, Inner};

pub use link::Link;

/// Whom the owner speaks for if nobody is named.
pub const OWNER: &str = "user";

const LONGEST_NAME: usize = 64;
const LONGEST_MS: i64 = 3653 * 24 * 3_600_000;

/// A credential that somebody came with.
#[derive(Clone, Debug)]
pub struct Credential(Arc<Known>);

#[derive(Debug)]
struct Known {
    row: TokenRow,
    /// For a browser: what the token behind it is called.
    signed_in_by: Option<String>,
    /// When its use was written down last.
    noted_at: AtomicI64,
    /// Turns true when it is revoked.
    revoked: watch::Sender<bool>,
}

impl std::ops::Deref for Credential {
    type Target = TokenRow;

    fn deref(&self) -> &TokenRow {
        &self.0.row
    }
}

impl Credential {
    fn new(row: TokenRow, signed_in_by: Option<String>) -> Self {
        Self(Arc::new(Known { row, signed_in_by, noted_at: AtomicI64::new(0), revoked: watch::Sender::new(false) }))
    }

    /// For the log: what was done by whoever showed it there.
    pub fn through(&self, surface: Surface) -> Through {
        Through {
            surface,
            credential: Some(self.id.clone()),
            name: Some(self.name.clone()),
            signed_in_by: self.0.signed_in_by.clone(),
        }
    }

    pub(crate) fn acting(&self, surface: Surface) -> Actor {
        Actor { party: self.party.clone(), through: Some(self.through(surface)) }
    }

    /// Waits until it is good no longer: for streams that outlive the request they began with.
    pub async fn ended(&self) {
        let mut revoked = self.0.revoked.subscribe();
        let expired = async {
            while let Some(left) = self.expires_at.map(|at| at - wall_ms()) {
                if left <= 0 {
                    return;
                }
                // In small steps: the clock on the wall may be set.
                let step = u64::try_from(left).unwrap_or(0).min(1000);
                tokio::time::sleep(std::time::Duration::from_millis(step)).await;
            }
            std::future::pending().await
        };
        tokio::select! {
            // The sender is in what we hold, so it cannot be gone.
            _ = revoked.wait_for(|revoked| *revoked) => {}
            () = expired => {}
        }
    }

    /// Whether a page of this browser knows this word.
    pub fn has_word(&self, word: &str) -> bool {
        self.page.as_deref() == Some(&digest(word))
    }

    pub fn is_good(&self) -> bool {
        !self.is_expired() && !*self.0.revoked.borrow()
    }

    fn is_expired(&self) -> bool {
        self.expires_at.is_some_and(|at| at <= wall_ms())
    }
}

#[derive(Debug, Default)]
pub(crate) struct Credentials {
    known: RwLock<HashMap<String, Credential>>,
    links: Mutex<HashMap<String, Link>>,
}

/// A new token: the only time its text is known.
#[derive(Debug)]
pub struct Made {
    pub secret: String,
    pub row: TokenRow,
}

/// A browser that was signed in: what its cookie holds, and the word that its pages keep.
///
/// A browser sends a cookie to every port of a host, so whatever listens on another one may learn it. What a page stored
/// is for its own port alone. So the cookie is good for very little without the word.
#[derive(Debug)]
pub struct SignedIn {
    pub made: Made,
    pub word: String,
}

#[derive(Debug)]
pub struct Wanted {
    pub name: String,
    pub kind: CredentialKind,
    /// Whom it speaks for; by default whoever has its name.
    pub party: Option<Party>,
    pub scopes: Scopes,
    pub expires_at: Option<i64>,
}

#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    #[error("there is no token '{0}'")]
    NotFound(String),
    #[error("there is a token '{0}' already")]
    NameTaken(String),
    #[error("{0}")]
    NotAllowed(String),
    #[error("the token would have expired already")]
    Expired,
    #[error("a token lasts 10 years at most")]
    LastsTooLong,
    #[error("the link was used already, or is too old")]
    LinkSpent,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl TokenError {
    pub fn kind(&self) -> FaultKind {
        match self {
            Self::NotFound(_) => FaultKind::NotFound,
            Self::NameTaken(_) => FaultKind::Conflict,
            Self::NotAllowed(_) | Self::Expired | Self::LastsTooLong => FaultKind::Unfit,
            Self::LinkSpent => FaultKind::Conflict,
            Self::Store(error) => error.kind(),
        }
    }

    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotFound(_) => Some("run `iris token list` to see them".to_owned()),
            Self::NameTaken(name) => Some(format!("choose another name, or run `iris token revoke {name}` first")),
            Self::NotAllowed(_) => Some("`iris token create --help` says what a token can have".to_owned()),
            Self::Expired | Self::LastsTooLong => {
                Some("give a time such as 12h or 30d; without one it lasts until it is revoked".to_owned())
            }
            Self::LinkSpent => Some("run `iris link` for a new one".to_owned()),
            Self::Store(error) => error.hint().map(str::to_owned),
        }
    }
}

/// Whom Iris itself speaks for in the record of who did what, and what it calls the owner's token there.
pub(crate) const RESERVED: [&str; 5] = ["rule", "deadline", "iris", "iris-agent", "owner"];

/// A name stands in the log and on screens, beside others: it is seen whole, and is not one of Iris's own.
fn may_be_called(name: &str) -> Result<(), String> {
    if name.is_empty() || name.chars().count() > LONGEST_NAME || name.chars().any(acts) {
        return Err(format!("a token's name has 1 to {LONGEST_NAME} characters that can be printed"));
    }
    let plain = name.to_lowercase();
    if RESERVED.contains(&plain.as_str()) || plain.starts_with("job-") {
        return Err(format!("'{name}' has a meaning of its own in the log; choose another name"));
    }
    Ok(())
}

/// Who did something is known by its name, so a name is one person's, one team's or Iris's. Nobody tells two apart by the
/// case of their letters.
fn may_speak_as<'a>(kind: CredentialKind, name: &str, mut teams: impl Iterator<Item = &'a str>) -> Result<(), String> {
    if kind == CredentialKind::Agent {
        let is_team = teams.any(|team| team == name);
        return if is_team {
            Ok(())
        } else {
            Err(format!("an agent speaks for a team, and there is no team '{name}'"))
        };
    }
    match teams.find(|team| is_alike(team, name)) {
        Some(team) => Err(format!(
            "'{name}' is the name of a team, and this would be a person's; name it otherwise, or use --agent {team}"
        )),
        None => Ok(()),
    }
}

fn is_alike(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

impl Engine {
    /// Whose secret this is, if it is anybody's.
    pub fn find_credential(&self, secret: &str) -> Option<Credential> {
        let known = self.inner.credentials.known.read().expect("nothing panics while it holds the credentials");
        let found = known.get(&digest(secret)).filter(|found| !found.is_expired())?.clone();
        drop(known);
        self.note_use(&found);
        Some(found)
    }

    pub async fn make_token(&self, wanted: Wanted, by: &Actor) -> Result<Made, TokenError> {
        let name = wanted.name.trim();
        let party = wanted.party.as_ref().map_or(name, |party| party.as_str().trim());
        may_be_called(name).and_then(|()| may_be_called(party)).map_err(TokenError::NotAllowed)?;
        may_be_given(wanted.kind, wanted.scopes).map_err(TokenError::NotAllowed)?;
        if wanted.expires_at.is_some_and(|at| at <= wall_ms()) {
            return Err(TokenError::Expired);
        }
        if wanted.expires_at.is_some_and(|at| at > wall_ms().saturating_add(LONGEST_MS)) {
            return Err(TokenError::LastsTooLong);
        }
        let config = self.inner.config();
        may_speak_as(wanted.kind, party, config.teams.keys().map(TeamName::as_str)).map_err(TokenError::NotAllowed)?;
        let row = TokenRow {
            id: uuid::Uuid::new_v4().simple().to_string()[..12].to_owned(),
            name: name.to_owned(),
            kind: wanted.kind,
            party: Party::new(party),
            scopes: wanted.scopes,
            digest: String::new(),
            page: None,
            created_at: wall_ms(),
            expires_at: wanted.expires_at,
            used_at: None,
        };
        self.keep(row, by).await
    }

    async fn keep(&self, mut row: TokenRow, by: &Actor) -> Result<Made, TokenError> {
        let secret = new_secret();
        row.digest = digest(&secret);
        let (kept, by) = (row.clone(), by.clone());
        let taken = self
            .inner
            .store
            .write("token.create", move |tx| {
                let taken =
                    token::list(tx)?.into_iter().map(|other| other.name).find(|name| is_alike(name, &kept.name));
                if taken.is_none() {
                    token::insert(tx, &kept, &by)?;
                }
                Ok(taken)
            })
            .await?;
        if let Some(name) = taken {
            return Err(TokenError::NameTaken(name));
        }
        self.inner.credentials.add(row.clone());
        Ok(Made { secret, row })
    }

    pub async fn list_tokens(&self) -> Result<Vec<TokenRow>, StoreError> {
        self.inner.store.read(token::list).await
    }

    /// By name or id, with the browsers that it signed in. When this returns, it opens nothing any more and what it had
    /// open is being closed.
    pub async fn revoke_token(&self, named: &str, by: &Actor) -> Result<TokenRow, TokenError> {
        let rows = self.list_tokens().await?;
        let row = rows.iter().find(|row| row.id == named || row.name == named);
        let row = row.ok_or_else(|| TokenError::NotFound(named.to_owned()))?.clone();
        let gone: Vec<_> = rows.into_iter().filter(|one| one.id == row.id || link::is_made_by(one, &row)).collect();
        let (ids, by) = (gone.iter().map(|row| row.id.clone()).collect::<Vec<_>>(), by.clone());
        self.inner
            .store
            .write("token.revoke", move |tx| ids.iter().try_for_each(|id| token::revoke(tx, id, &by).map(drop)))
            .await?;
        gone.iter().for_each(|row| self.inner.credentials.remove(&row.digest));
        Ok(row)
    }

    /// When it was used last is good to know, but not worth a write with every request.
    fn note_use(&self, credential: &Credential) {
        const EVERY_MS: i64 = 60_000;
        let (now, noted_at) = (wall_ms(), &credential.0.noted_at);
        let noted = noted_at.load(Ordering::Relaxed);
        let is_due = credential.kind != CredentialKind::Owner && now - noted >= EVERY_MS;
        if !is_due || noted_at.compare_exchange(noted, now, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return;
        }
        let (store, id) = (self.inner.store.clone(), credential.id.clone());
        crate::tasks::spawn("token.used", async move {
            if let Err(error) = store.write("token.used", move |tx| token::note_use(tx, &id)).await {
                tracing::debug!(%error, "the use of a token was not written down");
            }
        });
    }
}

impl Inner {
    /// Brings what is in memory in line with the store: at the start, and when another node may have changed it.
    pub(crate) async fn load_credentials(&self) -> Result<(), StoreError> {
        let rows = self.store.read(token::list).await?;
        self.credentials.replace(rows);
        Ok(())
    }
}

impl Credentials {
    /// With the owner's token, which is in no table.
    pub fn new(owner: &str) -> Self {
        let owner = TokenRow {
            id: "owner".to_owned(),
            name: "owner".to_owned(),
            kind: CredentialKind::Owner,
            party: Party::new(OWNER),
            scopes: Scopes::ALL,
            digest: digest(owner),
            page: None,
            created_at: 0,
            expires_at: None,
            used_at: None,
        };
        let credentials = Self::default();
        credentials.add(owner);
        credentials
    }

    fn add(&self, row: TokenRow) {
        let mut known = self.known.write().expect("nothing panics while it holds the credentials");
        // A token is older than the browsers that it signs in, so it is known before them.
        let behind = known.values().find(|token| link::is_made_by(&row, token)).map(|token| token.name.clone());
        known.entry(row.digest.clone()).or_insert_with(|| Credential::new(row, behind));
    }

    fn remove(&self, digest: &str) {
        let removed = self.known.write().expect("nothing panics while it holds the credentials").remove(digest);
        if let Some(credential) = removed {
            credential.0.revoked.send_replace(true);
            let mut links = self.links.lock().expect("nothing panics while it holds the links");
            links.retain(|_, link| link.is_good());
        }
    }

    fn replace(&self, rows: Vec<TokenRow>) {
        let known = self.known.read().expect("nothing panics while it holds the credentials");
        let is_gone = |known: &&Credential| {
            known.kind != CredentialKind::Owner && !rows.iter().any(|row| row.digest == known.digest)
        };
        let gone: Vec<_> = known.values().filter(is_gone).map(|known| known.digest.clone()).collect();
        drop(known);
        gone.iter().for_each(|digest| self.remove(digest));
        rows.into_iter().for_each(|row| self.add(row));
    }
}

fn new_secret() -> String {
    format!("iris_{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple())
}

/// Secrets are long and random, so a plain digest tells nobody anything.
fn digest(secret: &str) -> String {
    hex(&Sha256::digest(secret.as_bytes()))
}
