//! Reading turns and what was said in them: the cache, which survives everything.

use iris_core::event::Recorded;
use iris_core::id::{SessionId, TurnId};
use iris_store::turn::TurnRow;
use iris_store::{StoreError, event, turn};

use crate::engine::Engine;

/// Some of what there is, oldest first, for readers that take only so much.
#[derive(Debug)]
pub struct Part<T> {
    pub rows: Vec<T>,
    /// How many there are altogether.
    pub total: i64,
    /// There are others beyond these, on the side that was read towards.
    pub has_more: bool,
}

/// Where to read from, and which way.
#[derive(Clone, Copy, Debug)]
pub enum Side {
    /// Towards the newest.
    After(i64),
    /// Towards the oldest.
    Before(i64),
}

/// How much is read at most.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    pub rows: i64,
    /// Of text. The first is read however long it is.
    pub bytes: usize,
    /// Longer texts count as this long: they are going to be shortened to it.
    pub each: usize,
}

impl Engine {
    pub async fn find_turn(&self, id: &TurnId) -> Result<Option<TurnRow>, StoreError> {
        let id = id.clone();
        self.inner.store.read(move |tx| turn::find(tx, &id)).await
    }

    /// A page of a session's turns, oldest first.
    pub async fn list_turns(&self, session: &SessionId, after: i64, limit: i64) -> Result<Vec<TurnRow>, StoreError> {
        let session = session.clone();
        self.inner.store.read(move |tx| turn::list(tx, &session, after, limit)).await
    }

    /// A page of a session's turns, oldest first, with whether there are more.
    pub async fn page_of_turns(
        &self,
        session: &SessionId,
        after: i64,
        most: Most,
    ) -> Result<(Vec<TurnRow>, bool), StoreError> {
        let session = session.clone();
        let size = |row: &TurnRow| row.body.len() + row.response.as_ref().map_or(0, String::len);
        let number = |row: &TurnRow| row.number;
        let read = self.inner.store.read(move |tx| {
            gather(Side::After(after), most, size, number, |from, limit| match from {
                Side::After(after) => turn::list(tx, &session, after, limit),
                Side::Before(before) => turn::list_before(tx, &session, before, limit),
            })
        });
        read.await
    }

    /// A page of what was said in a turn, oldest first from whichever side it is read, with whether there is more.
    pub async fn page_of_messages(
        &self,
        turn: &TurnId,
        from: Side,
        most: Most,
    ) -> Result<(Vec<Recorded>, bool), StoreError> {
        let turn = turn.clone();
        let read = self.inner.store.read(move |tx| {
            gather(
                from,
                most,
                |row: &Recorded| row.body.len(),
                |row| row.seq,
                |from, limit| match from {
                    Side::After(after) => event::list_messages(tx, &turn, after, limit),
                    Side::Before(before) => event::list_messages_before(tx, &turn, before, limit),
                },
            )
        });
        read.await
    }

    pub async fn some_turns(&self, session: &SessionId, from: Side, most: Most) -> Result<Part<TurnRow>, StoreError> {
        let session = session.clone();
        let size = move |row: &TurnRow| {
            let response = row.response.as_ref().map_or(0, String::len);
            row.body.len().min(most.each) + response.min(most.each)
        };
        self.inner
            .store
            .read(move |tx| {
                let total = turn::count(tx, &session)?;
                let (rows, has_more) = gather(
                    from,
                    most,
                    size,
                    |row| row.number,
                    |from, limit| match from {
                        Side::After(after) => turn::list(tx, &session, after, limit),
                        Side::Before(before) => turn::list_before(tx, &session, before, limit),
                    },
                )?;
                Ok(Part { rows, total, has_more })
            })
            .await
    }

    /// The newest of what was said in a turn.
    pub async fn newest_messages(&self, turn: &TurnId, most: Most) -> Result<Part<Recorded>, StoreError> {
        let turn = turn.clone();
        let size = move |row: &Recorded| row.body.len().min(most.each);
        self.inner
            .store
            .read(move |tx| {
                let total = event::count_messages(tx, &turn)?;
                let (rows, has_more) = gather(
                    Side::Before(i64::MAX),
                    most,
                    size,
                    |row| row.seq,
                    |from, limit| match from {
                        Side::After(after) => event::list_messages(tx, &turn, after, limit),
                        Side::Before(before) => event::list_messages_before(tx, &turn, before, limit),
                    },
                )?;
                Ok(Part { rows, total, has_more })
            })
            .await
    }
}

/// A few at a time, so that what is too much is not even read; more if they are small.
const AT_ONCE: usize = 5;
const MOST_AT_ONCE: usize = 200;

fn gather<T>(
    mut from: Side,
    most: Most,
    size: impl Fn(&T) -> usize,
    number: impl Fn(&T) -> i64,
    mut read: impl FnMut(Side, i64) -> Result<Vec<T>, StoreError>,
) -> Result<(Vec<T>, bool), StoreError> {
    let (mut rows, mut bytes, mut has_more, mut at_once) = (Vec::new(), 0, true, AT_ONCE);
    let limit = usize::try_from(most.rows).unwrap_or(usize::MAX);
    'full: while has_more {
        let page = read(from, i64::try_from(at_once).unwrap_or(i64::MAX))?;
        has_more = page.len() == at_once;
        for row in page {
            bytes += size(&row);
            if rows.len() == limit || (bytes > most.bytes && !rows.is_empty()) {
                has_more = true;
                break 'full;
            }
            from = match from {
                Side::After(_) => Side::After(number(&row)),
                Side::Before(_) => Side::Before(number(&row)),
            };
            rows.push(row);
        }
        let average = bytes / rows.len().max(1) + 1;
        at_once = (most.bytes.saturating_sub(bytes) / average).clamp(AT_ONCE, MOST_AT_ONCE);
    }
    if matches!(from, Side::Before(_)) {
        rows.reverse();
    }
    Ok((rows, has_more))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers 1 to 12 that are as long as they say.
    fn look(from: Side, rows: i64, bytes: usize) -> (Vec<i64>, bool) {
        let all: Vec<i64> = (1..=12).collect();
        let read = |from: Side, limit: i64| {
            let limit = usize::try_from(limit).expect("a few");
            Ok(match from {
                Side::After(after) => all.iter().copied().filter(|n| *n > after).take(limit).collect(),
                Side::Before(before) => all.iter().rev().copied().filter(|n| *n < before).take(limit).collect(),
            })
        };
        let most = Most { rows, bytes, each: 10 };
        let size = |n: &i64| usize::try_from(*n).expect("small").min(10);
        gather(from, most, size, |n| *n, read).expect("read")
    }

    #[test]
    fn no_more_is_read_than_fits_and_whether_there_is_more_is_said() {
        assert_eq!(look(Side::Before(i64::MAX), 3, 1000), (vec![10, 11, 12], true));
        assert_eq!(look(Side::Before(4), 3, 1000), (vec![1, 2, 3], false));
        assert_eq!(look(Side::After(0), 12, 1000), ((1..=12).collect(), false));
        assert_eq!(look(Side::After(0), 6, 1000), ((1..=6).collect(), true));
        assert_eq!(look(Side::After(9), 6, 1000), (vec![10, 11, 12], false));
        assert_eq!(look(Side::After(0), 12, 6), (vec![1, 2, 3], true));
        assert_eq!(look(Side::Before(i64::MAX), 12, 1), (vec![12], true), "one is read, however long");
        assert_eq!(look(Side::Before(i64::MAX), 12, 29), (vec![11, 12], true), "long ones count as shortened");
    }
}
