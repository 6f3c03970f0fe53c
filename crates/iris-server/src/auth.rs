//! Who may come in: one layer round the whole router. A route without a row in the table opens for nobody, and every row
//! but a few wants a credential, on loopback too.

pub(crate) mod cors;
pub(crate) mod host;
pub(crate) mod limit;
pub(crate) mod load;
pub(crate) mod table;

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{MatchedPath, Request};
use axum::http::{Extensions, HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use iris_core::actor::{Actor, Surface, Through};
use iris_core::credential::{CredentialKind, Door, Refusal, Scope, opens};
use iris_core::id::Party;
use iris_core::key::KeyHolder;
use iris_engine::config::Config;
use iris_engine::token::Credential;

use crate::connection::outflow::Outflow;
use crate::connection::visit::{Crowded, MOST_MADE, MOST_OF_ONE, Visit};
use crate::http::event::dropped;
use crate::http::problem::{Fault, refused};
use crate::http::request::RequestId;
use crate::mcp::Asked;
use crate::{App, dashboard, http};
use host::Allowed;
use table::Entry;

/// The cookie of a browser that was signed in. The prefix makes browsers refuse it from anybody but this very origin.
pub(crate) const COOKIE: &str = "__Host-iris";
const STRANGERS_WITHIN: Duration = Duration::from_secs(10);
/// What is nearly done when its credential ends is still told: that somebody signed out, for instance.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// Why a stream ends that was opened with it.
pub(crate) const NO_LONGER_GOOD: &str = "the credential is good no longer";
/// What helps whoever waited in it for the answer to a call.
const WORK_GOES_ON: &str = "what was told goes on, and a question stays open: with a good token, which `iris token create` makes, team_report has what \
     came of a tell";
const NO_TEAM: &str = "the team that the token speaks for is not there any more";
const TEAM_BACK: &str = "put the team back into config.yaml, or revoke the token with `iris token revoke`";
/// The buffer of a connection may take some more before it is full.
const LONGEST_HEADERS: usize = 64 * 1024;
const CSRF: &str = "iris-csrf";

/// Who came in: known by the credential, never by what is said. Every handler that acts for somebody takes it as an
/// extension of the request.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// Whom it speaks for if it names nobody.
    pub party: Party,
    pub credential: Credential,
    /// Where it came in.
    pub surface: Surface,
}

impl Caller {
    /// For the log: whom it speaks for, by which credential, and where it came in.
    pub fn actor(&self) -> Actor {
        Actor { party: self.party.clone(), through: Some(self.through()) }
    }

    pub fn through(&self) -> Through {
        self.credential.through(self.surface)
    }

    /// The same key of two credentials is two keys.
    pub fn keys(&self) -> KeyHolder {
        KeyHolder::credential(&self.credential.id)
    }

    pub fn is_human(&self) -> bool {
        self.credential.kind.is_human()
    }

    /// An agent speaks for a team, which may have been taken out of the config.
    fn has_its_team(&self, config: &Config) -> bool {
        self.is_human() || config.is_team(&self.party)
    }

    /// Whether it may do what needs this scope, for doors behind which there is more than one thing.
    pub fn may(&self, scope: Scope) -> Result<(), Refusal> {
        opens(Door { scope: Some(scope), agents: true }, self.credential.kind, self.credential.scopes)
    }

    /// Why it may not do something, and what helps. The log hears of it.
    pub fn refuse(&self, refusal: Refusal, what: &str, extensions: &Extensions) -> (String, String) {
        let (request, credential) = (RequestId::of(extensions), &self.credential);
        tracing::warn!(request = request.as_deref(), credential = credential.id, name = credential.name, %refusal, what, "refused");
        let hint = match refusal {
            Refusal::NotForAgents => {
                "a person has to do this; an agent's token tells, asks and reads its own".to_owned()
            }
            Refusal::LacksScope(scope) => {
                format!("`iris token create --name <name> --scope {}` makes a token that has it", scope.as_str())
            }
        };
        (refusal.to_string(), hint)
    }

    /// The party it speaks as; a name that was given counts only for a human.
    pub fn speaks_as(&self, named: Option<&str>) -> Party {
        match named {
            Some(name) if self.is_human() => Party::new(name),
            _ => self.party.clone(),
        }
    }
}

/// What the door found out about a request.
enum Way {
    Open,
    Locked(Door),
    /// No such route. Whoever may come in is told so; nobody else learns what there is.
    Nowhere,
    /// A route without a row for this method, whether or not somebody wrote a handler for it: it is never run.
    Shut,
}

pub(crate) async fn require<F>(app: &App, request: Request, next: impl FnOnce(Request) -> F) -> Response
where
    F: Future<Output = Response>,
{
    let way = way(&request);
    match admit(app, &way, &request) {
        Err(refusal) => refusal.into_response(),
        // Nobody knows who this is, so it is not waited for long.
        Ok(None) => tokio::time::timeout(STRANGERS_WITHIN, next(request)).await.unwrap_or_else(|_| {
            refused(StatusCode::REQUEST_TIMEOUT, "limit", "the request took too long to come".to_owned())
                .into_response()
        }),
        Ok(Some(caller)) => {
            if let Some(visit) = request.extensions().get::<Arc<Visit>>()
                && let Err(crowded) = visit.is_of(&caller.credential)
            {
                return turned_away(&caller, crowded);
            }
            if let Some(outflow) = request.extensions().get::<Outflow>() {
                outflow.is_for(&caller.credential);
            }
            if matches!(way, Way::Shut) {
                return http::shut(&request);
            }
            let credential = caller.credential.clone();
            let is_read = request.method() == Method::GET;
            let (mut request, load) = app.loads.count(&caller, request);
            request.extensions_mut().insert(caller.clone());
            // Whoever keeps the request beyond its connection keeps what it sent, too.
            load.clone().and_then(|load| request.extensions_mut().insert(load));
            let ended = async {
                credential.ended().await;
                tokio::time::sleep(LAST_WORDS).await;
            };
            tokio::select! {
                biased;
                response = next(request) => {
                    let response = match load {
                        Some(load) => load.settle(&caller, response),
                        None => response,
                    };
                    end_with(app, caller, is_read, response)
                }
                () = ended => unknown().into_response(),
            }
        }
    }
}

/// The connection goes with the answer: it would only take the place of another stranger.
fn turned_away(caller: &Caller, crowded: Crowded) -> Response {
    let what = match crowded {
        Crowded::One => {
            format!("'{}' has {MOST_OF_ONE} connections open, and no more are taken", caller.credential.name)
        }
        Crowded::All => format!("all tokens together have {MOST_MADE} connections open, and no more are taken"),
    };
    let fault = refused(StatusCode::TOO_MANY_REQUESTS, "limit", what).retry_after(1);
    let fault = fault.hint("close streams that nobody reads; one stream can carry the events of all teams");
    ([(header::CONNECTION, "close")], fault).into_response()
}

fn way(request: &Request) -> Way {
    let Some(path) = request.extensions().get::<MatchedPath>() else {
        let is_page = dashboard::is_for_people(request.method(), request.uri().path(), request.headers());
        return if is_page { Way::Open } else { Way::Nowhere };
    };
    match table::find(request.method().as_str(), path.as_str()) {
        Some(Entry::Open) => Way::Open,
        Some(Entry::Locked(door)) => Way::Locked(door),
        None => Way::Shut,
    }
}

fn admit(app: &App, way: &Way, request: &Request) -> Result<Option<Caller>, Fault> {
    let headers = request.headers();
    let config = app.engine.config();
    let server = &config.server;
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if bytes > LONGEST_HEADERS {
        let what = format!("the headers have {bytes} bytes; at most {LONGEST_HEADERS} are taken");
        let fault = refused(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, "limit", what);
        return Err(fault.hint("send what is long in the body"));
    }
    let allowed = Allowed { hosts: &server.allowed_hosts, origins: &server.allowed_origins, tls: app.is_secure };
    allowed.check(headers)?;
    allowed.check_target(request.uri())?;
    if matches!(way, Way::Open) {
        return Ok(None);
    }
    Allowed::check_site(headers)?;
    let caller = identify(app, request).map_err(|fault| app.limits.may_guess().err().unwrap_or(fault))?;
    app.limits.check(&caller.credential)?;
    if !caller.has_its_team(&config) {
        let party = caller.party.as_str();
        let what = format!("the token '{}' speaks for the team '{party}', which is not there", caller.credential.name);
        return Err(refused(StatusCode::FORBIDDEN, "forbidden", what).hint(TEAM_BACK));
    }
    if let Way::Locked(door) = way {
        opens(*door, caller.credential.kind, caller.credential.scopes).map_err(|refusal| {
            let (why, hint) = caller.refuse(refusal, request.uri().path(), request.extensions());
            refused(StatusCode::FORBIDDEN, "forbidden", why).hint(hint)
        })?;
    }
    if caller.credential.kind == CredentialKind::Browser {
        check_page(&caller.credential, way, request)?;
    }
    Ok(Some(caller))
}

/// The door and the credential are known; that somebody is one of our own programs, it says itself.
fn surface(credential: &Credential, request: &Request) -> Surface {
    let said = request.headers().get(iris_api::CLIENT).map(HeaderValue::as_bytes);
    match said {
        _ if request.uri().path() == "/mcp" => Surface::Mcp,
        _ if credential.kind == CredentialKind::Browser => Surface::Dashboard,
        Some(b"cli") => Surface::Cli,
        Some(b"monitor") => Surface::Monitor,
        _ => Surface::Api,
    }
}

/// A browser sends its cookie along whoever makes it ask, and to whatever listens on another port of the same host. So the
/// cookie alone opens only what tells nothing about anybody's work; for the rest our own page shows the word that it alone
/// has. A socket cannot send headers, so it says the word as a protocol, and its Origin has been looked at already.
fn check_page(browser: &Credential, way: &Way, request: &Request) -> Result<(), Fault> {
    let headers = request.headers();
    let is_socket = headers.contains_key(header::UPGRADE);
    if is_socket && !headers.contains_key(header::ORIGIN) {
        return Err(refused(StatusCode::FORBIDDEN, "forbidden", "a socket of a browser needs an origin".to_owned()));
    }
    let tells_nothing = match way {
        Way::Open | Way::Locked(_) => {
            request.extensions().get::<MatchedPath>().is_some_and(|path| table::tells_nothing(path.as_str()))
        }
        Way::Nowhere | Way::Shut => true,
    };
    if tells_nothing && matches!(*request.method(), Method::GET | Method::HEAD) {
        return Ok(());
    }
    let said = headers.get(if is_socket { header::SEC_WEBSOCKET_PROTOCOL.as_str() } else { CSRF });
    let said = said.and_then(|said| said.to_str().ok()).unwrap_or_default();
    if said.split(',').any(|word| browser.has_word(word.trim())) {
        return Ok(());
    }
    let what = "the header Iris-Csrf is missing or wrong".to_owned();
    Err(refused(StatusCode::FORBIDDEN, "forbidden", what).hint(
        "POST /api/login said it once; `iris link` signs the browser in anew; on /api/docs, Authorize with a token",
    ))
}

fn identify(app: &App, request: &Request) -> Result<Caller, Fault> {
    let headers = request.headers();
    let bearer = headers.get(header::AUTHORIZATION).map(|value| value.to_str().unwrap_or_default());
    let found = match bearer {
        Some(value) => {
            let token = value.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
            let found = token.and_then(|(_, token)| app.engine.find_credential(token.trim()));
            // A cookie's value is no token: whatever a browser has is good in that browser only.
            found.filter(|found| found.kind != CredentialKind::Browser)
        }
        None => cookie(headers).and_then(|secret| browser(app, secret)),
    };
    let credential = found.ok_or_else(unknown)?;
    Ok(Caller { party: credential.party.clone(), surface: surface(&credential, request), credential })
}

fn unknown() -> Fault {
    let what = "no credential was sent, or one that is not good any more".to_owned();
    refused(StatusCode::UNAUTHORIZED, "unauthorized", what).hint(
        "send `Authorization: Bearer <token>`; the owner's token is in IRIS_HOME/token, \
         and `iris link` signs a browser in",
    )
}

fn browser(app: &App, secret: &str) -> Option<Credential> {
    app.engine.find_credential(secret).filter(|found| found.kind == CredentialKind::Browser)
}

/// Whether the cookie is one of ours, and the word that belongs to it was sent along.
pub(crate) fn is_browser(app: &App, secret: &str, headers: &HeaderMap) -> bool {
    let said = headers.get(CSRF).and_then(|said| said.to_str().ok()).unwrap_or_default();
    browser(app, secret).is_some_and(|browser| browser.has_word(said))
}

pub(crate) fn cookie(headers: &HeaderMap) -> Option<&str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE).map(|(_, value)| value)
}

/// A stream ends when the credential it was opened with does or the team that it speaks for is not there any more. One that was
/// asked for by itself takes its connection with it: it goes on for as long as there is something to hear, so nothing is asked
/// for after it.
fn end_with(app: &App, caller: Caller, is_read: bool, mut response: Response) -> Response {
    let kind = response.headers().get(header::CONTENT_TYPE);
    if !kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream")) {
        return response;
    }
    if is_read {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    let asked = response.extensions().get::<Asked>().cloned();
    response.map(|body| {
        let app = app.clone();
        let is_mcp = caller.surface == Surface::Mcp;
        let last_words = move |(kind, why, hint): Ended| match is_mcp {
            true => asked.and_then(|asked| asked.last_words((kind, &format!("{why}; {hint}")))),
            false => Some(dropped(why).into()),
        };
        let ended = async move {
            tokio::select! {
                () = caller.credential.ended() => ("unauthorized", NO_LONGER_GOOD, WORK_GOES_ON),
                () = has_lost_its_team(&app, &caller) => ("forbidden", NO_TEAM, TEAM_BACK),
            }
        };
        told_when(ended, last_words, body)
    })
}

/// Why a stream ends: a kind for machines, words, and what helps.
type Ended = (&'static str, &'static str, &'static str);

/// A stream of events up to a reason, which is told in its last words. Not in the middle of a frame: what was cut off there would be
/// taken for whole.
fn told_when(
    ended: impl Future<Output = Ended> + Send + 'static,
    last_words: impl FnOnce(Ended) -> Option<Bytes> + Send + 'static,
    body: Body,
) -> Body {
    let streaming = Some((body.into_data_stream(), Box::pin(ended), last_words, true));
    Body::from_stream(stream::unfold(streaming, async |streaming| {
        let (mut pieces, mut ended, last_words, is_whole) = streaming?;
        tokio::select! {
            biased;
            why = &mut ended => last_words(why).filter(|_| is_whole).map(|words| (Ok(words), None)),
            piece = pieces.next() => {
                let piece = piece?;
                let is_whole = piece.as_ref().is_ok_and(|piece| piece.ends_with(b"\n\n"));
                Some((piece, Some((pieces, ended, last_words, is_whole))))
            }
        }
    }))
}

async fn has_lost_its_team(app: &App, caller: &Caller) {
    if caller.is_human() {
        return std::future::pending().await;
    }
    while caller.has_its_team(&app.engine.config()) {
        tokio::time::sleep(LAST_WORDS).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::Router;
    use axum::routing::any;
    use iris_engine::Engine;
    use iris_engine::home::Home;
    use std::sync::atomic::{AtomicBool, Ordering};
    use tower::ServiceExt;

    async fn ask(router: &Router, method: &str, path: &str, token: Option<&str>) -> (u16, String) {
        let request = Request::builder().method(method).uri(path).header(header::HOST, "localhost");
        let request = token
            .iter()
            .fold(request, |request, token| request.header(header::AUTHORIZATION, format!("Bearer {token}")));
        let request = request.body(Body::empty()).expect("a request");
        let response = router.clone().oneshot(request).await.expect("an answer");
        let allowed = response.headers().get(header::ALLOW).and_then(|allowed| allowed.to_str().ok());
        (response.status().as_u16(), allowed.unwrap_or_default().to_owned())
    }

    /// Somebody wrote a handler and forgot to say for whom: it opens for nobody, not for the owner either.
    #[tokio::test]
    async fn a_handler_without_a_row_is_never_run() {
        let home = tempfile::tempdir().expect("a folder");
        let prepared = Home::prepare(home.path()).expect("a home");
        let owner = prepared.token().expect("a token");
        let engine = Engine::start(prepared, Config::default()).await.expect("it starts");
        let (routes, openapi) = http::routes().split_for_parts();
        let app = App::new(engine, false, crate::Registry::new(), &openapi, tokio::sync::watch::channel(false).1);
        let ran = Arc::new(AtomicBool::new(false));
        let handler = || {
            let ran = Arc::clone(&ran);
            async move || ran.store(true, Ordering::Relaxed)
        };
        let forgotten = routes
            .route("/api/forgotten/{id}", any(handler()))
            .route("/api/status", axum::routing::put(handler()).patch(handler()));
        let router = crate::router(forgotten, app);

        assert_eq!(ask(&router, "GET", "/api/status", Some(&owner)).await.0, 200, "what has a row is as ever");
        for (method, path, status, allowed) in [
            ("GET", "/api/forgotten/1", 404, ""),
            ("HEAD", "/api/forgotten/1", 404, ""),
            ("POST", "/api/forgotten/1", 404, ""),
            ("OPTIONS", "/api/forgotten/1", 404, ""),
            ("PUT", "/api/status", 405, "GET,HEAD"),
            ("PATCH", "/api/status", 405, "GET,HEAD"),
            ("DELETE", "/api/status", 405, "GET,HEAD"),
        ] {
            assert_eq!(ask(&router, method, path, Some(&owner)).await, (status, allowed.to_owned()), "{method} {path}");
            for stranger in [None, Some("wrong")] {
                assert_eq!(ask(&router, method, path, stranger).await.0, 401, "{method} {path} {stranger:?}");
            }
        }
        assert!(!ran.load(Ordering::Relaxed), "it was run");
    }
}
