//! What the tools are called, what they take and what they answer.

use iris_core::agent::{ToolEffect, ToolSpec};
use serde_json::{Value, json};

use super::answer;
use super::read::MOST_TURNS;

/// The tools that agents have.
pub(super) fn for_agents() -> Vec<ToolSpec> {
    vec![
        ToolSpec {
            name: "team_tell",
            title: "Tell a team",
            description: "Send a message to another team's agent and get its answer. By default waits for the answer \
                          up to 30 seconds and then returns what there is so far. timeout 0 waits until the end, -1 \
                          does not wait at all. The other team keeps the conversation: say only what is new.",
            input: object(&["toTeam", "message"], tell_arguments()),
            output: answer::tell(),
            effect: ToolEffect::Tells,
        },
        ToolSpec {
            name: "team_teams",
            title: "List teams",
            description: "List the teams you can talk to, with what they are for and whether they are awake.",
            input: object(&[], json!({})),
            output: answer::teams(),
            effect: ToolEffect::Reads,
        },
        ToolSpec {
            name: "team_getTeamName",
            title: "My team",
            description: "Your own team's name, or the team that a folder belongs to.",
            input: object(&[], json!({ "pwd": text("A folder, absolute. Without it: who you are.") })),
            output: answer::name(),
            effect: ToolEffect::Reads,
        },
        ToolSpec {
            name: "team_wake",
            title: "Wake a team",
            description: "Start another team's agent before you need it, so that it answers faster.",
            input: team(),
            output: answer::wake(),
            effect: ToolEffect::Settles,
        },
        ToolSpec {
            name: "team_wake_all",
            title: "Wake all teams",
            description: "Start the agents of all other teams.",
            input: object(&[], json!({})),
            output: answer::wake_all(),
            effect: ToolEffect::Settles,
        },
        ToolSpec {
            name: "team_isAwake",
            title: "Is a team awake?",
            description: "Whether another team's agent is running for you, and what it is doing.",
            input: team(),
            output: answer::is_awake(),
            effect: ToolEffect::Reads,
        },
        ToolSpec {
            name: "team_sleep",
            title: "Put a team to sleep",
            description: "End the agent that serves you in another team, if it is idle. The conversation is kept. With \
                          force also one that is at work, whose turn is then lost.",
            input: object(
                &["team"],
                json!({
                    "team": text("The other team; see team_teams."),
                    "force": { "type": "boolean", "description": "End it though it is at work." },
                }),
            ),
            output: answer::sleep(),
            effect: ToolEffect::Destroys,
        },
        ToolSpec {
            name: "team_cancel",
            title: "Cancel a team's work",
            description: "Break off what another team is doing for you, and withdraw what waits.",
            input: team(),
            output: answer::cancel(),
            effect: ToolEffect::Destroys,
        },
        ToolSpec {
            name: "team_report",
            title: "Ask for a report",
            description: "What another team said to your last tell, also when you did not wait for it, and whether it \
                          is done.",
            input: team(),
            output: answer::report(),
            effect: ToolEffect::Reads,
        },
        ToolSpec {
            name: "team_cache_read",
            title: "Read a conversation",
            description: "Read the conversation you had with another team, turn by turn: the newest turns, oldest of them \
                          first. `total` says how many there are, and `next` leads to those before. Very long texts \
                          are shortened, and say where all of it is.",
            input: object(
                &["team"],
                json!({
                    "team": text("The other team."),
                    "before": { "type": "integer", "description": "The turns before this number." },
                    "after": { "type": "integer", "description": "The turns after this number instead." },
                    "limit": { "type": "integer", "minimum": 1, "maximum": MOST_TURNS,
                               "description": "At most this many turns; 20 if not said." },
                }),
            ),
            output: answer::read(),
            effect: ToolEffect::Reads,
        },
        ToolSpec {
            name: "team_cache_clear",
            title: "Forget a conversation's record",
            description: "Forget the recorded turns of your conversation with another team. Its agent still remembers.",
            input: team(),
            output: answer::clear(),
            effect: ToolEffect::Destroys,
        },
    ]
}

/// Not for agents: with it they could make as many conversations as they like.
pub(super) fn fork() -> ToolSpec {
    ToolSpec {
        name: "team_fork",
        title: "Copy a conversation",
        description: "Make a second conversation with a team that begins with everything said in yours so far. Yours \
                      goes on unchanged. Speak in the copy by giving its name as fromTeam.",
        input: object(
            &["team"],
            json!({
                "team": text("The other team; see team_teams."),
                "as": text("The name of the copy; yours with a number behind it if not said."),
            }),
        ),
        output: answer::fork(),
        effect: ToolEffect::Makes,
    }
}

/// The same for clients that may say for whom they speak and whose calls may come twice.
pub(super) fn for_anybody(mut spec: ToolSpec) -> ToolSpec {
    let properties = &mut spec.input["properties"];
    properties["fromTeam"] = text(
        "Whose conversation is meant: a team or any other name. Yours if not said. Counts only \
                                   for people's credentials.",
    );
    if spec.effect == ToolEffect::Tells {
        properties["key"] = text(
            "A name for this tell that you use once. Sent again with the same key, the tell is \
                                  found and not made a second time.",
        );
    }
    spec
}

pub(super) fn tell_arguments() -> Value {
    json!({
        "toTeam": text("The team to tell; see team_teams."),
        "message": text("What to say to it."),
        "timeout": { "type": "integer", "minimum": -1,
                     "description": "Milliseconds to wait; 0 until the end, -1 not at all." },
        "delay": { "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "string" }],
                   "description": "Tell it only after this time: milliseconds, or a text such as 30m. Best with timeout \
                                   -1." },
    })
}

fn team() -> Value {
    object(&["team"], json!({ "team": text("The other team; see team_teams.") }))
}

pub(super) fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

pub(super) fn object(required: &[&str], properties: Value) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}
