//! The floors: what the parts cost by themselves, on this machine, in this run.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};

use super::load::{Caller, Latencies, SCRIPT};
use super::{Figure, Plan};
use crate::daemon::{Daemon, Setup};

pub struct Floors {
    pub agent: Latencies,
    pub http: Latencies,
    pub commit: Latencies,
}

impl Floors {
    pub fn sum_ms(&self) -> f64 {
        self.agent.p50() + self.http.p50() + self.commit.p50()
    }

    pub fn figures(&self) -> Vec<Figure> {
        vec![
            Figure::new("floor: the agent program alone, p50", self.agent.p50(), "ms"),
            Figure::new("floor: an empty HTTP round trip, p50", self.http.p50(), "ms"),
            Figure::new("floor: an fsynced commit, p50", self.commit.p50(), "ms"),
            Figure::new("floor: sum", self.sum_ms(), "ms"),
        ]
    }
}

pub fn measure(plan: &Plan) -> Result<Floors> {
    eprintln!("measuring the floors");
    Ok(Floors { agent: agent(plan)?, http: http(plan)?, commit: commit(plan)? })
}

/// A message through the agent's own pipes and back, with nothing in between.
fn agent(plan: &Plan) -> Result<Latencies> {
    let folder = tempfile::tempdir()?;
    let script = folder.path().join("script.yaml");
    std::fs::write(&script, SCRIPT)?;
    let mut child = Command::new(&plan.binary)
        .args(["scripted-agent", "--session-id", "00000000-0000-4000-8000-000000000001"])
        .arg("--script")
        .arg(&script)
        .arg("--state-dir")
        .arg(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().context("a pipe")?;
    let mut stdout = BufReader::new(child.stdout.take().context("a pipe")?);
    let mut latencies = Latencies::default();
    let mut line = String::new();
    for round in 0..plan.rounds(3000) {
        let began = Instant::now();
        writeln!(
            stdin,
            r#"{{"type":"user","message":{{"role":"user","content":"hello {round}"}},"uuid":"u{round}"}}"#
        )?;
        loop {
            line.clear();
            stdout.read_line(&mut line)?;
            if line.contains(r#""type":"result""#) {
                break;
            }
        }
        latencies.add(began.elapsed());
    }
    drop(stdin);
    child.wait()?;
    Ok(latencies)
}

fn http(plan: &Plan) -> Result<Latencies> {
    let home = tempfile::tempdir()?;
    let setup = Setup::new(&plan.binary);
    setup.write(home.path())?;
    let daemon = Daemon::start(&setup, home.path())?;
    let mut caller = Caller::new(&daemon, "GET", "/health", "")?;
    let mut latencies = Latencies::default();
    for _ in 0..plan.rounds(3000) {
        latencies.add(caller.call()?);
    }
    daemon.stop()?;
    Ok(latencies)
}

/// One row in one transaction, on disk when it returns.
fn commit(plan: &Plan) -> Result<Latencies> {
    let folder = tempfile::tempdir_in(plan.binary.parent().context("a folder")?)?;
    let database = rusqlite::Connection::open(folder.path().join("floor.db"))?;
    database.pragma_update(None, "journal_mode", "wal")?;
    database.pragma_update(None, "synchronous", "full")?;
    database.execute_batch("CREATE TABLE row (id INTEGER PRIMARY KEY, text TEXT)")?;
    let mut latencies = Latencies::default();
    // The log has to have been written once before it is overwritten, as it is in a daemon that has run for a while.
    for round in 0..plan.rounds(3000) + 1200 {
        let began = Instant::now();
        database.execute("INSERT INTO row (text) VALUES (?1)", ["hello"])?;
        if round >= 1200 {
            latencies.add(began.elapsed());
        }
    }
    Ok(latencies)
}
