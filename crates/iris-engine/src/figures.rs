//! Figures and traces of what happens, by the names of the OpenTelemetry conventions where there are any. They are counted
//! whoever reads them: `/metrics`, a collector, or nobody.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, UNIX_EPOCH};

use iris_agents::cli;
use iris_core::event::Recorded;
use iris_core::id::{Party, TurnId};
use iris_core::team::{AgentKind, TeamName};
use iris_core::turn::{Ending, TurnOutcome};
use opentelemetry::metrics::{Counter, Histogram, Meter};
use opentelemetry::trace::{
    SpanContext, SpanId, SpanKind, Status, TraceContextExt, TraceFlags, TraceId, TraceState, Tracer,
};
use opentelemetry::{Context, KeyValue, global};

use crate::engine::{Engine, Inner};
use crate::secret::masked;

const SCOPE: &str = "iris";

struct Instruments {
    turns: Counter<u64>,
    duration: Histogram<f64>,
    tokens: Histogram<u64>,
    cost: Counter<f64>,
    questions: Counter<u64>,
}

fn instruments() -> &'static Instruments {
    static INSTRUMENTS: OnceLock<Instruments> = OnceLock::new();
    INSTRUMENTS.get_or_init(|| {
        let meter = global::meter(SCOPE);
        Instruments {
            turns: meter.u64_counter("iris.turns").with_description("Turns that ended, by team and how").build(),
            duration: meter
                .f64_histogram("gen_ai.client.operation.duration")
                .with_unit("s")
                .with_description("How long a turn took, from the agent's taking it to its end")
                .with_boundaries(vec![
                    0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 600.0,
                    3600.0,
                ])
                .build(),
            tokens: meter
                .u64_histogram("gen_ai.client.token.usage")
                .with_unit("{token}")
                .with_description("Tokens of a turn, by type")
                .with_boundaries((0..14).map(|power| f64::from(4_u32.pow(power))).collect())
                .build(),
            cost: meter.f64_counter("iris.cost").with_unit("USD").with_description("What turns cost").build(),
            questions: meter
                .u64_counter("iris.questions")
                .with_description("Questions, by team and what became of them: opened, answered, expired, …")
                .build(),
        }
    })
}

/// What can be looked at any time.
pub(crate) fn observe(inner: &Arc<Inner>) {
    let meter = global::meter(SCOPE);
    let engine = Arc::downgrade(inner);
    gauge(&meter, "iris.agents", "Agents that are alive", {
        let engine = engine.clone();
        move || engine.upgrade().map(|engine| engine.runners().len() as u64)
    });
    gauge(&meter, "iris.agents.limit", "How many agents may be alive", {
        let engine = engine.clone();
        move || engine.upgrade().map(|engine| engine.config().settings.max_processes as u64)
    });
    gauge(&meter, "iris.sessions.waiting", "Sessions that wait for a place in the pool", {
        let engine = engine.clone();
        move || engine.upgrade().map(|engine| engine.pool.waiting() as u64)
    });
    gauge(&meter, "iris.events.newest", "The number of the newest event", {
        let engine = engine.clone();
        move || engine.upgrade().map(|engine| u64::try_from(engine.bus.head()).unwrap_or(0))
    });
    gauge(&meter, "iris.store.well", "1 while everything can be written down, else 0", move || {
        let engine = engine.upgrade()?;
        Some(u64::from(matches!(*engine.store.health().borrow(), iris_store::StoreHealth::Well)))
    });
    gauge(&meter, "process.memory.usage", "Resident memory in bytes", resident_bytes);
    gauge(&meter, "process.open_file_descriptor.count", "Open files", || {
        std::fs::read_dir("/proc/self/fd").ok().map(|files| files.count() as u64)
    });
}

fn gauge(
    meter: &Meter,
    name: &'static str,
    about: &'static str,
    look: impl Fn() -> Option<u64> + Send + Sync + 'static,
) {
    meter
        .u64_observable_gauge(name)
        .with_description(about)
        .with_callback(move |observer| {
            if let Some(value) = look() {
                observer.observe(value, &[]);
            }
        })
        .build();
}

fn resident_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

/// Counts what became of questions. What is open is what was opened and is neither answered, defaulted, expired, cancelled
/// nor superseded.
pub(crate) fn count_questions(events: &[Arc<Recorded>]) {
    for event in events {
        if let Some(what) = event.kind.strip_prefix("question.") {
            let team = event.subject.team.as_ref().map_or("", |team| team.as_str());
            instruments().questions.add(1, &[text("team", team), KeyValue::new("state", what.to_owned())]);
        }
    }
}

/// A turn that ended, for figures and traces.
pub(crate) struct Ended<'a> {
    pub turn: &'a TurnId,
    pub session: &'a str,
    pub team: &'a TeamName,
    pub agent: AgentKind,
    pub party: &'a Party,
    pub outcome: &'a TurnOutcome,
    pub duration_ms: i64,
}

pub(crate) fn turn_ended(traces: &Traces, ended: &Ended<'_>) {
    let (outcome, team) = (ended.outcome, ended.team);
    let state = outcome.ending.state().as_str();
    let mut of = described(team, ended.agent, outcome.usage.model.as_deref());
    let figures = instruments();
    figures.turns.add(1, &[text("team", team.as_str()), KeyValue::new("state", state)]);
    figures.cost.add(outcome.usage.cost_usd, &[text("team", team.as_str())]);
    for (kind, count) in [("input", outcome.usage.input_tokens), ("output", outcome.usage.output_tokens)] {
        if count > 0 {
            let kind = [KeyValue::new("gen_ai.token.type", kind)];
            figures.tokens.record(count, &[&of[..], &kind].concat());
        }
    }
    let duration = Duration::from_millis(u64::try_from(ended.duration_ms).unwrap_or(0));
    if outcome.ending != Ending::Completed {
        of.push(KeyValue::new("error.type", state));
    }
    figures.duration.record(duration.as_secs_f64(), &of);
    traces.end(ended, of, duration);
}

/// A scripted agent speaks to nobody's models.
fn described(team: &TeamName, agent: AgentKind, model: Option<&str>) -> Vec<KeyValue> {
    let mut of = vec![KeyValue::new("gen_ai.operation.name", "invoke_agent"), text("gen_ai.agent.name", team.as_str())];
    of.extend(cli::find(agent).map(|cli| KeyValue::new("gen_ai.provider.name", cli.provider)));
    of.extend(model.map(|model| text("gen_ai.response.model", model)));
    of
}

/// What somebody else wrote, an agent or a config: secrets in it stay here.
fn text(name: &'static str, value: &str) -> KeyValue {
    KeyValue::new(name, masked(value))
}

/// Which trace a turn is part of: the one of the turn in which it was told, else one of its own. Kept only if somebody
/// collects traces, and only for turns that have not ended.
#[derive(Debug, Default)]
pub(crate) struct Traces {
    is_on: bool,
    open: Mutex<HashMap<TurnId, (TraceId, Option<SpanId>)>>,
}

/// More than ever wait at once. Beyond it, turns are in traces of their own.
const MOST_OPEN: usize = 100_000;

impl Traces {
    pub fn new(is_on: bool) -> Self {
        Self { is_on, open: Mutex::default() }
    }

    pub fn begin(&self, turn: &TurnId, within: Option<&TurnId>) {
        let (true, Some(within)) = (self.is_on, within) else { return };
        let mut open = self.open.lock().expect("nothing panics while it holds the traces");
        if open.len() < MOST_OPEN {
            let trace = open.get(within).map_or_else(|| own(within).0, |(trace, _)| *trace);
            open.insert(turn.clone(), (trace, Some(own(within).1)));
        }
    }

    fn end(&self, ended: &Ended<'_>, mut of: Vec<KeyValue>, duration: Duration) {
        if !self.is_on {
            return;
        }
        let (own_trace, span) = own(ended.turn);
        let known = self.open.lock().expect("nothing panics while it holds the traces").remove(ended.turn);
        let (trace, parent) = known.unwrap_or((own_trace, None));
        of.extend([
            text("gen_ai.conversation.id", ended.session),
            KeyValue::new("gen_ai.usage.input_tokens", i64::try_from(ended.outcome.usage.input_tokens).unwrap_or(0)),
            KeyValue::new("gen_ai.usage.output_tokens", i64::try_from(ended.outcome.usage.output_tokens).unwrap_or(0)),
            KeyValue::new("iris.turn.id", ended.turn.to_string()),
            text("iris.party", ended.party.as_str()),
        ]);
        let tracer = global::tracer(SCOPE);
        let now = UNIX_EPOCH + Duration::from_millis(u64::try_from(iris_store::wall_ms()).unwrap_or(0));
        let builder = tracer
            .span_builder(masked(&format!("invoke_agent {}", ended.team)))
            .with_kind(SpanKind::Internal)
            .with_start_time(now - duration)
            .with_attributes(of);
        let around = match parent {
            Some(parent) => {
                let parent = SpanContext::new(trace, parent, TraceFlags::SAMPLED, true, TraceState::default());
                Context::new().with_remote_span_context(parent)
            }
            None => Context::new(),
        };
        let mut begun = Ids { trace, span }.used_for(|| builder.start_with_context(&tracer, &around));
        use opentelemetry::trace::Span as _;
        if let Some(why) = ended.outcome.ending.explain() {
            begun.set_status(Status::error(masked(&why)));
        }
        begun.end_with_timestamp(now);
    }
}

/// A turn's id is 128 random bits: the trace it begins has the same, so that logs and traces are joined by it.
fn own(turn: &TurnId) -> (TraceId, SpanId) {
    let bytes = uuid::Uuid::parse_str(turn.as_str()).unwrap_or_else(|_| uuid::Uuid::new_v4()).into_bytes();
    let half = <[u8; 8]>::try_from(&bytes[8..]).expect("half of sixteen is eight");
    (TraceId::from_bytes(bytes), SpanId::from_bytes(half))
}

/// The names that the next span on this thread gets, for the generator of names.
#[derive(Clone, Copy, Debug)]
pub struct Ids {
    pub trace: TraceId,
    pub span: SpanId,
}

thread_local! {
    static NEXT: Cell<Option<Ids>> = const { Cell::new(None) };
}

impl Ids {
    pub fn next() -> Option<Self> {
        NEXT.get()
    }

    fn used_for<T>(self, begin: impl FnOnce() -> T) -> T {
        NEXT.set(Some(self));
        let begun = begin();
        NEXT.set(None);
        begun
    }
}

impl Engine {
    pub(crate) fn begin_trace(&self, turn: &TurnId, within: Option<&TurnId>) {
        self.inner.traces.begin(turn, within);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_models_were_used_is_said_where_it_is_known() {
        let team: TeamName = "alpha".parse().expect("a name");
        let provider = |agent| {
            let of = described(&team, agent, None);
            let found = of.iter().find(|one| one.key.as_str() == "gen_ai.provider.name");
            found.map(|one| one.value.to_string())
        };
        assert_eq!(provider(AgentKind::Claude).as_deref(), Some("anthropic"));
        assert_eq!(provider(AgentKind::Scripted), None);
    }
}
