//! Tokens, each by a digest of it.

use iris_core::actor::Actor;
use iris_core::credential::{CredentialKind, Scopes};
use iris_core::event::{Draft, Fact, LinkEvent, Subject, TokenEvent};
use iris_core::id::Party;

use crate::error::StoreError;
use crate::event;
use crate::tx::{Row, Tx, values};

#[derive(Clone, Debug, PartialEq)]
pub struct TokenRow {
    pub id: String,
    pub name: String,
    pub kind: CredentialKind,
    pub party: Party,
    pub scopes: Scopes,
    pub digest: String,
    /// For a browser: a digest of the word that its pages have beside the cookie.
    pub page: Option<String>,
    pub created_at: i64,
    pub expires_at: Option<i64>,
    pub used_at: Option<i64>,
}

/// `by` is who made it.
pub fn insert(tx: &mut Tx<'_>, row: &TokenRow, by: &Actor) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO token (id, name, kind, party, scopes, digest, page, created_at, expires_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        values![
            &row.id,
            &row.name,
            row.kind.as_str(),
            &row.party,
            &row.scopes.to_string(),
            &row.digest,
            row.page.as_ref(),
            row.created_at,
            row.expires_at
        ],
    )?;
    let created = TokenEvent::Created {
        id: row.id.clone(),
        name: row.name.clone(),
        credential: row.kind,
        party: row.party.clone(),
        scopes: row.scopes.to_string(),
        expires_at: row.expires_at,
        by: Some(by.clone()),
    };
    event::append(tx, &[Draft { subject: Subject::default(), fact: Fact::Token(created) }])?;
    Ok(())
}

pub fn append_link(tx: &mut Tx<'_>, fact: &LinkEvent) -> Result<(), StoreError> {
    event::append(tx, &[Draft { subject: Subject::default(), fact: Fact::Link(fact.clone()) }]).map(drop)
}

pub fn list(tx: &mut Tx<'_>) -> Result<Vec<TokenRow>, StoreError> {
    let rows = tx.many(
        "SELECT id, name, kind, party, scopes, digest, page, created_at, expires_at, used_at FROM token ORDER BY created_at, id",
        &[],
    )?;
    rows.iter().map(read).collect()
}

pub fn revoke(tx: &mut Tx<'_>, id: &str, by: &Actor) -> Result<bool, StoreError> {
    let Some(row) = tx.one("DELETE FROM token WHERE id = ?1 RETURNING name", values![id])? else {
        return Ok(false);
    };
    let revoked = TokenEvent::Revoked { id: id.to_owned(), name: row.text(0).to_owned(), by: by.clone() };
    event::append(tx, &[Draft { subject: Subject::default(), fact: Fact::Token(revoked) }])?;
    Ok(true)
}

pub fn note_use(tx: &mut Tx<'_>, id: &str) -> Result<(), StoreError> {
    let now = tx.wall_ms();
    tx.run("UPDATE token SET used_at = ?2 WHERE id = ?1", values![id, now])
}

fn read(row: &Row) -> Result<TokenRow, StoreError> {
    Ok(TokenRow {
        id: row.text(0).to_owned(),
        name: row.text(1).to_owned(),
        kind: row.parsed(2)?,
        party: Party::new(row.text(3)),
        scopes: row.parsed(4)?,
        digest: row.text(5).to_owned(),
        page: row.maybe_text(6).map(str::to_owned),
        created_at: row.int(7),
        expires_at: row.maybe_int(8),
        used_at: row.maybe_int(9),
    })
}
