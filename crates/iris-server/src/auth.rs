//! Who may come in. Every route but /health wants the owner's token, on loopback too; and a web page of another origin
//! gets nowhere, whatever it has.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use iris_core::id::Party;
use subtle::ConstantTimeEq;

use crate::App;
use crate::http::problem;

/// The owner speaks as this party if none is named.
const OWNER: &str = "user";

/// Who came in: known by the credential, never by what is said. Every handler that acts for somebody takes it as an
/// extension of the request.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// Whom it speaks for if it names nobody.
    pub party: Party,
    pub kind: CallerKind,
}

/// People and agents have different kinds of credentials. Only a human may answer questions or name whom they speak for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallerKind {
    Human,
    Agent,
}

impl Caller {
    /// The party it speaks as; a name that was given counts only for a human.
    pub fn speaks_as(&self, named: Option<&str>) -> Party {
        match (self.kind, named) {
            (CallerKind::Human, Some(name)) => Party::new(name),
            _ => self.party.clone(),
        }
    }
}

pub(crate) async fn require(State(app): State<App>, mut request: Request, next: Next) -> Response {
    match check(&app, request.headers()) {
        Err(refusal) => refusal.into_response(),
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
    }
}

fn check(app: &App, headers: &HeaderMap) -> Result<Caller, problem::Fault> {
    // A name that a foreign page made point here is refused before anything else is looked at.
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    if !is_loopback(host) {
        return Err(problem::refused(StatusCode::FORBIDDEN, "forbidden", format!("host '{host}' is not this machine")));
    }
    if let Some(origin) = headers.get(header::ORIGIN) {
        let origin = origin.to_str().unwrap_or_default();
        let same = origin.strip_prefix("http://").is_some_and(|origin| origin == host);
        if !same {
            return Err(problem::refused(
                StatusCode::FORBIDDEN,
                "forbidden",
                format!("origin '{origin}' is not allowed"),
            ));
        }
    }
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = given.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    if bool::from(token.as_bytes().ct_eq(app.token.as_bytes())) {
        return Ok(Caller { party: Party::new(OWNER), kind: CallerKind::Human });
    }
    Err(problem::refused(StatusCode::UNAUTHORIZED, "unauthorized", "no token, or a wrong one, was sent".to_owned())
        .hint("send `Authorization: Bearer <token>`; the owner's token is in IRIS_HOME/token"))
}

fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.chars().all(|c| c.is_ascii_digit()) => name,
        _ => host,
    };
    // Written out as a number, any loopback address is this machine; a name could be made to mean anything.
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    name == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_answered() {
        for good in ["localhost", "localhost:1615", "127.0.0.1:1615", "[::1]:1615", "[::1]", "127.0.0.2:1615"] {
            assert!(is_loopback(good), "{good}");
        }
        for bad in
            ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "0.0.0.0:1615", "10.0.0.1"]
        {
            assert!(!is_loopback(bad), "{bad}");
        }
    }
}
