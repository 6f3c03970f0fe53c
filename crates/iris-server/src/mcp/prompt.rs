//! Prompts for what people commonly want of Iris, and names completed while they are typed.

use iris_core::team::TeamName;
use rmcp::ErrorData;
use rmcp::model::{
    CompleteRequestParams, CompleteResult, CompletionInfo, GetPromptRequestParams, GetPromptResult, Prompt,
    PromptArgument, PromptMessage, Role,
};

use super::resource;
use crate::App;

pub(super) fn all() -> Vec<Prompt> {
    let argument =
        |name: &str, description: &str| PromptArgument::new(name).with_description(description).with_required(true);
    let team = || argument("team", "The team");
    vec![
        Prompt::new(
            "ask_team",
            Some("Ask another team something and use its answer"),
            Some(vec![team(), argument("question", "What you want to know")]),
        )
        .with_title("Ask another team"),
        Prompt::new(
            "hand_over",
            Some("Hand work over to another team and see it through"),
            Some(vec![team(), argument("work", "What it is to do")]),
        )
        .with_title("Hand over work"),
        Prompt::new("what_is_everyone_doing", Some("What all teams are doing now, in a few lines"), None)
            .with_title("What is everyone doing?"),
    ]
}

pub(super) async fn write(app: &App, request: GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    let given = request.arguments.unwrap_or_default();
    let text = |name: &str| {
        let text = given.get(name).and_then(|value| value.as_str()).map(str::trim).filter(|text| !text.is_empty());
        text.ok_or_else(|| ErrorData::invalid_params(format!("the prompt {} needs {name}", request.name), None))
    };
    let said = match request.name.as_str() {
        "ask_team" => ask(&known(app, text("team")?)?, text("question")?),
        "hand_over" => hand_over(&known(app, text("team")?)?, text("work")?),
        "what_is_everyone_doing" => everyone(app).await?,
        other => return Err(ErrorData::invalid_params(format!("Iris has no prompt '{other}'"), None)),
    };
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, said)]))
}

fn ask(team: &TeamName, question: &str) -> String {
    format!(
        "Ask the team {team} with the tool team_tell (toTeam \"{team}\", timeout 0) and wait for its answer:\n\n\
         {question}\n\nTell it what it needs to know of our side, and nothing else. Then go on with what it answers; if \
         it is not clear, ask again in the same conversation."
    )
}

fn hand_over(team: &TeamName, work: &str) -> String {
    format!(
        "Hand this work over to the team {team} with the tool team_tell (toTeam \"{team}\", timeout 0):\n\n{work}\n\n\
         Say what is to be done and why, what is done already, which files and interfaces are concerned, and how it will \
         know that it is finished. Wait until it is done, check what it says against what was asked, and report to me \
         what was done and what is open."
    )
}

async fn everyone(app: &App) -> Result<String, ErrorData> {
    let teams = resource::all_teams(app).await?;
    Ok(format!(
        "This is the state of all teams just now, from Iris:\n\n```json\n{teams:#}\n```\n\nSay in a few lines what each \
         team is doing, which ones wait for something, and which ones are asleep. Use team_report for what a team said \
         last, and only if it matters."
    ))
}

fn known(app: &App, name: &str) -> Result<TeamName, ErrorData> {
    let config = app.engine.config();
    let team = config.teams.keys().find(|team| team.as_str() == name);
    team.cloned().ok_or_else(|| {
        let all: Vec<_> = config.teams.keys().map(TeamName::as_str).collect();
        ErrorData::invalid_params(format!("there is no team '{name}'; known teams: {}", all.join(", ")), None)
    })
}

/// Only names of teams can be completed: `team` of the prompts, `name` of the template.
pub(super) fn complete(app: &App, request: &CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
    let argument = &request.argument;
    let config = app.engine.config();
    let teams = config.teams.keys().map(ToString::to_string);
    let fitting: Vec<_> = match argument.name.as_str() {
        "team" | "name" => teams.filter(|team| team.starts_with(&argument.value)).take(100).collect(),
        _ => Vec::new(),
    };
    let completion = CompletionInfo::new(fitting).map_err(|error| ErrorData::internal_error(error, None))?;
    Ok(CompleteResult::new(completion))
}
