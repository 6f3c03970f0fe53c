//! What comes from outside, in any shape: whole connections, lines of agents, the config. Nothing of it may make Iris
//! panic. The same functions are run by cargo-fuzz (`fuzz/`, for hours) and by a test (for seconds, on stable Rust).

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use iris_agents::claude::transcript::understand;
use iris_core::credential::{CredentialKind, Scope};
use iris_core::id::Party;
use iris_engine::config::{self, Config};
use iris_engine::home::Home;
use iris_engine::token::Wanted;
use iris_engine::{Engine, tasks};
use iris_server::Doors as Listening;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// The real doors, from the connection on, in this process.
pub struct Doors {
    address: SocketAddr,
    token: String,
    pub patience: Duration,
    _runtime: Runtime,
    _home: tempfile::TempDir,
}

/// Stands for the daemon's address in a seed, and for a token that opens everything but what is administered: a path for
/// a backup must not be made up.
const HOST: &str = "{host}";
const TOKEN: &str = "{token}";

/// As every program in Rust does before `main`, which is not ours in a fuzzer.
#[expect(unsafe_code, reason = "the kernel's way to say it; nothing of ours handles signals here")]
fn ignore_closed_pipes() {
    use nix::sys::signal::{SigHandler, Signal, signal};
    // SAFETY: to ignore a signal runs no code of ours.
    unsafe { signal(Signal::SIGPIPE, SigHandler::SigIgn) }.expect("a signal that can be ignored");
}

impl Doors {
    pub fn open() -> Result<Self> {
        ignore_closed_pipes();
        let (home, runtime) = (tempfile::tempdir()?, Runtime::new()?);
        let (address, token) = runtime.block_on(async {
            let mut config = Config::default();
            config.server.requests_per_second = std::num::NonZeroU32::MAX;
            let engine = Engine::start(Home::prepare(home.path())?, config).await?;
            let wanted = Wanted {
                name: "fuzz".to_owned(),
                kind: CredentialKind::Human,
                party: None,
                scopes: [Scope::Read, Scope::Tell, Scope::Answer].into_iter().collect(),
                expires_at: None,
            };
            let token = engine.make_token(wanted, &Party::new("user").into()).await?.secret;
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let address = listener.local_addr()?;
            tasks::spawn("server", iris_server::serve(engine, Listening::plain(listener), std::future::pending()));
            anyhow::Ok((address, token))
        })?;
        Ok(Self { address, token, patience: Duration::from_millis(20), _runtime: runtime, _home: home })
    }

    /// Says this and nothing more, and hears what comes.
    pub fn knock(&self, says: &[u8]) -> Result<Vec<u8>> {
        let says = replace(&replace(says, HOST, &self.address.to_string()), TOKEN, &self.token);
        let mut stream = TcpStream::connect(self.address)?;
        // What goes on for ever, or waits for more, is listened to for a moment only.
        stream.set_read_timeout(Some(self.patience))?;
        let mut heard = Vec::new();
        // It may have heard enough before it heard all.
        if stream.write_all(&says).is_ok() {
            stream.take(1024 * 1024).read_to_end(&mut heard).ok();
        }
        Ok(heard)
    }
}

fn replace(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let mut replaced = Vec::with_capacity(bytes.len() + 64);
    let mut rest = bytes;
    while let Some(at) = memchr::memmem::find(rest, from.as_bytes()) {
        replaced.extend_from_slice(&rest[..at]);
        replaced.extend_from_slice(to.as_bytes());
        rest = &rest[at + from.len()..];
    }
    replaced.extend_from_slice(rest);
    replaced
}

/// What an agent writes.
pub fn lines(bytes: &[u8]) {
    understand(&String::from_utf8_lossy(bytes), Arc::from([]));
}

/// What a person writes into config.yaml.
pub fn config(bytes: &[u8]) {
    // Whether it is good or bad is the same here.
    drop(config::parse(Path::new("config.yaml"), &String::from_utf8_lossy(bytes), |_| None));
}
