//! The benchmark: what is measured, against which floor, with which target. The measuring is in the files below.

mod claude;
mod detect;
mod floor;
mod load;
mod measure;
mod readers;

use std::path::PathBuf;

use anyhow::Result;
use serde::Serialize;

pub struct Plan {
    pub binary: PathBuf,
    /// Fewer rounds: to see that it runs, not what it measures.
    pub quick: bool,
    pub output: Option<PathBuf>,
    /// Only the groups whose name contains this.
    pub only: Option<String>,
}

impl Plan {
    fn rounds(&self, full: usize) -> usize {
        if self.quick { (full / 20).max(20) } else { full }
    }

    fn wants(&self, group: &str) -> bool {
        self.only.as_deref().is_none_or(|only| group.contains(only))
    }
}

/// One line of the table.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    pub name: String,
    pub value: f64,
    pub unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// What the TypeScript Iris MCP 0.3.2 did on a machine like this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incumbent: Option<f64>,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    AtMost(f64),
    AtLeast(f64),
}

impl Figure {
    fn new(name: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { name: name.into(), value, unit, target: None, incumbent: None }
    }

    fn at_most(mut self, target: f64) -> Self {
        self.target = Some(Target::AtMost(target));
        self
    }

    fn at_least(mut self, target: f64) -> Self {
        self.target = Some(Target::AtLeast(target));
        self
    }

    fn incumbent(mut self, value: f64) -> Self {
        self.incumbent = Some(value);
        self
    }

    fn met(&self) -> Option<bool> {
        self.target.map(|target| match target {
            Target::AtMost(limit) => self.value <= limit,
            Target::AtLeast(limit) => self.value >= limit,
        })
    }
}

pub fn run(plan: &Plan) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let mut figures = Vec::new();
    let floors = floor::measure(plan)?;
    figures.extend(floors.figures());
    figures.extend(measure::all(plan, &runtime, &floors)?);
    print(&figures);
    let output = plan.output.clone().unwrap_or_else(|| plan.binary.with_file_name("bench.json"));
    std::fs::write(&output, serde_json::to_string_pretty(&figures)?)?;
    eprintln!("\nwritten to {}", output.display());
    Ok(())
}

fn print(figures: &[Figure]) {
    eprintln!("\n{:<52} {:>10} {:<7} {:>12} {:>6}  {:>10}", "measure", "Iris", "", "target", "", "incumbent");
    for figure in figures {
        let target = match figure.target {
            Some(Target::AtMost(limit)) => format!("<= {limit}"),
            Some(Target::AtLeast(limit)) => format!(">= {limit}"),
            None => String::new(),
        };
        let verdict = match figure.met() {
            Some(true) => "met",
            Some(false) => "MISSED",
            None => "",
        };
        let incumbent = figure.incumbent.map(|value| format!("{value} ({:.1}x)", ratio(figure, value)));
        eprintln!(
            "{:<52} {:>10.3} {:<7} {:>12} {:>6}  {}",
            figure.name,
            figure.value,
            figure.unit,
            target,
            verdict,
            incumbent.unwrap_or_default()
        );
    }
}

/// How many times better than the incumbent.
fn ratio(figure: &Figure, incumbent: f64) -> f64 {
    match figure.target {
        Some(Target::AtLeast(_)) => figure.value / incumbent,
        _ => incumbent / figure.value,
    }
}
