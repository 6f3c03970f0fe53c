//! What there is now, printed once: for scripts, and where there is no terminal to draw on.

use iris_api::question::Question;
use iris_api::session::Session;
use iris_api::status::Status;
use iris_api::team::Team;
use ratatui::layout::Size;
use ratatui::text::Line;
use serde::Serialize;

use super::state::State;
use super::wish::Wish;
use super::{draw, read, watch};
use crate::commands::Context;
use crate::exit::Exit;
use crate::failure::Failure;

/// The width of a page that nobody has measured.
const WIDTH: u16 = 120;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Now<'a> {
    status: &'a Option<Status>,
    teams: &'a [Team],
    sessions: Vec<&'a Session>,
    questions: &'a [Question],
}

pub async fn print(context: &mut Context) -> Result<Exit, Failure> {
    let client = context.client();
    let width = context.printer.width().and_then(|width| u16::try_from(width).ok()).unwrap_or(WIDTH);
    let (mut state, _) = watch::meet(&client, Size::new(width, 24)).await?;
    for wanted in State::everything() {
        let wishes = state.got(&wanted, read::read(&client, &wanted).await?);
        // What a session was told last; a session that has gone meanwhile is no trouble.
        for next in wishes.into_iter().filter_map(Wish::into_read) {
            if let Ok(got) = read::read(&client, &next).await {
                state.got(&next, got);
            }
        }
    }
    let printer = &mut context.printer;
    if printer.is_json() {
        let mut sessions: Vec<&Session> = state.fleet.sessions.values().map(|known| &known.session).collect();
        sessions.sort_by(|one, other| one.id.cmp(&other.id));
        let (status, teams, questions) = (&state.status, state.fleet.teams.as_slice(), &state.inbox.questions);
        printer.json(&Now { status, teams, sessions, questions })?;
        return Ok(Exit::Done);
    }
    for line in lines(&state, usize::from(width)) {
        printer.line(line)?;
    }
    Ok(Exit::Done)
}

/// The fleet, then the inbox with every question whole.
fn lines(state: &State, width: usize) -> Vec<String> {
    let mut lines = draw::fleet::all(state, width);
    lines.push(Line::default());
    lines.push(draw::inbox::counts(state, width));
    for question in &state.inbox.questions {
        lines.push(Line::default());
        lines.push(Line::raw(format!("question {}", question.id)));
        lines.extend(draw::inbox::lines(question, state, width));
    }
    lines.iter().map(|line| line.to_string().trim_end().to_owned()).collect()
}
