//! Folders whose own settings the user has looked at, each by a digest of what is in them.

use crate::error::StoreError;
use crate::tx::{Tx, values};

/// The digest that was trusted last.
pub fn find(tx: &mut Tx<'_>, folder: &str) -> Result<Option<String>, StoreError> {
    let row = tx.one("SELECT digest FROM trust WHERE folder = ?1", values![folder])?;
    Ok(row.map(|row| row.text(0).to_owned()))
}

pub fn grant(tx: &mut Tx<'_>, folder: &str, digest: &str) -> Result<(), StoreError> {
    let now = tx.wall_ms();
    tx.run(
        "INSERT INTO trust (folder, digest, trusted_at) VALUES (?1, ?2, ?3) \
         ON CONFLICT (folder) DO UPDATE SET digest = excluded.digest, trusted_at = excluded.trusted_at",
        values![folder, digest, now],
    )
}

pub fn revoke(tx: &mut Tx<'_>, folder: &str) -> Result<bool, StoreError> {
    Ok(tx.one("DELETE FROM trust WHERE folder = ?1 RETURNING folder", values![folder])?.is_some())
}
