//! How much is being sent, by each credential and to it, at one time. A body is in memory until its request is done, and an
//! answer until it was taken, so without a bound a token that may do next to nothing could fill it with what it never
//! finishes to send, or never reads.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use axum::body::{Body, Bytes, HttpBody, to_bytes};
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
/// Smaller answers are not counted: a connection's own buffers hold as much.
const LARGEST_UNCOUNTED: usize = 256 * 1024;
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

    /// Counts a large answer until it was taken or nobody wants it any more. What is sent piece by piece is written as it is
    /// taken, and not counted.
    pub async fn count_answer(&self, caller: &Caller, response: Response) -> Response {
        let size = response.body().size_hint().exact().and_then(|size| usize::try_from(size).ok()).unwrap_or(0);
        if caller.credential.kind == CredentialKind::Owner || size <= LARGEST_UNCOUNTED {
            return response;
        }
        let load = self.begin(whose(&caller.credential.id));
        if load.add(size).is_err() {
            return too_much(caller, "is sent", "read large answers one after the other, and to their end");
        }
        let (parts, body) = response.into_parts();
        let Ok(bytes) = to_bytes(body, size).await else {
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        };
        // The bytes themselves hold it: the connection has them when the body is long gone.
        Response::from_parts(parts, Body::from(Bytes::from_owner(Counted { bytes, _load: load })))
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
        too_much(caller, "sends", "send large requests one after the other")
    }
}

fn too_much(caller: &Caller, does: &str, hint: &str) -> Response {
    let (name, most) = (&caller.credential.name, MOST_OF_ONE / 1024 / 1024);
    let what =
        format!("'{name}' {does} too much at once; {most} MB are held for one token, and less if others send too");
    refused(StatusCode::TOO_MANY_REQUESTS, "limit", what).retry_after(1).hint(hint).into_response()
}

/// An answer on its way.
struct Counted {
    bytes: Bytes,
    _load: Load,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
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
