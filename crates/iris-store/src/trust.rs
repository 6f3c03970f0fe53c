//! Folders whose own settings the user has looked at, each by a digest of what is in them.

use iris_core::actor::Actor;
use iris_core::event::{Draft, Fact, Subject, TrustEvent};
use iris_core::team::TeamName;

use crate::error::StoreError;
use crate::event;
use crate::tx::{Tx, values};

/// The digest that was trusted last.
pub fn find(tx: &mut Tx<'_>, folder: &str) -> Result<Option<String>, StoreError> {
    let row = tx.one("SELECT digest FROM trust WHERE folder = ?1", values![folder])?;
    Ok(row.map(|row| row.text(0).to_owned()))
}

pub fn grant(tx: &mut Tx<'_>, team: &TeamName, folder: &str, digest: &str, by: &Actor) -> Result<(), StoreError> {
    let now = tx.wall_ms();
    tx.run(
        "INSERT INTO trust (folder, digest, trusted_at) VALUES (?1, ?2, ?3) \
         ON CONFLICT (folder) DO UPDATE SET digest = excluded.digest, trusted_at = excluded.trusted_at",
        values![folder, digest, now],
    )?;
    let granted = TrustEvent::Granted { folder: folder.to_owned(), digest: digest.to_owned(), by: by.clone() };
    append(tx, team, granted)
}

/// Whether it was trusted.
pub fn revoke(tx: &mut Tx<'_>, team: &TeamName, folder: &str, by: &Actor) -> Result<bool, StoreError> {
    let was = tx.one("DELETE FROM trust WHERE folder = ?1 RETURNING folder", values![folder])?.is_some();
    if was {
        append(tx, team, TrustEvent::Revoked { folder: folder.to_owned(), by: by.clone() })?;
    }
    Ok(was)
}

fn append(tx: &mut Tx<'_>, team: &TeamName, fact: TrustEvent) -> Result<(), StoreError> {
    let subject = Subject { team: Some(team.clone()), ..Subject::default() };
    event::append(tx, &[Draft { subject, fact: Fact::Trust(fact) }]).map(drop)
}
