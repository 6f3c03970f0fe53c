//! The long form of the crash tests: `cargo xtask soak --minutes 30`.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Parser;
use iris_testing::postgres::fresh_database;
use iris_testing::shadow::{Crash, Shadow};

/// Kill Iris at random under load, again and again, and see that nothing is lost, doubled or out of order
#[derive(Parser)]
#[command(name = "iris-soak")]
struct Arguments {
    /// How long; the round that is going on then is finished
    #[arg(long, default_value_t = 10.0)]
    minutes: f64,
    /// What the moments of the kills follow from; a failure says which it was
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> Result<()> {
    let Arguments { minutes, mut seed } = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let until = Instant::now() + Duration::from_secs_f64(minutes * 60.0);
    let mut rounds = 0;
    let (mut crashes, mut completed, mut unknown) = (0, 0, 0);
    while Instant::now() < until {
        rounds += 1;
        seed += 1;
        let home = tempfile::tempdir()?;
        let mut setup = Shadow::setup(&binary()?);
        // Every second round on PostgreSQL, where there is one.
        setup.database = if rounds % 2 == 0 { fresh_database() } else { None };
        setup.write(home.path())?;
        let mut shadow = Shadow::new();
        let verdict = runtime.block_on(async {
            for life in 0..20u64 {
                let pause = 5 + (seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(life * 977) >> 33) % 600;
                shadow.live(&setup, home.path(), &Crash::After(Duration::from_millis(pause)), 400).await?;
            }
            shadow.settle(&setup, home.path()).await
        });
        let verdict = verdict.with_context(|| format!("seed {seed}, home {}", home.keep().display()))?;
        crashes += shadow.crashes;
        completed += verdict.completed;
        unknown += verdict.unknown;
        eprintln!(
            "round {rounds}: {crashes} kills, {completed} turns completed once, {unknown} interrupted and said so"
        );
    }
    eprintln!("no tell was lost, doubled or out of order in {crashes} kills");
    Ok(())
}

fn binary() -> Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name("iris"))
}
