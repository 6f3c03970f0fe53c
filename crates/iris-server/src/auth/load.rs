//! How much is being sent, by each credential at one time. A body is in memory until its request is done, so without a bound
//! a token that may do next to nothing could fill it with what it never finishes to send.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use iris_core::credential::CredentialKind;

use crate::auth::Caller;
use crate::connection::visit::whose;
use crate::http::problem::refused;

/// Two of the longest messages there are.
const MOST_OF_ONE: usize = 128 * 1024 * 1024;
/// Of all that were made together.
const MOST_OF_ALL: usize = 4 * MOST_OF_ONE;

#[derive(Clone, Debug, Default)]
pub(crate) struct Loads(Arc<Mutex<HashMap<String, usize>>>);

/// What one request has sent so far. Given back when dropped.
#[derive(Debug)]
pub(crate) struct Load {
    loads: Loads,
    whose: String,
    bytes: AtomicUsize,
    is_refused: AtomicBool,
}

impl Loads {
    /// Counts what is sent with the request. Nobody counts for the owner: whoever has that token needs no door to do harm.
    pub fn count(&self, caller: &Caller, request: Request) -> (Request, Option<Arc<Load>>) {
        if caller.credential.kind == CredentialKind::Owner || request.body().is_end_stream() {
            return (request, None);
        }
        let load = Arc::new(self.begin(whose(&caller.credential.id)));
        let counted = Arc::clone(&load);
        let request = request.map(|body| {
            Body::from_stream(body.into_data_stream().map(move |piece| {
                let piece = piece.map_err(axum::BoxError::from)?;
                counted.add(piece.len()).map(|()| piece).map_err(axum::BoxError::from)
            }))
        });
        (request, Some(load))
    }

    fn begin(&self, whose: &str) -> Load {
        let (bytes, is_refused) = (AtomicUsize::new(0), AtomicBool::new(false));
        Load { loads: self.clone(), whose: whose.to_owned(), bytes, is_refused }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.0.lock().expect("nothing panics while it holds these")
    }
}

impl Load {
    fn add(&self, bytes: usize) -> Result<(), &'static str> {
        let mut all = self.loads.lock();
        let of_one = all.get(&self.whose).copied().unwrap_or(0) + bytes;
        if of_one > MOST_OF_ONE || all.values().sum::<usize>() + bytes > MOST_OF_ALL {
            self.is_refused.store(true, Ordering::Relaxed);
            return Err("too much is being sent at once");
        }
        all.insert(self.whose.clone(), of_one);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// What is said instead of what the handler made of a body that broke off.
    pub fn settle(&self, caller: &Caller, response: Response) -> Response {
        if !self.is_refused.load(Ordering::Relaxed) {
            return response;
        }
        let (name, most) = (&caller.credential.name, MOST_OF_ONE / 1024 / 1024);
        let what =
            format!("'{name}' sends too much at once; {most} MB are taken of one token, and less if others send too");
        let fault = refused(StatusCode::TOO_MANY_REQUESTS, "limit", what).retry_after(1);
        fault.hint("send large requests one after the other").into_response()
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        let bytes = self.bytes.load(Ordering::Relaxed);
        let mut all = self.loads.lock();
        if let Some(held) = all.get_mut(&self.whose) {
            *held -= bytes;
            if *held == 0 {
                all.remove(&self.whose);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_holds_more_than_their_part_and_it_is_given_back() {
        let loads = Loads::default();
        let (one, again, other) = (loads.begin("a"), loads.begin("a"), loads.begin("b"));
        assert!(one.add(MOST_OF_ONE - 1).is_ok() && again.add(1).is_ok());
        assert!(again.add(1).is_err() && other.add(MOST_OF_ONE).is_ok());
        drop(one);
        assert!(again.add(MOST_OF_ONE - 1).is_ok());
        let more: Vec<_> = (0..4).map(|number| loads.begin(&number.to_string())).collect();
        let taken = more.iter().filter(|load| load.add(MOST_OF_ONE).is_ok()).count();
        assert_eq!(taken, 2, "all together have a bound too");
        drop((again, other, more));
        assert!(loads.lock().is_empty());
    }
}
