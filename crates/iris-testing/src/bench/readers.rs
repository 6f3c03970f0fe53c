//! Readers of events: many that keep up, and many that do not read at all.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;

use super::load::Latencies;
use super::measure::{setup, world};
use super::{Figure, Plan};
use crate::client::stalled::{Stalled, Way, request};
use crate::daemon::{Daemon, Setup};

const MEGABYTE: f64 = 1024.0 * 1024.0;
const LIVE: usize = 200;
const STALLED: usize = 50;

pub fn measure(plan: &Plan, runtime: &Runtime) -> Result<Vec<Figure>> {
    let mut figures = runtime.block_on(live(plan))?;
    figures.extend(runtime.block_on(stalled(plan))?);
    Ok(figures)
}

/// An agent that says something at least a thousand times a second. A pause of a millisecond takes somewhat longer, so two
/// of every eight go without.
fn talkative(plan: &Plan, seconds: usize) -> Setup {
    let say = "  - say: 'a line of what an agent says while it works on something'\n";
    let pause = "  - delay: 1ms\n";
    let eight = format!("{}{say}{say}", format!("{say}{pause}").repeat(6));
    let steps = eight.repeat(125 * seconds);
    setup(plan).team("talker", &format!("default:\n{steps}"))
}

async fn live(plan: &Plan) -> Result<Vec<Figure>> {
    let seconds = if plan.quick { 2 } else { 15 };
    let world = world(plan, talkative(plan, seconds))?;
    let daemon = &world.daemon;
    daemon.client().tell("user", "alpha", "warm").await?;
    let over = Arc::new(AtomicBool::new(false));
    let mut reading = tokio::task::JoinSet::new();
    for way in [Way::Sse, Way::Socket].into_iter().cycle().take(LIVE) {
        let mut stream = TcpStream::connect(&daemon.address).await?;
        stream.write_all(request(&daemon.client(), way, None).as_bytes()).await?;
        let over = Arc::clone(&over);
        reading.spawn(async move { read(stream, &over).await });
    }
    // Everybody is there.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let (before, began, first) = (cpu(daemon)?, Instant::now(), newest(daemon).await?);
    daemon.client().tell("user", "talker", "go").await?;
    let (lasted, used) = (began.elapsed().as_secs_f64(), cpu(daemon)? - before);
    let events = newest(daemon).await? - first;
    tokio::time::sleep(Duration::from_millis(500)).await;
    over.store(true, Ordering::Relaxed);
    // One more thing happens, so that everybody looks up.
    daemon.client().tell("user", "alpha", "over").await?;
    let mut latencies = Latencies::default();
    let mut read = 0;
    for one in reading.join_all().await {
        let one = one?;
        read += one.len();
        latencies.add_all(one);
    }
    let each = read as f64 / LIVE as f64 / events as f64;
    Ok(vec![
        Figure::new("events/s while 200 read (asked for: 1,000)", events as f64 / lasted, "/s"),
        Figure::new("200 readers, 1,000 events/s: read by each / happened", each, "x").at_least(1.0),
        Figure::new("200 readers, 1,000 events/s: delivery p50", latencies.p50(), "ms"),
        Figure::new("200 readers, 1,000 events/s: delivery p99", latencies.p99(), "ms").at_most(50.0),
        Figure::new("200 readers, 1,000 events/s: daemon CPU", used / lasted, "cores").at_most(0.5),
    ])
}

/// What was read and how old it was then. The age is that since the daemon wrote it down, syncing included.
async fn read(mut stream: TcpStream, over: &AtomicBool) -> Result<Latencies> {
    let mut latencies = Latencies::default();
    let (mut buffer, mut filled) = (vec![0; 256 * 1024], 0);
    while !over.load(Ordering::Relaxed) {
        let count = stream.read(&mut buffer[filled..]).await?;
        anyhow::ensure!(count > 0, "a reader was dropped");
        let now = u128::try_from(iris_engine::wall_ms())?;
        filled += count;
        let mut from = 0;
        // A number behind `"at":` is an event; inside of a text it would be `\"at\":`.
        while let Some(at) = find(&buffer[from..filled], b",\"at\":") {
            let digits = &buffer[from + at + 6..filled];
            let Some(end) = digits.iter().position(|byte| !byte.is_ascii_digit()) else { break };
            let then: u128 = std::str::from_utf8(&digits[..end])?.parse()?;
            latencies.add(Duration::from_millis(u64::try_from(now.saturating_sub(then))?));
            from += at + 6 + end;
        }
        // What may be the beginning of one is looked at again with what follows.
        let rest = from.max(filled.saturating_sub(32));
        buffer.copy_within(rest..filled, 0);
        filled -= rest;
    }
    Ok(latencies)
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, wanted)
}

async fn newest(daemon: &Daemon) -> Result<i64> {
    daemon.client().get("/api/status").await?.json()?["newestEvent"].as_i64().context("a number")
}

/// The processor time the daemon has used, in seconds.
fn cpu(daemon: &Daemon) -> Result<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", daemon.pid))?;
    let fields: Vec<&str> = stat.rsplit(')').next().context("fields")?.split_whitespace().collect();
    let ticks: f64 = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
    Ok(ticks / 100.0)
}

/// How often with readers and how often without, in turn: a disk has moods.
const PAIRS: usize = 8;

async fn stalled(plan: &Plan) -> Result<Vec<Figure>> {
    // A gigabyte for what they cost in memory, and a fifth of one at a time for what they cost in speed.
    let [whole, part] = if plan.quick { [2500, 500] } else { [100_000, 20_000] };
    let script = |messages: i32| format!("default: [{{ flood: {{ messages: {messages}, size: 10000 }} }}]\n");
    let world = world(plan, setup(plan).team("whole", &script(whole)).team("part", &script(part)))?;
    let daemon = &world.daemon;
    let flood = async |team: &str, readers: usize| -> Result<(f64, u64)> {
        let ways = [Way::Sse, Way::Socket].into_iter().cycle().take(readers);
        let _readers: Vec<_> = ways.map(|way| Stalled::open(&daemon.client(), way)).collect::<Result<_>>()?;
        let (began, mut largest) = (Instant::now(), 0);
        let mut client = daemon.client();
        let mut telling = std::pin::pin!(client.tell("user", team, "go"));
        loop {
            tokio::select! {
                told = &mut telling => { told?; return Ok((began.elapsed().as_secs_f64(), largest)) }
                () = tokio::time::sleep(Duration::from_millis(20)) => largest = largest.max(daemon.memory()?),
            }
        }
    };
    let (_, usual) = flood("whole", 0).await?;
    let (_, most) = flood("whole", STALLED).await?;
    let (mut alone, mut together) = (Vec::new(), Vec::new());
    for pair in 0..if plan.quick { 1 } else { PAIRS } {
        // Whichever comes second finds the disk busier.
        let order = if pair % 2 == 0 { [0, STALLED] } else { [STALLED, 0] };
        for readers in order {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let (took, _) = flood("part", readers).await?;
            (if readers == 0 { &mut alone } else { &mut together }).push(took);
        }
    }
    let (alone, together) = (median(alone), median(together));
    let grown = most.saturating_sub(usual) as f64 / MEGABYTE;
    Ok(vec![
        Figure::new("50 stalled readers, 1 GB of output: memory growth", grown, "MB").at_most(64.0),
        Figure::new("50 stalled readers: agent's speed / without them", alone / together, "x").at_least(0.95),
        Figure::new("output of one agent, nobody reading", f64::from(part) * 0.01 / alone, "MB/s"),
    ])
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
