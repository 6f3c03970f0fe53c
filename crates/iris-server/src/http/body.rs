//! The body of a request: one JSON object. What it is read into would take an array of the same values as well, by their
//! order, which nobody promised.

use axum::Json;
use axum::extract::{FromRequest, OptionalFromRequest, Request};
use axum::http::{StatusCode, header};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::problem::{DESCRIBED, Fault, refused};

pub(crate) struct Object<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Object<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, state: &S) -> Result<Self, Fault> {
        let Json(text) = <Json<Box<RawValue>> as FromRequest<S>>::from_request(request, state).await?;
        if !text.get().starts_with('{') {
            let what = "the body does not fit: it has to be an object".to_owned();
            return Err(refused(StatusCode::UNPROCESSABLE_ENTITY, "invalid", what).hint(DESCRIBED));
        }
        let Json(value) = Json::from_bytes(text.get().as_bytes())?;
        Ok(Self(value))
    }
}

/// Nothing at all may be sent too, where the usual is meant.
impl<T: DeserializeOwned, S: Send + Sync> OptionalFromRequest<S> for Object<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, state: &S) -> Result<Option<Self>, Fault> {
        if !request.headers().contains_key(header::CONTENT_TYPE) {
            return Ok(None);
        }
        <Self as FromRequest<S>>::from_request(request, state).await.map(Some)
    }
}
