//! The names that the tools had in later versions of Iris MCP, for who is used to them. Each does what one of ours does.

use iris_core::agent::{ToolEffect, ToolSpec};
use serde_json::{Value, json};

use super::answer;
use super::spec::{object, tell_arguments, text};

pub(super) fn specs() -> Vec<ToolSpec> {
    let mut specs = vec![
        tell(
            "send_message",
            "Send a message",
            "The same as team_tell: send a message to another team's agent and get its answer, after 30 seconds what \
             there is so far.",
            tell_arguments(),
        ),
        tell(
            "ask_message",
            "Ask and wait",
            "Send a message to another team's agent and wait until it has answered, however long that takes. The same \
             as team_tell with timeout 0.",
            message_arguments(),
        ),
        tell(
            "quick_message",
            "Send and go on",
            "Send a message to another team's agent and do not wait. The same as team_tell with timeout -1; \
             session_report says what came of it.",
            message_arguments(),
        ),
        ToolSpec {
            name: "list_teams",
            title: "List teams",
            description: "The same as team_teams: the teams you can talk to.",
            input: object(&[], json!({})),
            output: answer::teams(),
            effect: ToolEffect::Reads,
        },
        ToolSpec {
            name: "team_status",
            title: "Status of teams",
            description: "Whether the agents of a team, or of all teams, run for you, what they are doing and how much \
                          waits.",
            input: object(&[], json!({ "team": text("Only this team.") })),
            output: answer::status(),
            effect: ToolEffect::Reads,
        },
    ];
    specs.extend(sessions());
    specs
}

fn sessions() -> [ToolSpec; 5] {
    [
        ToolSpec {
            name: "session_report",
            title: "Report of a session",
            description: "The same as team_report: what a team said to your last message and whether it is done.",
            input: to_team(),
            output: answer::report(),
            effect: ToolEffect::Reads,
        },
        ToolSpec {
            name: "session_cancel",
            title: "Cancel a session's work",
            description: "The same as team_cancel: break off what a team is doing for you.",
            input: to_team(),
            output: answer::cancel(),
            effect: ToolEffect::Destroys,
        },
        ToolSpec {
            name: "session_fork",
            title: "Copy a session",
            description: "The same as team_fork: a second conversation with a team that begins with everything said in \
                          yours.",
            input: object(
                &["toTeam"],
                json!({ "toTeam": text("The team; see list_teams."), "as": text("The name of the copy.") }),
            ),
            output: answer::fork(),
            effect: ToolEffect::Makes,
        },
        ToolSpec {
            name: "session_reboot",
            title: "Begin a session anew",
            description: "End your conversation with a team, forget it, and start its agent with a new and empty one.",
            input: to_team(),
            output: answer::reboot(),
            effect: ToolEffect::Destroys,
        },
        ToolSpec {
            name: "session_delete",
            title: "Delete a session",
            description: "End your conversation with a team and forget it. The next message begins a new one.",
            input: to_team(),
            output: answer::delete(),
            effect: ToolEffect::Destroys,
        },
    ]
}

fn tell(name: &'static str, title: &'static str, description: &'static str, arguments: Value) -> ToolSpec {
    let input = object(&["toTeam", "message"], arguments);
    ToolSpec { name, title, description, input, output: answer::tell(), effect: ToolEffect::Tells }
}

fn message_arguments() -> Value {
    json!({ "toTeam": text("The team; see list_teams."), "message": text("What to say to it.") })
}

fn to_team() -> Value {
    object(&["toTeam"], json!({ "toTeam": text("The team; see list_teams.") }))
}
