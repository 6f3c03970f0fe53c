//! The measures of the table, each in a daemon of its own.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::floor::Floors;
use super::load::{Caller, Latencies, SCRIPT, closed_loops};
use super::{Figure, Plan};
use crate::daemon::{Daemon, Setup};

const MEGABYTE: f64 = 1024.0 * 1024.0;

pub fn all(plan: &Plan, runtime: &Runtime, floors: &Floors) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    type Group<'a> = (&'static str, &'a dyn Fn() -> Result<Vec<Figure>>);
    let groups: [Group<'_>; 12] = [
        ("start", &|| start(plan)),
        ("tell", &|| tell(plan, floors)),
        ("mcp", &|| mcp(plan)),
        ("throughput", &|| throughput(plan, runtime)),
        ("postgres", &|| postgres(plan, runtime)),
        ("relay", &|| relay(plan, runtime)),
        ("growth", &|| growth(plan)),
        ("sessions", &|| sessions(plan, runtime)),
        ("history", &|| history(plan, runtime)),
        ("readers", &|| super::readers::measure(plan, runtime)),
        ("claude", &|| super::claude::measure(plan, runtime)),
        ("detect", &|| super::detect::measure(plan)),
    ];
    for (name, measure) in groups {
        if plan.wants(name) {
            eprintln!("measuring: {name}");
            figures.extend(measure()?);
        }
    }
    Ok(figures)
}

pub(super) struct World {
    pub daemon: Daemon,
    _home: TempDir,
}

/// A daemon in a home beside the binary: a temporary folder may be in memory, where nothing is ever synced.
pub(super) fn world(plan: &Plan, setup: Setup) -> Result<World> {
    let home = tempfile::tempdir_in(plan.binary.parent().context("a folder")?)?;
    setup.write(home.path())?;
    let daemon = Daemon::start(&setup, home.path())?;
    Ok(World { daemon, _home: home })
}

pub(super) fn setup(plan: &Plan) -> Setup {
    Setup::new(&plan.binary).team("alpha", SCRIPT).setting("maxProcesses: 600").env("IRIS_LOG", "warn")
}

fn start(plan: &Plan) -> Result<Vec<Figure>> {
    let mut setup = Setup::new(&plan.binary);
    for number in 0..60 {
        setup = setup.team(&format!("team-{number}"), SCRIPT);
    }
    let home = tempfile::tempdir_in(plan.binary.parent().context("a folder")?)?;
    setup.write(home.path())?;
    let mut starts = Latencies::default();
    for _ in 0..plan.rounds(200).min(15) {
        let daemon = Daemon::start(&setup, home.path())?;
        starts.add(daemon.took);
        daemon.stop()?;
    }
    let daemon = Daemon::start(&setup, home.path())?;
    std::thread::sleep(Duration::from_secs(2));
    let memory = daemon.memory()? as f64 / MEGABYTE;
    daemon.stop()?;
    Ok(vec![
        Figure::new("start until it serves, 60 teams, p50", starts.p50(), "ms").at_most(100.0).incumbent(990.0),
        Figure::new("idle memory, 60 teams", memory, "MB").at_most(25.0).incumbent(128.0),
    ])
}

fn tell(plan: &Plan, floors: &Floors) -> Result<Vec<Figure>> {
    let world = world(plan, setup(plan))?;
    let latencies = tells(&world.daemon, plan.rounds(1000), plan.rounds(6000))?;
    world.daemon.stop()?;
    Ok(vec![
        Figure::new("warm tell, p50", latencies.p50(), "ms").at_most(0.8).incumbent(2.4),
        Figure::new("warm tell, p99", latencies.p99(), "ms").at_most(3.0).incumbent(8.7),
        Figure::new("warm tell p50 / sum of the floors", latencies.p50() / floors.sum_ms(), "x").at_most(3.0),
        Figure::new("tells/s, 1 session, 1 caller that waits each time", latencies.per_second(), "/s"),
    ])
}

/// The same tells by turns as API calls and as tool calls, so that whatever else the machine does meets both.
fn mcp(plan: &Plan) -> Result<Vec<Figure>> {
    let world = world(plan, setup(plan))?;
    let mut callers = [Caller::tell(&world.daemon, "user")?, Caller::tell_over_mcp(&world.daemon, "user")?];
    let mut latencies = [Latencies::default(), Latencies::default()];
    let warm_up = plan.rounds(1000);
    for round in 0..warm_up + plan.rounds(6000) {
        for (caller, latencies) in callers.iter_mut().zip(&mut latencies) {
            let took = caller.call()?;
            if round >= warm_up {
                latencies.add(took);
            }
        }
    }
    world.daemon.stop()?;
    let [api, mcp] = latencies;
    Ok(vec![
        Figure::new("warm tell over MCP (HTTP), p50", mcp.p50(), "ms"),
        Figure::new("warm tell over MCP (HTTP), p99", mcp.p99(), "ms"),
        Figure::new("MCP (HTTP) above the API call under it, p50", mcp.p50() - api.p50(), "ms").at_most(0.3),
    ])
}

/// One caller on one session, after a warm-up.
fn tells(daemon: &Daemon, warm_up: usize, rounds: usize) -> Result<Latencies> {
    let mut caller = Caller::tell(daemon, "user")?;
    for _ in 0..warm_up {
        caller.call()?;
    }
    let mut latencies = Latencies::default();
    for _ in 0..rounds {
        latencies.add(caller.call()?);
    }
    Ok(latencies)
}

fn throughput(plan: &Plan, runtime: &Runtime) -> Result<Vec<Figure>> {
    let world = world(plan, setup(plan))?;
    let lasts = Duration::from_millis(if plan.quick { 300 } else { 5000 });
    let mut figures = Vec::new();
    // Past the first growth of the write-ahead log.
    runtime.block_on(closed_loops(&world.daemon, 10, 10, lasts / 2))?;
    // One session works on one turn at a time: how many are worked off depends on how many callers queue for it. All are
    // printed, and what is promised is held to the most that was done; latency to callers that wait for each answer.
    for (sessions, target, incumbent) in [(1, 1500.0, 315.0), (10, 6000.0, 317.0), (50, 6000.0, 338.0)] {
        let mut most = 0_f64;
        // Not more at once than strangers are let in before they have shown who they are.
        for callers in [1, 3, 8].into_iter().filter(|callers| sessions * callers <= 200) {
            let loaded = runtime.block_on(closed_loops(&world.daemon, sessions, sessions * callers, lasts))?;
            let name = format!("tells/s, {sessions} sessions, callers for each: {callers}");
            figures.push(Figure::new(name, loaded.per_second, "/s"));
            most = most.max(loaded.per_second);
            if (sessions, callers) == (50, 1) {
                let p99 = loaded.latencies.p99();
                figures.push(Figure::new("tell p99 at 50 sessions", p99, "ms").at_most(30.0).incumbent(1200.0));
            }
        }
        let name = format!("tells/s, {sessions} sessions, the most of these");
        figures.push(Figure::new(name, most, "/s").at_least(target).incumbent(incumbent));
    }
    world.daemon.stop()?;
    Ok(figures)
}

fn postgres(plan: &Plan, runtime: &Runtime) -> Result<Vec<Figure>> {
    let Ok(url) = std::env::var("IRIS_TEST_POSTGRES") else {
        eprintln!("IRIS_TEST_POSTGRES is not set: PostgreSQL is left out");
        return Ok(Vec::new());
    };
    let world = world(plan, setup(plan).database(&url))?;
    let lasts = Duration::from_millis(if plan.quick { 300 } else { 5000 });
    let mut figures = Vec::new();
    for sessions in [10, 50] {
        let loaded = runtime.block_on(closed_loops(&world.daemon, sessions, sessions, lasts))?;
        let name = format!("tells/s on PostgreSQL, {sessions} sessions");
        figures.push(Figure::new(name, loaded.per_second, "/s").at_least(1000.0));
    }
    world.daemon.stop()?;
    Ok(figures)
}

fn relay(plan: &Plan, runtime: &Runtime) -> Result<Vec<Figure>> {
    let world = world(plan, setup(plan))?;
    let seconds = runtime.block_on(async {
        let mut client = world.daemon.client();
        client.tell("user", "alpha", "warm").await?;
        let mut latencies = Latencies::default();
        for _ in 0..plan.rounds(100).min(9) {
            let sent = Instant::now();
            client.tell("user", "alpha", "flood").await?;
            latencies.add(sent.elapsed());
        }
        anyhow::Ok(latencies.p50() / 1000.0)
    })?;
    world.daemon.stop()?;
    Ok(vec![Figure::new("relay of 10,000 assistant events in one turn", seconds, "s").at_most(0.12).incumbent(1.31)])
}

fn growth(plan: &Plan) -> Result<Vec<Figure>> {
    let world = world(plan, setup(plan))?;
    let batch = plan.rounds(10_000);
    tells(&world.daemon, 0, batch)?;
    let before = world.daemon.memory()?;
    tells(&world.daemon, 0, 2 * batch)?;
    let grown = (world.daemon.memory()? as f64 - before as f64) / 2.0 / MEGABYTE;
    world.daemon.stop()?;
    Ok(vec![Figure::new("memory growth per 10,000 tells", grown.max(0.0), "MB").at_most(2.0).incumbent(57.0)])
}

fn sessions(plan: &Plan, runtime: &Runtime) -> Result<Vec<Figure>> {
    let world = world(plan, setup(plan))?;
    let count = if plan.quick { 30 } else { 500 };
    let figures = runtime.block_on(async {
        let before = world.daemon.memory()? as f64;
        for session in 0..count {
            let body = serde_json::json!({ "fromTeam": format!("s{session}") });
            world.daemon.client().post("/api/teams/alpha/wake", &body).await?;
        }
        let each = (world.daemon.memory()? as f64 - before) / f64::from(count) / 1024.0;
        let lasts = Duration::from_millis(if plan.quick { 300 } else { 5000 });
        // All are alive; as many callers as a busy team has go round among them.
        let p99 = round_robin(&world.daemon, count, 16, lasts).await?.p99();
        anyhow::Ok(vec![
            Figure::new(format!("{count} live sessions: warm tell p99 under load"), p99, "ms").at_most(50.0),
            Figure::new(format!("{count} live sessions: daemon memory each"), each, "kB").at_most(100.0),
        ])
    })?;
    world.daemon.stop()?;
    Ok(figures)
}

async fn round_robin(daemon: &Daemon, sessions: u32, callers: u32, lasts: Duration) -> Result<Latencies> {
    let began = Instant::now();
    let mut calling = tokio::task::JoinSet::new();
    for caller in 0..callers {
        let mut client = daemon.client();
        calling.spawn(async move {
            let mut latencies = Latencies::default();
            let mut session = caller;
            while began.elapsed() < lasts {
                let sent = Instant::now();
                client.tell(&format!("s{session}"), "alpha", "hello there").await?;
                latencies.add(sent.elapsed());
                session = if session + callers < sessions { session + callers } else { caller };
            }
            anyhow::Ok(latencies)
        });
    }
    Latencies::gather(calling).await
}

/// The same tells and cache reads in an empty store and in one with a million messages, in turns: the machine of a minute
/// later is another one.
fn history(plan: &Plan, runtime: &Runtime) -> Result<Vec<Figure>> {
    const TURNS: usize = 10;
    let (empty, full) = (world(plan, setup(plan))?, world(plan, setup(plan))?);
    let floods = if plan.quick { 2 } else { 100 };
    let mut client = full.daemon.client();
    for _ in 0..floods {
        runtime.block_on(client.tell("historian", "alpha", "flood"))?;
    }
    let (mut told, mut read) = (<[Latencies; 2]>::default(), <[Latencies; 2]>::default());
    for _ in 0..TURNS {
        for (world, (told, read)) in [&empty, &full].into_iter().zip(told.iter_mut().zip(&mut read)) {
            told.add_all(tells(&world.daemon, plan.rounds(100), plan.rounds(400))?);
            read.add_all(runtime.block_on(cache_reads(&world.daemon, plan.rounds(300)))?);
        }
    }
    empty.daemon.stop()?;
    full.daemon.stop()?;
    let messages = floods * 10_000;
    let ratio = |what: &str, [empty, full]: [Latencies; 2]| {
        Figure::new(format!("{what} p50 with {messages} messages / empty"), full.p50() / empty.p50(), "x").at_most(1.2)
    };
    Ok(vec![ratio("warm tell", told), ratio("cache read", read)])
}

/// Pages of one session's turns and of one turn's messages.
async fn cache_reads(daemon: &Daemon, rounds: usize) -> Result<Latencies> {
    let mut client = daemon.client();
    let told = client.tell("reader", "alpha", "hello").await?;
    let (session, turn) =
        (told["sessionId"].as_str().context("a session")?, told["turnId"].as_str().context("a turn")?);
    let (turns, messages) = (format!("/api/sessions/{session}/turns?limit=1"), format!("/api/turns/{turn}/messages"));
    let mut latencies = Latencies::default();
    for _ in 0..rounds {
        let sent = Instant::now();
        client.get(&turns).await?;
        client.get(&messages).await?;
        latencies.add(sent.elapsed());
    }
    Ok(latencies)
}
