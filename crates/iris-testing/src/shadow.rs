//! A shadow model for crash tests: it knows what was accepted, kills the daemon again and again, and holds what the
//! daemon and its agents say in the end against that.
//!
//! The promise it checks: no accepted tell is lost, none runs out of order, none runs twice; and a turn whose outcome is
//! unknown says so.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::client::Client;
use crate::daemon::{Daemon, Setup};

/// A script whose agent takes a moment, so that a kill finds turns in every state.
pub const SCRIPT: &str = "replies:
  - match: '[05]$'
    do: [{ say: 'thinking' }, { delay: 15ms }, { say: 'You said: {{text}}' }]
default: [{ delay: 1ms }, { say: 'You said: {{text}}' }]
";
/// The agents are fewer than the parties, so that idle ones are evicted all the time.
pub const PARTIES: usize = 4;
const PLACES: usize = 2;

#[derive(Clone, Debug)]
pub enum Crash {
    /// At a named step, the n-th time it is reached.
    At {
        point: String,
        count: u32,
    },
    After(Duration),
    Never,
}

/// What one party has said, in its order.
#[derive(Debug, Default)]
struct Said {
    next: u64,
    accepted: Vec<Accepted>,
    /// Sent, but the daemon died before it answered: sent again with the same key.
    in_doubt: Option<u64>,
}

#[derive(Clone, Debug)]
struct Accepted {
    text: String,
    turn: String,
}

#[derive(Debug, Default)]
pub struct Shadow {
    parties: Vec<Arc<Mutex<Said>>>,
    pub lives: u32,
    pub crashes: u32,
}

impl Shadow {
    pub fn new() -> Self {
        Self { parties: (0..PARTIES).map(|_| Arc::default()).collect(), lives: 0, crashes: 0 }
    }

    pub fn setup(binary: &Path) -> Setup {
        Setup::new(binary)
            .team("alpha", SCRIPT)
            .setting(&format!("maxProcesses: {PLACES}"))
            .setting("healthCheckInterval: 200ms")
    }

    pub fn accepted(&self) -> usize {
        self.parties.iter().map(|said| said.lock().expect("not poisoned").accepted.len()).sum()
    }

    /// One life of the daemon: tells come in until it dies, or until each party has had its say.
    pub async fn live(&mut self, setup: &Setup, home: &Path, crash: &Crash, tells: u64) -> Result<()> {
        self.lives += 1;
        let mut setup = setup.clone();
        if let Crash::At { point, count } = crash {
            setup = setup.env("IRIS_CRASH_AT", &format!("{point}:{count}"));
        }
        let (Some(mut daemon), _) = Daemon::start_or_exit(&setup, home)? else {
            ensure!(!matches!(crash, Crash::Never), "the daemon ended at once, and nobody killed it");
            // It was killed in its very start.
            self.crashes += 1;
            return Ok(());
        };
        let mut talking = tokio::task::JoinSet::new();
        for (number, said) in self.parties.iter().enumerate() {
            talking.spawn(talk(number, Arc::clone(said), daemon.client(), tells));
        }
        if let Crash::After(time) = crash {
            tokio::time::sleep(*time).await;
            daemon.kill()?;
            talking.join_all().await;
            self.crashes += 1;
            return Ok(());
        }
        talking.join_all().await;
        // A step that comes only when nothing is told (an eviction, a lease) has a moment to be reached.
        let until = Instant::now() + Duration::from_millis(if matches!(crash, Crash::At { .. }) { 600 } else { 0 });
        while daemon.is_alive() && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        if daemon.is_alive() {
            daemon.kill()?;
        } else {
            self.crashes += 1;
        }
        Ok(())
    }

    /// A last life without a crash: everything that was accepted comes to its end, and is counted.
    pub async fn settle(&mut self, setup: &Setup, home: &Path) -> Result<Verdict> {
        let daemon = Daemon::start(setup, home)?;
        let mut client = daemon.client();
        for (number, said) in self.parties.iter().enumerate() {
            talk(number, Arc::clone(said), daemon.client(), 1).await;
        }
        let turns = all_over(&mut client).await?;
        let status = daemon.stop()?;
        ensure!(status.success(), "the daemon did not end well: {status}");
        self.judge(&turns, home)
    }

    fn judge(&self, turns: &BTreeMap<String, Value>, home: &Path) -> Result<Verdict> {
        let ran = journals(home)?;
        let mut verdict = Verdict::default();
        for (number, said) in self.parties.iter().enumerate() {
            let said = said.lock().expect("not poisoned");
            let mut last_place = None;
            for accepted in &said.accepted {
                let turn = turns.get(&accepted.turn).with_context(|| format!("LOST: {accepted:?}"))?;
                let runs = ran.iter().filter(|run| run.text == accepted.text).count();
                verdict.count(accepted, turn, runs)?;
                let place = ran.iter().position(|run| run.text == accepted.text);
                ensure!(place.is_none() || place > last_place, "OUT OF ORDER: party {number}, {accepted:?}");
                last_place = place.or(last_place);
            }
        }
        Ok(verdict)
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    pub completed: u64,
    pub unknown: u64,
}

impl Verdict {
    fn count(&mut self, accepted: &Accepted, turn: &Value, runs: usize) -> Result<()> {
        let (state, reason) = (turn["state"].as_str(), turn["reason"].as_str());
        match (state, reason) {
            (Some("completed"), _) => {
                ensure!(runs == 1, "{accepted:?} is completed and ran {runs} times");
                let expected = format!("You said: {}", accepted.text);
                ensure!(turn["response"].as_str() == Some(&expected), "a wrong answer: {turn}");
                self.completed += 1;
            }
            (Some("terminated"), Some("interrupted")) => {
                ensure!(runs <= 1, "{accepted:?} was interrupted and ran {runs} times");
                self.unknown += 1;
            }
            _ => bail!("{accepted:?} ended in a way nobody asked for: {turn}"),
        }
        Ok(())
    }
}

/// Tells one thing after the other until the daemon dies.
async fn talk(number: usize, said: Arc<Mutex<Said>>, mut client: Client, tells: u64) {
    for _ in 0..tells {
        let next = {
            let said = said.lock().expect("not poisoned");
            said.in_doubt.unwrap_or(said.next)
        };
        let text = format!("p{number}-{next}");
        let body = json!({
            "toTeam": "alpha", "fromTeam": format!("p{number}"), "message": text, "timeout": -1, "key": text,
        });
        let answer = client.post("/api/teams/tell", &body).await.ok().filter(|answer| answer.status == 200);
        let turn =
            answer.and_then(|answer| answer.json().ok()).and_then(|value| value["turnId"].as_str().map(str::to_owned));
        let mut said = said.lock().expect("not poisoned");
        said.next = said.next.max(next + 1);
        match turn {
            Some(turn) => {
                said.in_doubt = None;
                said.accepted.push(Accepted { text, turn });
            }
            None => {
                // Whether it was accepted is not known. The key makes it safe to ask again.
                said.in_doubt = Some(next);
                return;
            }
        }
    }
}

/// Every turn there is, once all are over.
pub async fn all_over(client: &mut Client) -> Result<BTreeMap<String, Value>> {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let turns = all_turns(client).await?;
        let over = |turn: &Value| !matches!(turn["state"].as_str(), Some("queued" | "running" | "scheduled"));
        if turns.values().all(over) {
            return Ok(turns);
        }
        if Instant::now() > until {
            let waiting: Vec<_> = turns.values().filter(|turn| !over(turn)).take(3).collect();
            bail!("STUCK: some turns never end, such as {waiting:?}");
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn all_turns(client: &mut Client) -> Result<BTreeMap<String, Value>> {
    let mut turns = BTreeMap::new();
    let sessions = client.get("/api/sessions?limit=1000").await?.json()?;
    for session in sessions["items"].as_array().context("sessions")? {
        let id = session["id"].as_str().context("an id")?;
        let mut after = "0".to_owned();
        loop {
            let page = client.get(&format!("/api/sessions/{id}/turns?limit=1000&after={after}")).await?.json()?;
            for turn in page["items"].as_array().context("turns")? {
                turns.insert(turn["id"].as_str().context("an id")?.to_owned(), turn.clone());
            }
            match page["next"].as_str() {
                Some(next) => after = next.to_owned(),
                None => break,
            }
        }
    }
    Ok(turns)
}

/// What an agent was really told.
#[derive(Debug)]
pub struct Run {
    pub text: String,
}

/// What the agents were really told, in their order, from the memory they keep themselves.
pub fn journals(home: &Path) -> Result<Vec<Run>> {
    let mut runs = Vec::new();
    if !home.join("data/agents").exists() {
        return Ok(runs);
    }
    for file in std::fs::read_dir(home.join("data/agents"))? {
        let path = file?.path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        for line in std::fs::read_to_string(&path)?.lines() {
            let entry: Value = serde_json::from_str(line).with_context(|| format!("{}: {line}", path.display()))?;
            runs.push(Run { text: entry["text"].as_str().context("a text")?.to_owned() });
        }
    }
    Ok(runs)
}
