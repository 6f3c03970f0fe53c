//! Talking to the daemon: where it is, what it is asked, and what its refusals mean.

mod certificate;
mod connect;
pub mod follow;
pub mod frames;
mod mcp;
mod pages;

use std::net::IpAddr;
use std::sync::OnceLock;
use std::time::Duration;

use iris_api::problem::Problem;
use iris_core::fault::FaultKind;
use iris_engine::home::{Holder, Home};
use reqwest::{Method, RequestBuilder, Response, Url};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::failure::{Failure, Why};
use crate::place;
use crate::printer::Indicator;
use certificate::Flaw;

#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    https: OnceLock<reqwest::Client>,
    home: Home,
    /// IRIS_URL: then no home is looked at for it.
    url: Option<String>,
    token: Option<String>,
    /// What it says it is, for the log.
    surface: &'static str,
    /// The name under which it follows what comes of what it sends.
    follows: Option<String>,
    /// Says that an answer takes its time. Nobody does for the monitor, which draws the whole screen.
    indicator: Option<Indicator>,
}

#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    #[error("iris is not running for {0}; start it with `iris up`")]
    NotRunning(String),
    #[error("whether iris runs for {home} cannot be seen: {lock} may not be read by you")]
    Hidden { home: String, lock: String },
    #[error("iris at {url} does not answer ({what})")]
    Unreachable { url: String, what: String },
    /// Somebody answers, by a certificate that cannot be trusted.
    #[error("the certificate of iris at {url} is not good: {}", .flaw.what)]
    Untrusted { url: String, flaw: Flaw },
    /// Somebody takes the connection and says nothing. Only what is looked at, and changes nothing, has such a limit.
    #[error("{} does not answer: it has said nothing for {}s", of_process(.pid, .url), .after.as_secs())]
    Silent { pid: Option<u32>, url: String, after: Duration },
    /// The request was sent and no answer came: it may have been done.
    #[error("the connection to iris at {url} was lost before it answered ({what})")]
    Lost { url: String, what: String },
    #[error("{}", .0.detail)]
    Refused(Box<Problem>),
    #[error("{url} answered {status}, but not as iris does")]
    Strange { url: String, status: u16 },
    #[error("IRIS_URL '{0}' is not an http address")]
    BadUrl(String),
    #[error("there is no token in {0}")]
    NoToken(String),
    #[error("{file} cannot be read ({why})")]
    TokenUnread { file: String, why: std::io::Error },
    #[error("no token is sent to {0}, which may be anybody: the one in IRIS_HOME is for its own daemon")]
    TokenElsewhere(String),
    #[error("no token is sent to {0}: anybody in between could read it")]
    TokenInTheOpen(String),
}

/// What a path and a query are made of.
pub type Query<'a> = &'a [(&'a str, String)];

/// How long what is only looked at may take. What takes longer is a stream, or a tell that waits.
const SILENCE: Duration = Duration::from_secs(10);
/// How long a daemon that has the home may take until it says where it is.
const STARTING: Duration = Duration::from_secs(10);

impl Client {
    pub fn new(home: Home) -> Self {
        let given = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let http = connect::plainly();
        Self {
            http,
            https: OnceLock::new(),
            home,
            url: given("IRIS_URL").map(without_root),
            token: given("IRIS_TOKEN"),
            surface: "cli",
            follows: None,
            indicator: None,
        }
    }

    /// The same, for whoever follows what comes of what it sends.
    pub fn following(self) -> Self {
        Self { follows: Some(uuid::Uuid::new_v4().simple().to_string()), ..self }
    }

    /// The same, for the monitor.
    pub fn of_monitor(self) -> Self {
        Self { surface: "monitor", indicator: None, ..self }
    }

    pub fn noticed_by(self, indicator: Indicator) -> Self {
        Self { indicator: Some(indicator), ..self }
    }

    async fn patiently<T>(&self, answer: impl Future<Output = T>) -> T {
        match &self.indicator {
            Some(indicator) => indicator.notice("waiting for iris", answer).await,
            None => answer.await,
        }
    }

    pub async fn get<T: DeserializeOwned>(&self, path: &[&str], query: Query<'_>) -> Result<T, ClientError> {
        let asked = async {
            // One that is starting has a time of its own.
            self.base().await?;
            let answered = async { read(self.send(Method::GET, path, query, |request| request).await?).await };
            match tokio::time::timeout(SILENCE, answered).await {
                Ok(answer) => answer,
                Err(_) => Err(self.silent(SILENCE)),
            }
        };
        self.patiently(asked).await
    }

    /// Whoever was asked, as far as is known here.
    pub fn silent(&self, after: Duration) -> ClientError {
        let pid = self.home.holder().filter(|_| self.url.is_none()).map(|holder| holder.pid);
        ClientError::Silent { pid, url: self.url.clone().unwrap_or_else(|| place::shown(self.home.root())), after }
    }

    pub async fn post<T: DeserializeOwned>(&self, path: &[&str], body: &impl Serialize) -> Result<T, ClientError> {
        self.patiently(async { read(self.send(Method::POST, path, &[], |request| request.json(body)).await?).await })
            .await
    }

    pub async fn delete<T: DeserializeOwned>(&self, path: &[&str]) -> Result<T, ClientError> {
        self.delete_with(path, &[]).await
    }

    pub async fn delete_with<T: DeserializeOwned>(
        &self,
        path: &[&str],
        query: &[(&str, String)],
    ) -> Result<T, ClientError> {
        self.patiently(async { read(self.send(Method::DELETE, path, query, |request| request).await?).await }).await
    }

    /// Whether the daemon that is talked to is the one of this machine's home, wherever that is reached.
    pub fn is_of_this_home(&self) -> bool {
        self.url.is_none()
    }

    /// Whether there is a daemon to talk to at all.
    pub fn finds_a_daemon(&self) -> bool {
        self.url.is_some() || self.home.holder().is_some()
    }

    /// Where the daemon is now is looked up for every request: it may have been restarted on another port.
    async fn send(
        &self,
        method: Method,
        path: &[&str],
        query: Query<'_>,
        finish: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Result<Response, ClientError> {
        let base = self.base().await?;
        let url = address(&base, path, query)?;
        let token = self.token(&url)?;
        let request = self.way(&url)?.request(method, url).bearer_auth(token);
        let request = request.header(iris_api::CLIENT, self.surface);
        let request = match &self.follows {
            Some(name) => request.header(iris_api::FOLLOWS, name),
            None => request,
        };
        let response = finish(request).send().await.map_err(|error| gone(&base, &error))?;
        if response.status().is_success() { Ok(response) } else { Err(refusal(base, response).await) }
    }

    fn way(&self, url: &Url) -> Result<&reqwest::Client, ClientError> {
        if url.scheme() == "http" {
            return Ok(&self.http);
        }
        if self.https.get().is_none() {
            let made = connect::securely(&self.home, self.url.is_none());
            let made = made.map_err(|what| ClientError::Unreachable { url: url.to_string(), what })?;
            self.https.get_or_init(|| made);
        }
        Ok(self.https.get().expect("it was made just now"))
    }

    /// Where the daemon is.
    pub async fn base(&self) -> Result<String, ClientError> {
        if let Some(url) = &self.url {
            return Ok(url.clone());
        }
        let began = tokio::time::Instant::now();
        loop {
            match self.home.holder() {
                None => return Err(ClientError::of_nobody(&self.home)),
                Some(Holder { url: Some(url), .. }) => return Ok(url),
                Some(Holder { pid, url: None }) if began.elapsed() > STARTING => {
                    let what = format!("process {pid} has been starting for {}s", STARTING.as_secs());
                    return Err(ClientError::Unreachable { url: place::shown(self.home.root()), what });
                }
                Some(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }

    /// What may be shown there. Whoever has the owner's token can do everything with this home, so it is shown to this home's
    /// own daemon and on this machine, and no token at all goes over a network in the open.
    fn token(&self, to: &Url) -> Result<String, ClientError> {
        let is_here = self.url.is_none() || is_loopback(to) || self.is_own(to);
        if !is_here && to.scheme() != "https" {
            return Err(ClientError::TokenInTheOpen(to.origin().ascii_serialization()));
        }
        if let Some(token) = &self.token {
            return Ok(token.clone());
        }
        if !is_here {
            return Err(ClientError::TokenElsewhere(to.origin().ascii_serialization()));
        }
        // Read, never made: a token that a client made up is none.
        let file = self.home.token_file();
        let token = match std::fs::read_to_string(&file) {
            Err(why) if why.kind() == std::io::ErrorKind::PermissionDenied => {
                return Err(ClientError::TokenUnread { file: place::shown(&file), why });
            }
            token => token.unwrap_or_default(),
        };
        match token.trim() {
            "" => Err(ClientError::NoToken(place::shown(&file))),
            token => Ok(token.to_owned()),
        }
    }
}

impl Client {
    /// Whether the daemon of this home is there.
    fn is_own(&self, to: &Url) -> bool {
        let own = self.home.holder().and_then(|holder| holder.url).and_then(|url| url.parse::<Url>().ok());
        own.is_some_and(|own| own.origin() == to.origin())
    }
}

/// A name with a dot at its end is the same name. By `localhost.` this machine is meant, and not what some name server makes of
/// it.
fn without_root(url: String) -> String {
    let parsed = url.parse::<Url>().ok().filter(|parsed| parsed.host_str() == Some("localhost."));
    let renamed = parsed.and_then(|mut parsed| parsed.set_host(Some("localhost")).ok().map(|()| parsed.to_string()));
    renamed.unwrap_or(url)
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

impl ClientError {
    /// No daemon was found.
    pub fn of_nobody(home: &Home) -> Self {
        let shown = place::shown(home.root());
        match home.hidden_lock() {
            Some(lock) => Self::Hidden { home: shown, lock: place::shown(&lock) },
            None => Self::NotRunning(shown),
        }
    }

    /// Whether nobody is there that could answer.
    pub fn is_gone(&self) -> bool {
        matches!(self, Self::NotRunning(_) | Self::Unreachable { .. } | Self::Lost { .. })
    }

    /// Whether what was asked for is not there, as who answers says.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Refused(problem) if problem.kind == "not_found")
    }

    /// Whether the daemon may be there again in a moment.
    pub fn may_pass(&self) -> bool {
        self.is_gone()
            || matches!(self, Self::Silent { .. })
            || matches!(self, Self::Refused(problem) if problem.kind == "unavailable")
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let message = error.to_string();
        let unavailable = Why::Fault(FaultKind::Unavailable);
        match error {
            ClientError::NotRunning(_) => Self::new(unavailable, message),
            ClientError::Unreachable { .. } => {
                let hint = "it may be starting or stopping; its log, logs/daemon.log in IRIS_HOME, says more";
                Self::new(unavailable, message).hint(hint)
            }
            ClientError::Silent { pid, .. } => Self::new(unavailable, message).hint(what_helps(pid)),
            ClientError::Untrusted { flaw, .. } => Self::new(unavailable, message).hint(flaw.hint),
            // Whoever speaks TLS answers what is no beginning of it with an alert. The library has no other word for it.
            ClientError::Lost { url, what } if url.starts_with("http://") && what.contains("invalid HTTP version") => {
                Self::new(unavailable, message).hint("it may speak TLS: write its address as https://…")
            }
            ClientError::Lost { .. } => Self::new(unavailable, message).hint("see what became of it: `iris events`"),
            // What to send is of no use to somebody who types commands.
            ClientError::Refused(problem) if problem.kind == "unauthorized" => Self::new(Why::Refused, message)
                .hint("IRIS_TOKEN, or else the file `token` in IRIS_HOME, must be one of this very daemon"),
            ClientError::Refused(problem) => Self::new(Why::from_word(&problem.kind), message).maybe_hint(problem.hint),
            ClientError::Strange { .. } => Self::internal(message).hint("is IRIS_URL the address of an iris?"),
            ClientError::BadUrl(_) => Self::invalid(message).hint("write it as http://127.0.0.1:1615"),
            ClientError::TokenElsewhere(_) => Self::new(Why::Refused, message)
                .hint("set IRIS_TOKEN to one of that daemon; `iris token create` makes one there"),
            ClientError::TokenInTheOpen(_) => Self::new(Why::Refused, message)
                .hint("use its https address, or a tunnel: `ssh -L 1615:127.0.0.1:1615 <host>`"),
            ClientError::TokenUnread { .. } | ClientError::Hidden { .. } => {
                Self::new(Why::Refused, message).hint("`iris doctor` says whose it is and the command that helps")
            }
            ClientError::NoToken(_) => Self::new(Why::Refused, message).hint(
                "is IRIS_HOME the right one? if the file was deleted while iris ran: `iris down` needs none, and `iris up` \
                 makes a new one",
            ),
        }
    }
}

fn of_process(pid: &Option<u32>, url: &str) -> String {
    pid.map_or_else(|| format!("iris at {url}"), |pid| format!("process {pid}, the iris of {url},"))
}

/// A process that is stopped goes on when it is told to; for one that hangs there is only its end.
fn what_helps(pid: Option<u32>) -> String {
    let Some(pid) = pid else { return "look at it on its own machine: `iris doctor`".to_owned() };
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(')').next().unwrap_or_default().trim_start().chars().next();
    if matches!(state, Some('T' | 't')) {
        return format!("it is stopped; `kill -CONT {pid}` lets it go on");
    }
    format!("if it stays so, `kill -KILL {pid}` and `iris up`: everything that was accepted is kept")
}

fn address(base: &str, path: &[&str], query: Query<'_>) -> Result<Url, ClientError> {
    let bad = || ClientError::BadUrl(base.to_owned());
    let mut url: Url = base.trim().parse().map_err(|_| bad())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad());
    }
    url.path_segments_mut().map_err(|()| bad())?.pop_if_empty().push("api").extend(path);
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    Ok(url)
}

async fn read<T: DeserializeOwned>(response: Response) -> Result<T, ClientError> {
    let (url, status) = (origin(&response), response.status().as_u16());
    response.json().await.map_err(|error| match error.is_decode() {
        true => ClientError::Strange { url, status },
        false => ClientError::Lost { url, what: root(&error) },
    })
}

async fn refusal(base: String, response: Response) -> ClientError {
    let status = response.status().as_u16();
    match response.json::<Problem>().await {
        Ok(problem) => ClientError::Refused(Box::new(problem)),
        Err(_) => ClientError::Strange { url: base, status },
    }
}

fn gone(base: &str, error: &reqwest::Error) -> ClientError {
    let url = base.to_owned();
    if let Some(flaw) = certificate::flaw(error) {
        return ClientError::Untrusted { url, flaw };
    }
    let what = root(error);
    if error.is_connect() { ClientError::Unreachable { url, what } } else { ClientError::Lost { url, what } }
}

fn origin(response: &Response) -> String {
    response.url().origin().ascii_serialization()
}

/// The first cause: what the layers in between say of it is of no use to people.
fn root(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_known_by_its_full_name_too() {
        for (given, meant) in [
            ("http://localhost.:1615", "http://localhost:1615/"),
            ("http://LOCALHOST.:1615/", "http://localhost:1615/"),
            ("http://localhost:1615", "http://localhost:1615"),
            ("https://iris.example.", "https://iris.example."),
            ("nonsense", "nonsense"),
        ] {
            assert_eq!(without_root(given.to_owned()), meant);
        }
    }

    #[test]
    fn the_owner_s_token_stays_on_this_machine_and_no_token_goes_in_the_open() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = Home::prepare(folder.path()).expect("a home");
        let owner = home.token().expect("a token");
        let sent = |to: Option<&str>, given: Option<&str>| {
            let (url, token) = (to.map(str::to_owned), given.map(str::to_owned));
            let client = Client { url, token, ..Client::new(home.clone()) };
            client.token(&to.unwrap_or("http://10.1.2.3:1615").parse().expect("an address"))
        };
        for here in [None, Some("http://127.0.0.1:1"), Some("http://localhost:1"), Some("https://[::1]:1")] {
            assert_eq!(sent(here, None).expect("it is sent"), owner, "{here:?}");
            assert_eq!(sent(here, Some("given")).expect("it is sent"), "given", "{here:?}");
        }
        let (elsewhere, open) = (Some("https://iris.example"), Some("http://iris.example"));
        assert!(matches!(sent(elsewhere, None), Err(ClientError::TokenElsewhere(_))));
        assert_eq!(sent(elsewhere, Some("given")).expect("it is sent"), "given");
        for given in [None, Some("given")] {
            assert!(matches!(sent(open, given), Err(ClientError::TokenInTheOpen(_))));
        }
        assert!(matches!(sent(Some("http://127.0.0.1.example:1"), None), Err(ClientError::TokenInTheOpen(_))));
    }
}
