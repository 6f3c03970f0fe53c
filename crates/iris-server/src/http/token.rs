//! /api/tokens, /api/me, and how a browser signs in and out

use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use iris_api::Page;
use iris_api::token::{LinkMade, LoginRequest, LoginState, Me, Token, TokenMade, TokenRequest};
use iris_core::credential::{CredentialKind, Scope, Scopes};
use iris_core::fault::FaultKind;
use iris_core::id::Party;
use iris_engine::token::{SignedIn, Wanted};
use iris_engine::{TokenRow, wall_ms};

use super::body::Object;
use super::problem::{DESCRIBED, Fault};
use crate::App;
use crate::auth::{COOKIE, Caller, cookie, is_browser};

/// Who one is, and what one may do
#[utoipa::path(get, path = "/api/me", tag = "tokens", responses((status = 200, description = "done", body = Me)))]
pub(crate) async fn me(Extension(caller): Extension<Caller>) -> Json<Me> {
    Json(describe(&caller.credential, None))
}

fn describe(row: &TokenRow, csrf: Option<String>) -> Me {
    Me {
        name: row.name.clone(),
        kind: row.kind.as_str().to_owned(),
        party: row.party.to_string(),
        scopes: names(row.scopes),
        csrf,
    }
}

/// The tokens and signed-in browsers
#[utoipa::path(get, path = "/api/tokens", tag = "tokens", responses((status = 200, description = "done", body = Page<Token>)))]
pub(crate) async fn list(State(app): State<App>) -> Result<Json<Page<Token>>, Fault> {
    let items = app.engine.list_tokens().await?.into_iter().map(shown).collect();
    Ok(Json(Page { items, next: None }))
}

/// Makes a token; its text is shown this once
#[utoipa::path(post, path = "/api/tokens", tag = "tokens", request_body = TokenRequest, responses((status = 200, description = "done", body = TokenMade)))]
pub(crate) async fn create(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Object(request): Object<TokenRequest>,
) -> Result<Json<TokenMade>, Fault> {
    let kind = match request.kind.as_deref() {
        None | Some("human") => CredentialKind::Human,
        Some("agent") => CredentialKind::Agent,
        Some(other) => {
            return Err(Fault::new(
                FaultKind::Unfit,
                format!("'{other}' is no kind of token; there are human and agent"),
            )
            .hint("owners and browsers have theirs by other ways: IRIS_HOME/token, and `iris link`"));
        }
    };
    let scopes = match request.scopes {
        None => [Scope::Read, Scope::Tell].into_iter().collect(),
        Some(names) => names.join(",").parse().map_err(|what| Fault::new(FaultKind::Unfit, what).hint(DESCRIBED))?,
    };
    let in_ms = request.expires_in.map(|ms| i64::try_from(ms).unwrap_or(i64::MAX));
    let wanted = Wanted {
        name: request.name,
        kind,
        party: request.party.map(Party::new),
        scopes,
        expires_at: in_ms.map(|ms| wall_ms().saturating_add(ms)),
    };
    let made = app.engine.make_token(wanted, &caller.actor()).await?;
    Ok(Json(TokenMade { secret: made.secret, token: shown(made.row) }))
}

/// Revokes a token, by its id or its name; what it has open is closed
#[utoipa::path(delete, path = "/api/tokens/{id}", tag = "tokens", params(("id" = String, Path, description = "Its id or its name")), responses((status = 200, description = "done", body = Token)))]
pub(crate) async fn revoke(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<Json<Token>, Fault> {
    Ok(Json(shown(app.engine.revoke_token(&id, &caller.actor()).await?)))
}

/// Makes a link that signs a browser in, once
#[utoipa::path(post, path = "/api/links", tag = "tokens", responses((status = 200, description = "done", body = LinkMade)))]
pub(crate) async fn link(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
) -> Result<Json<LinkMade>, Fault> {
    let (code, good_for) = app.engine.make_link(&caller.credential, caller.surface).await?;
    let expires_in_ms = u64::try_from(good_for.as_millis()).unwrap_or(u64::MAX);
    Ok(Json(LinkMade { path: format!("/login#{code}"), expires_in_ms }))
}

/// Signs a browser in by the code of a link
#[utoipa::path(post, path = "/api/login", tag = "tokens", request_body = LoginRequest, responses((status = 200, description = "done", body = Me)))]
pub(crate) async fn log_in(State(app): State<App>, Object(request): Object<LoginRequest>) -> Result<Response, Fault> {
    // A good code is taken however many wrong ones others try: they only hear less and less. It is far too long to be
    // guessed.
    let signed_in = app.engine.follow_link(&request.code).await;
    let SignedIn { made, word } = signed_in.map_err(|error| app.limits.may_guess().err().unwrap_or(error.into()))?;
    let left = made.row.expires_at.map_or(0, |at| at - wall_ms()).max(0);
    let lasts = Duration::from_millis(u64::try_from(left).unwrap_or(0)).as_secs();
    let me = describe(&made.row, Some(word));
    Ok(with_cookie(&made.secret, lasts, Json(me)))
}

/// Whether this browser is signed in, said without an error: a browser complains of every one in its console
#[utoipa::path(get, path = "/api/login", tag = "tokens", responses((status = 200, description = "done", body = LoginState)))]
pub(crate) async fn is_signed_in(State(app): State<App>, headers: HeaderMap) -> Json<LoginState> {
    // Not one to wrong cookies either, however many there are: a good one is always told so, and is far too long to be guessed.
    Json(LoginState { signed_in: cookie(&headers).is_some_and(|secret| is_browser(&app, secret, &headers)) })
}

/// Signs this browser out
#[utoipa::path(post, path = "/api/logout", tag = "tokens", responses((status = 204, description = "done")))]
pub(crate) async fn log_out(State(app): State<App>, Extension(caller): Extension<Caller>) -> Result<Response, Fault> {
    if caller.credential.kind == CredentialKind::Browser {
        app.engine.revoke_token(&caller.credential.id, &caller.actor()).await?;
    }
    Ok(with_cookie("", 0, StatusCode::NO_CONTENT))
}

fn with_cookie(value: &str, lasts: u64, body: impl IntoResponse) -> Response {
    let cookie = format!("{COOKIE}={value}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age={lasts}");
    let cookie = HeaderValue::from_str(&cookie).expect("a secret has plain letters only");
    ([(header::SET_COOKIE, cookie)], body).into_response()
}

fn shown(row: TokenRow) -> Token {
    Token {
        id: row.id,
        name: row.name,
        kind: row.kind.as_str().to_owned(),
        party: row.party.to_string(),
        scopes: names(row.scopes),
        created_at: row.created_at,
        expires_at: row.expires_at,
        used_at: row.used_at,
    }
}

fn names(scopes: Scopes) -> Vec<String> {
    scopes.iter().map(|scope| scope.as_str().to_owned()).collect()
}
