//! Reading a conversation: what was said last, or all of it, page by page and no more at once than a model can take.

use iris_core::team::TeamName;
use iris_core::turn::Ending;
use iris_store::turn::TurnRow;
use serde::Deserialize;
use serde_json::{Value, json};

use super::call::{Answer, Caller, failed, own_session, parse};
use super::shorten::{LONGEST, shorten};
use crate::engine::Engine;
use crate::turn::read::{Most, Side};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadArguments {
    team: String,
    after: Option<i64>,
    before: Option<i64>,
    limit: Option<i64>,
}

const DEFAULT_TURNS: i64 = 20;
pub(super) const MOST_TURNS: i64 = 100;
/// Of one answer.
const MOST_BYTES: usize = 256 * 1024;
/// What somebody asks for by itself may be longer.
const LONGEST_REPORT: usize = 1024 * 1024;

pub(super) async fn report(engine: &Engine, caller: &Caller, team: &TeamName) -> Answer {
    let session = own_session(engine, caller, team).await?;
    let last = engine.list_turns(&session.id, session.next_number - 2, 1).await.map_err(failed)?;
    let turn = last.first().map(|turn| describe(turn, LONGEST_REPORT));
    Ok(json!({ "team": team, "state": session.shown(), "queued": session.queued, "lastTurn": turn }))
}

pub(super) async fn read(engine: &Engine, caller: &Caller, arguments: ReadArguments) -> Answer {
    let team = parse(&arguments.team)?;
    let limit = arguments.limit.unwrap_or(DEFAULT_TURNS);
    if !(1..=MOST_TURNS).contains(&limit) {
        return Err(format!("team_cache_read: `limit` is 1 to {MOST_TURNS}, not {limit}; `next` leads on").into());
    }
    let side = match (arguments.after, arguments.before) {
        (Some(_), Some(_)) => {
            return Err("team_cache_read: give `after` or `before`, not both".to_owned().into());
        }
        (Some(after), None) => Side::After(after),
        (None, before) => Side::Before(before.unwrap_or(i64::MAX)),
    };
    let session = own_session(engine, caller, &team).await?;
    let most = Most { rows: limit, bytes: MOST_BYTES, each: LONGEST };
    let found = engine.some_turns(&session.id, side, most).await.map_err(failed)?;
    let edge = match side {
        Side::After(_) => found.rows.last(),
        Side::Before(_) => found.rows.first(),
    };
    let next = edge.filter(|_| found.has_more).map(|row| row.number);
    let turns: Vec<_> = found.rows.iter().map(|row| describe(row, LONGEST)).collect();
    Ok(json!({ "team": team, "sessionId": session.id, "total": found.total, "turns": turns, "next": next }))
}

fn describe(row: &TurnRow, longest: usize) -> Value {
    let whole = format!("`iris cache inspect {0}`, or GET /api/turns/{0} has all of it", row.id);
    let shown = |text: &str| shorten(text, longest, &whole).unwrap_or_else(|| text.to_owned());
    json!({
        "number": row.number,
        "turnId": row.id,
        "state": row.state,
        "message": shown(&row.body),
        "response": row.response.as_deref().map(shown),
        "error": row.ending.as_ref().and_then(Ending::explain),
        "reason": row.ending.as_ref().and_then(Ending::reason),
        "usage": row.usage,
    })
}
