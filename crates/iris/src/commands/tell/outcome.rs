//! How a turn ended, in words and as an exit code.

use iris_api::event::Event;
use iris_api::turn::Turn;
use iris_core::event::TurnFinished;

use crate::exit::Exit;
use crate::failure::{Failure, Why};

/// The exit code of a tell's status, as the API has it.
pub fn exit(status: &str) -> Exit {
    match status {
        "completed" | "async" | "mcp_timeout" => Exit::Done,
        _ => Exit::TurnNotCompleted,
    }
}

/// How a turn came to its end.
pub struct Ended {
    pub state: String,
    error: Option<String>,
    reason: Option<String>,
    pub duration_ms: i64,
    pub cost_usd: f64,
}

impl Ended {
    pub fn of(turn: &Turn) -> Self {
        Self {
            state: turn.state.clone(),
            error: turn.error.clone(),
            reason: turn.reason.clone(),
            duration_ms: turn.duration_ms.unwrap_or(0),
            cost_usd: turn.usage.as_ref().map_or(0.0, |usage| usage.cost_usd),
        }
    }

    /// As the event says that tells of it.
    pub fn by(event: &Event) -> Option<Self> {
        let TurnFinished { ending, duration_ms, cost_usd } = serde_json::from_str(event.data.get()).ok()?;
        Some(Self {
            state: ending.state().to_string(),
            error: ending.explain(),
            reason: ending.reason().map(str::to_owned),
            duration_ms,
            cost_usd,
        })
    }
}

/// There is nothing to read later, and nothing to go on with.
pub fn deleted(team: &str) -> Failure {
    Failure::new(Why::TurnNotCompleted, format!("the conversation with {team} was deleted, and this turn with it"))
}

/// Why a turn that is over did not complete, and what to do about it.
pub fn failure(ended: &Ended, turn: &str, team: &str) -> Failure {
    let error = ended.error.as_deref().unwrap_or("no reason was given");
    let message = match ended.state.as_str() {
        "cancelled" => format!("the turn of {team} was {error}"),
        state => format!("the turn of {team} {}: {error}", if state == "failed" { "failed" } else { "was terminated" }),
    };
    let hint = match (ended.state.as_str(), ended.reason.as_deref()) {
        (_, Some("not_started")) => match find_place(error) {
            Some(file) => format!("correct the script there: {file}"),
            None => {
                format!("check the team in config.yaml: `iris teams show {team}`; `iris doctor` looks at all of them")
            }
        },
        (_, Some("response_timeout")) => {
            format!("if it needs longer, raise responseTimeout of {team} in config.yaml; tell it again to go on")
        }
        (_, Some("interrupted")) => {
            format!("see how far it came: `iris cache inspect {turn}`; tell it again to go on")
        }
        ("cancelled", _) => "the conversation is kept; tell it again to go on".to_owned(),
        // What helps was said with the error, in brackets, and may be something else.
        _ if error.ends_with(']') => format!("see what it did: `iris cache inspect {turn}`"),
        _ => format!("see what it did: `iris cache inspect {turn}`; tell it again to go on"),
    };
    Failure::new(Why::TurnNotCompleted, message).hint(hint)
}

/// The file of a place such as `/a/script.yaml:3:7:` that an agent names when it cannot start.
fn find_place(error: &str) -> Option<&str> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    error.split_whitespace().filter(|word| word.starts_with('/')).find_map(|word| {
        let (rest, column) = word.strip_suffix(':')?.rsplit_once(':')?;
        let (file, line) = rest.rsplit_once(':')?;
        (is_number(line) && is_number(column)).then_some(file)
    })
}
