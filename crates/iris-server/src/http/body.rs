//! The body of a request: one JSON object. What it is read into would take an array of the same values as well, by their
//! order, which nobody promised.

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::rejection::JsonRejection;
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
        let (parts, body) = request.into_parts();
        let whole = Request::from_parts(parts.clone(), body);
        let bytes = Bytes::from_request(whole, state).await.map_err(JsonRejection::from)?;
        // Some programs say of every request that it is JSON.
        if bytes.is_empty() {
            return Ok(None);
        }
        let request = Request::from_parts(parts, Body::from(bytes));
        <Self as FromRequest<S>>::from_request(request, state).await.map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::response::IntoResponse;
    use serde_json::{Value, json};

    async fn check(kind: Option<&str>, body: &'static str, wanted: Result<Option<Value>, u16>) {
        let mut request = Request::builder();
        if let Some(kind) = kind {
            request = request.header(header::CONTENT_TYPE, kind);
        }
        let request = request.body(Body::from(body)).expect("a request");
        let read = <Object<Value> as OptionalFromRequest<()>>::from_request(request, &()).await;
        let read = read.map(|read| read.map(|Object(value)| value));
        assert_eq!(read.map_err(|fault| fault.into_response().status().as_u16()), wanted, "{kind:?} {body}");
    }

    #[tokio::test]
    async fn an_optional_body_that_is_empty_is_none() {
        let json = Some("application/json");
        check(None, "", Ok(None)).await;
        check(json, "", Ok(None)).await;
        check(json, "{\"a\":1}", Ok(Some(json!({"a": 1})))).await;
        check(json, " ", Err(400)).await;
        check(json, "[]", Err(422)).await;
        check(Some("text/plain"), "{}", Err(415)).await;
    }
}
