//! What requests with an idempotency key were answered.

use iris_store::{StoreError, reply};

use crate::engine::Engine;

pub use iris_store::reply::Begun;

impl Engine {
    pub async fn begin_reply(&self, credential: &str, key: &str, request: &str) -> Result<Begun, StoreError> {
        let (credential, key, request) = (credential.to_owned(), key.to_owned(), request.to_owned());
        self.inner.store.write("reply.begin", move |tx| reply::begin(tx, &credential, &key, &request)).await
    }

    pub async fn finish_reply(&self, credential: &str, key: &str, status: u16, body: &str) -> Result<(), StoreError> {
        let (credential, key, body) = (credential.to_owned(), key.to_owned(), body.to_owned());
        self.inner
            .store
            .write("reply.finish", move |tx| reply::finish(tx, &credential, &key, i64::from(status), &body))
            .await
    }

    pub async fn forget_reply(&self, credential: &str, key: &str) -> Result<(), StoreError> {
        let (credential, key) = (credential.to_owned(), key.to_owned());
        self.inner.store.write("reply.forget", move |tx| reply::forget(tx, &credential, &key)).await
    }
}
