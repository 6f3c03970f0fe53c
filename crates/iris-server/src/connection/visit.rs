//! Who is here. A connection is a stranger's until a good credential came over it, and strangers never take the room of
//! those who are known: when there are too many, the one that has been here longest has to go. Nor does one credential
//! take the room of all others, nor all that were ever made take the owner's.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use iris_core::credential::CredentialKind;
use iris_engine::token::Credential;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::MOST;

const MOST_STRANGERS: usize = 256;
/// Of one credential, except the owner's. A stream that goes on is a connection of its own.
pub(crate) const MOST_OF_ONE: usize = 256;
const OWNER: &str = "owner";
/// What is left is the owner's.
pub(crate) const MOST_MADE: usize = MOST as usize - MOST_STRANGERS - 256;

#[derive(Clone, Debug, Default)]
pub(super) struct Visitors(Arc<Mutex<Crowd>>);

#[derive(Debug, Default)]
struct Crowd {
    next: u64,
    /// In the order in which they came.
    strangers: BTreeMap<u64, oneshot::Sender<()>>,
    /// How many there are of each credential, by its id.
    known: HashMap<String, usize>,
    /// How many of them are not the owner's.
    made: usize,
}

/// One connection. Whatever goes on with it, a socket for instance, holds this, and with it the connection's place.
#[derive(Debug)]
pub(crate) struct Visit {
    number: u64,
    visitors: Visitors,
    whose: Mutex<Option<Whose>>,
    _place: OwnedSemaphorePermit,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Whose {
    id: String,
    is_owner: bool,
}

/// Why a connection was not taken for a credential's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Crowded {
    /// This credential has too many.
    One,
    /// All that were made have too many together.
    All,
}

/// For whom a credential counts. A browser counts for the token that signed it in, or a token could have as many as it has
/// links. The owner's browsers count for themselves.
pub(crate) fn whose(credential: &str) -> &str {
    match credential.split_once('.') {
        Some((token, _)) if token != OWNER => token,
        _ => credential,
    }
}

impl Visitors {
    /// The receiver is told when the connection has to make room.
    pub fn come_in(&self, place: OwnedSemaphorePermit) -> (Arc<Visit>, oneshot::Receiver<()>) {
        let (turn_out, turned_out) = oneshot::channel();
        let mut crowd = self.lock();
        let number = crowd.next;
        crowd.next += 1;
        if crowd.strangers.len() >= MOST_STRANGERS
            && let Some((_, oldest)) = crowd.strangers.pop_first()
        {
            // It may be leaving by itself.
            oldest.send(()).ok();
        }
        crowd.strangers.insert(number, turn_out);
        (Arc::new(Visit { number, visitors: self.clone(), whose: Mutex::default(), _place: place }), turned_out)
    }

    fn lock(&self) -> MutexGuard<'_, Crowd> {
        self.0.lock().expect("nothing panics while it holds these")
    }
}

impl Crowd {
    fn add(&mut self, whose: &Whose) -> Result<(), Crowded> {
        let count = self.known.get(&whose.id).copied().unwrap_or(0);
        if !whose.is_owner && count >= MOST_OF_ONE {
            return Err(Crowded::One);
        }
        if !whose.is_owner && self.made >= MOST_MADE {
            return Err(Crowded::All);
        }
        self.known.insert(whose.id.clone(), count + 1);
        self.made += usize::from(!whose.is_owner);
        Ok(())
    }

    fn remove(&mut self, whose: &Whose) {
        self.made -= usize::from(!whose.is_owner);
        if let Some(count) = self.known.get_mut(&whose.id) {
            *count -= 1;
            if *count == 0 {
                self.known.remove(&whose.id);
            }
        }
    }
}

impl Visit {
    /// A good credential came over it.
    pub fn is_of(&self, credential: &Credential) -> Result<(), Crowded> {
        let is_owner = credential.kind == CredentialKind::Owner;
        self.belongs_to(Whose { id: whose(&credential.id).to_owned(), is_owner })
    }

    fn belongs_to(&self, new: Whose) -> Result<(), Crowded> {
        let mut whose = self.whose();
        if whose.as_ref() == Some(&new) {
            return Ok(());
        }
        let mut crowd = self.visitors.lock();
        crowd.add(&new)?;
        crowd.strangers.remove(&self.number);
        if let Some(old) = whose.replace(new) {
            crowd.remove(&old);
        }
        Ok(())
    }

    /// The id of the credential that came over it last.
    pub fn credential(&self) -> Option<String> {
        self.whose().as_ref().map(|whose| whose.id.clone())
    }

    fn whose(&self) -> MutexGuard<'_, Option<Whose>> {
        self.whose.lock().expect("nothing panics while it holds this")
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        let whose = self.whose().take();
        let mut crowd = self.visitors.lock();
        crowd.strangers.remove(&self.number);
        if let Some(whose) = whose {
            crowd.remove(&whose);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::Semaphore;

    fn whose_is(id: &str) -> Whose {
        Whose { id: id.to_owned(), is_owner: id == "owner" }
    }

    #[test]
    fn nobody_takes_the_room_of_all_others() {
        let places = Arc::new(Semaphore::new(MOST as usize));
        let visitors = Visitors::default();
        let come = || {
            let place = Arc::clone(&places).try_acquire_owned().expect("there is room for a newcomer");
            visitors.come_in(place).0
        };
        let take_all = |id: &str| {
            let mut here = Vec::new();
            loop {
                let visit = come();
                match visit.belongs_to(whose_is(id)) {
                    Ok(()) => here.push(visit),
                    Err(crowded) => return (here, crowded),
                }
            }
        };
        let mut here = Vec::new();
        let mut number = 0;
        loop {
            let (some, crowded) = take_all(&format!("token {number}"));
            here.extend(some);
            number += 1;
            match crowded {
                Crowded::One => assert_eq!(here.len(), number * MOST_OF_ONE),
                Crowded::All => break,
            }
        }
        assert_eq!(here.len(), MOST_MADE);
        let strangers: Vec<_> = (0..MOST_STRANGERS).map(|_| come()).collect();
        let owner = come();
        assert_eq!(owner.belongs_to(whose_is("owner")), Ok(()));
        drop((here, strangers, owner));
        let crowd = visitors.lock();
        assert!(crowd.known.is_empty() && crowd.strangers.is_empty() && crowd.made == 0, "{crowd:?}");
    }

    #[test]
    fn a_connection_is_of_the_credential_that_came_last() {
        let places = Arc::new(Semaphore::new(1));
        let visitors = Visitors::default();
        let (visit, _) = visitors.come_in(places.try_acquire_owned().expect("a place"));
        for id in ["one", "owner", "one", "one"] {
            assert_eq!(visit.belongs_to(whose_is(id)), Ok(()));
            assert_eq!(visit.credential().as_deref(), Some(id));
            assert_eq!(visitors.lock().known, HashMap::from([(id.to_owned(), 1)]));
        }
    }
}
