//! From the engine's values to the shapes on the wire.

pub(crate) mod call;
pub(crate) mod question;

use iris_api::{event, session, team, turn};
use iris_core::agent::Usage;
use iris_core::event::Recorded;
use iris_core::id::SessionId;
use iris_core::message::Message;
use iris_core::said;
use iris_core::turn::Ending;
use iris_engine::trust::Trust;
use iris_engine::turn::figures::{OfSession, Slot, TurnFigures};
use iris_engine::turn::standing::Waits;
use iris_engine::turn::tell::{TellOutcome, TellReport};
use iris_engine::{Engine, SessionRow, SessionSeen, TurnRow};
use serde_json::Value;
use serde_json::value::RawValue;

/// What an agent does is said in a line.
const LONGEST_STEP: usize = 200;

/// With what the log says of it.
pub(crate) fn session_seen(engine: &Engine, row: &SessionRow, seen: &SessionSeen) -> session::Session {
    session::Session {
        state_source: seen.source.as_ref().map(state_source),
        last: seen.last.as_ref().map(last_said),
        scheduled: seen.scheduled,
        ..session(engine, row)
    }
}

fn state_source(event: &Recorded) -> session::StateSource {
    let body: Value = serde_json::from_str(&event.body).unwrap_or_default();
    let cause = ["why", "ending"].iter().find_map(|name| body[name].as_str());
    session::StateSource { seq: event.seq, kind: event.kind.to_string(), cause: cause.map(str::to_owned) }
}

fn last_said(event: &Recorded) -> session::LastSaid {
    let message = serde_json::from_str::<Message>(&event.body).ok();
    let text = message.as_ref().and_then(said::step).unwrap_or_default();
    let line = text.lines().next().unwrap_or_default();
    session::LastSaid {
        kind: message.map_or("unknown", |message| message.kind.as_str()).to_owned(),
        text: line.chars().take(LONGEST_STEP).collect(),
        at: event.at,
    }
}

pub(crate) fn session(engine: &Engine, row: &SessionRow) -> session::Session {
    session::Session {
        state_source: None,
        last: None,
        scheduled: 0,
        id: row.id.to_string(),
        from: row.from.to_string(),
        to: row.to.to_string(),
        state: row.shown(),
        state_event: row.state_seq,
        state_since: row.state_at,
        state_age_ms: row.state_age_ms,
        silent_ms: engine.silent_for_ms(&row.id).and_then(|silent| i64::try_from(silent).ok()),
        pid: row.pid,
        running: row.running.as_ref().map(ToString::to_string),
        queued: row.queued,
        waits_for: engine.waits_for(row).map(str::to_owned),
        turns: row.next_number - 1,
        background: row.background,
        fork_of: row.fork_of.as_ref().map(ToString::to_string),
        held_until: row.held_until,
        held_why: row.held_why.clone(),
        created_at: row.created_at,
        used_at: row.used_at,
    }
}

pub(crate) fn trust(found: Trust) -> team::Trust {
    team::Trust {
        folder: found.folder.display().to_string(),
        files: found.files.iter().map(|file| file.display().to_string()).collect(),
        digest: found.digest,
        trusted: found.trusted,
        changed: found.changed,
    }
}

pub(crate) fn turn(row: TurnRow, waits: Option<&Waits>) -> turn::Turn {
    let (error, reason) = match &row.ending {
        Some(ending) => (ending.explain(), ending.reason().map(str::to_owned)),
        None => (None, None),
    };
    turn::Turn {
        id: row.id.to_string(),
        session_id: row.session.to_string(),
        number: row.number,
        state: row.state.to_string(),
        message: row.body,
        attempts: row.attempts,
        accepted_at: row.accepted_at,
        started_at: row.started_at,
        finished_at: row.finished_at,
        duration_ms: row.duration_ms,
        position: match waits {
            Some(Waits::Turns { ahead }) => Some(*ahead),
            Some(Waits::Place) => Some(0),
            _ => None,
        },
        note: waits.map(ToString::to_string),
        response: row.response,
        error,
        reason,
        usage: row.usage.map(usage),
        origin: row.origin,
        cause: row.cause.map(|turn| turn.to_string()),
    }
}

pub(crate) fn turn_figures(since: i64, found: TurnFigures) -> turn::TurnFigures {
    let session = |(id, of): (SessionId, OfSession)| turn::SessionFigures {
        session: id.to_string(),
        team: of.team,
        ended: of.count.ended,
        bad: of.count.bad,
        cost_usd: of.count.cost_usd,
        spent_usd: of.spent_usd,
        last: of.last.map(|last| turn::TurnEnd {
            turn: last.turn.to_string(),
            at: last.at,
            ending: last.ending.state().to_string(),
            error: last.ending.explain(),
            reason: last.ending.reason().map(str::to_owned),
        }),
    };
    let slot = |slot: &Slot| turn::TurnSlot {
        at: slot.at,
        ended: slot.count.ended,
        bad: slot.count.bad,
        cost_usd: slot.count.cost_usd,
        median_ms: slot.median_ms,
        slow_ms: slot.slow_ms,
    };
    turn::TurnFigures {
        since,
        event: found.event,
        ended: found.total.ended,
        bad: found.total.bad,
        cost_usd: found.total.cost_usd,
        median_ms: found.median_ms,
        longest_ms: found.longest_ms,
        sessions: found.sessions.into_iter().map(session).collect(),
        slots: found.slots.iter().map(slot).collect(),
    }
}

pub(crate) fn message(event: &Recorded) -> turn::Message {
    let known = serde_json::from_str::<Message>(&event.body)
        .unwrap_or_else(|_| Message { data: RawValue::from_string(event.body.to_string()).ok(), ..Message::unknown() });
    turn::Message {
        seq: event.seq,
        at: event.at,
        kind: known.kind.as_str().to_owned(),
        text: known.text,
        parent: known.parent,
        calls: known.calls.into_iter().map(call::call).collect(),
        results: known.results.into_iter().map(call::result).collect(),
        noise: known.noise,
        aside: known.aside,
        model: known.model,
        data: known.data,
    }
}

pub(crate) fn event(event: &Recorded) -> event::Event {
    let data = RawValue::from_string(event.body.to_string());
    event::Event {
        seq: event.seq,
        at: event.at,
        kind: event.kind.to_string(),
        team: event.subject.team.as_ref().map(ToString::to_string),
        session: event.subject.session.as_ref().map(ToString::to_string),
        turn: event.subject.turn.as_ref().map(ToString::to_string),
        data: data.unwrap_or_else(|_| RawValue::from_string("null".to_owned()).expect("null is JSON")),
    }
}

pub(crate) fn tell(report: TellReport) -> turn::TellResponse {
    let mut response = turn::TellResponse {
        status: String::new(),
        from: report.from.to_string(),
        to: report.to.to_string(),
        session_id: report.session.to_string(),
        turn_id: report.turn.to_string(),
        seq: report.seq,
        position: report.position,
        response: None,
        partial_response: None,
        note: None,
        raw_messages: None,
        duration_ms: 0,
        usage: None,
        error: None,
        reason: None,
        exit_code: None,
        signal: None,
        stderr: None,
    };
    match report.outcome {
        TellOutcome::Accepted => response.status = "async".to_owned(),
        TellOutcome::OutOfPatience { standing, messages, waited_ms } => {
            response.duration_ms = waited_ms;
            response.status = "mcp_timeout".to_owned();
            response.position = standing.ahead();
            response.note = standing.waits.as_ref().map(ToString::to_string);
            response.partial_response = Some(standing.text);
            response.raw_messages = Some(messages.iter().map(message).collect());
        }
        TellOutcome::Ended { ending, response: said, usage: cost, duration_ms } => {
            response.status = ending.state().to_string();
            response.error = ending.explain();
            response.reason = ending.reason().map(str::to_owned);
            response.duration_ms = duration_ms;
            response.usage = Some(usage(cost));
            // What a turn that did not complete had said is part of an answer, and is called so.
            match ending {
                Ending::Completed => response.response = Some(said),
                _ => response.partial_response = Some(said),
            }
            if let Some(exit) = ending.into_exit() {
                response.exit_code = exit.code;
                response.signal = exit.signal;
                response.stderr = Some(exit.stderr).filter(|tail| !tail.is_empty());
            }
        }
    }
    response
}

fn usage(usage: Usage) -> turn::Usage {
    turn::Usage {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cache_read_tokens: usage.cache_read_tokens,
        cache_write_tokens: usage.cache_write_tokens,
        cost_usd: usage.cost_usd,
        model: usage.model,
        incomplete: usage.incomplete,
    }
}
