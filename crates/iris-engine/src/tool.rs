//! The tools that Iris gives its agents, on their own pipe. Who calls is known by the pipe, not by what is said on it.

mod call;

use std::sync::{Arc, OnceLock};

use iris_core::agent::ToolSpec;
use serde_json::{Value, json};

pub(crate) use call::{Caller, call};

/// The tool by which an agent asks a person.
pub const ASK: &str = "ask_question";

/// All of them, with descriptions written for a model.
pub fn specs() -> Arc<[ToolSpec]> {
    static SPECS: OnceLock<Arc<[ToolSpec]>> = OnceLock::new();
    Arc::clone(SPECS.get_or_init(|| {
        Arc::new([
            ToolSpec {
                name: "team_tell",
                description: "Send a message to another team's agent and get its answer. By default waits for the \
                              answer up to 30 seconds and then returns what there is so far. timeout 0 waits until \
                              the end, -1 does not wait at all. The other team keeps the conversation: say only what \
                              is new.",
                input: object(
                    &["toTeam", "message"],
                    json!({
                        "toTeam": text("The team to tell; see team_teams."),
                        "message": text("What to say to it."),
                        "timeout": { "type": "integer", "minimum": -1,
                                     "description": "Milliseconds to wait; 0 until the end, -1 not at all." },
                    }),
                ),
            },
            ToolSpec {
                name: ASK,
                description: "Ask the person you work for. Use it when you need information or a decision to go on, or \
                              want to know a preference; not for what you can find out yourself. The types blocking, \
                              choice, approval and error_recovery wait for the answer, however long it takes; \
                              clarifying (or non_blocking), confirming, preference, educational and celebratory \
                              return at once, and you go on with your default. One sentence, and options where there \
                              are some.",
                input: object(
                    &["question", "type"],
                    json!({
                        "question": text("The question, in one sentence."),
                        "type": { "type": "string", "enum": ["blocking", "non_blocking", "clarifying", "confirming",
                                  "educational", "celebratory", "preference", "approval", "choice", "error_recovery"] },
                        "responseType": { "type": "string", "enum": ["text", "choice", "boolean", "approval"] },
                        "options": { "type": "array", "maxItems": 50, "items": { "type": "object", "properties": {
                            "label": text("What the person sees."),
                            "value": text("What you get; the label if left out."),
                            "description": text("What it would mean."),
                            "recommended": { "type": "boolean" },
                        }, "required": ["label"] } },
                        "context": { "description": "Why you ask: what the person needs to know to decide." },
                        "timeoutMinutes": { "type": "number", "minimum": 5, "maximum": 1440,
                                            "description": "How long somebody has to answer." },
                        "defaultResponse": { "description": "What holds if nobody answers in time." },
                        "onDeadline": { "type": "string", "enum": ["default", "fail", "wait"] },
                        "allowFreeText": { "type": "boolean",
                                           "description": "Take words of the person's own beside the options." },
                        "key": text("The same key never asks twice."),
                    }),
                ),
            },
            ToolSpec {
                name: "team_teams",
                description: "List the teams you can talk to, with what they are for and whether they are awake.",
                input: object(&[], json!({})),
            },
            ToolSpec { name: "team_getTeamName", description: "Your own team's name.", input: object(&[], json!({})) },
            ToolSpec {
                name: "team_wake",
                description: "Start another team's agent before you need it, so that it answers faster.",
                input: team(),
            },
            ToolSpec {
                name: "team_wake_all",
                description: "Start the agents of all other teams.",
                input: object(&[], json!({})),
            },
            ToolSpec {
                name: "team_isAwake",
                description: "Whether another team's agent is running for you, and what it is doing.",
                input: team(),
            },
            ToolSpec {
                name: "team_sleep",
                description: "End the agent that serves you in another team, if it is idle. The conversation is kept.",
                input: team(),
            },
            ToolSpec {
                name: "team_cancel",
                description: "Break off what another team is doing for you.",
                input: team(),
            },
            ToolSpec {
                name: "team_report",
                description: "What another team said to your last tell, also when you did not wait for it, and \
                              whether it is done.",
                input: team(),
            },
            ToolSpec {
                name: "team_cache_read",
                description: "Read the whole conversation you had with another team, turn by turn.",
                input: object(
                    &["team"],
                    json!({
                        "team": text("The other team."),
                        "after": { "type": "integer", "description": "Only turns after this number." },
                        "limit": { "type": "integer", "minimum": 1, "maximum": 100,
                                   "description": "At most this many turns; 20 if not said." },
                    }),
                ),
            },
            ToolSpec {
                name: "team_cache_clear",
                description: "Forget the recorded turns of your conversation with another team. Its agent still \
                              remembers.",
                input: team(),
            },
        ])
    }))
}

fn team() -> Value {
    object(&["team"], json!({ "team": text("The other team; see team_teams.") }))
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn object(required: &[&str], properties: Value) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}
