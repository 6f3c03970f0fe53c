//! The tools of Iris: what they are and what they do, once for all doors. Agents have them on their own pipe, other
//! clients over MCP. Who calls is known by the door, not by what is said through it.

mod answer;
mod call;
mod conversation;
mod later;
mod question;
mod read;
mod shorten;
mod spec;

use std::sync::{Arc, OnceLock};

use iris_core::agent::ToolSpec;

pub use answer::Refusal;
pub(crate) use call::without_speaker;
pub use call::{Caller, Told, call};
pub use shorten::{LONGEST, shorten};

/// The tool that asks a person. On an agent's pipe it is a question of the agent's, and not called here.
pub const ASK: &str = "ask_question";

/// What is given to agents on their pipe, with descriptions written for a model.
pub fn specs() -> Arc<[ToolSpec]> {
    static SPECS: OnceLock<Arc<[ToolSpec]>> = OnceLock::new();
    Arc::clone(SPECS.get_or_init(|| spec::for_agents().into_iter().chain([question::spec()]).collect()))
}

/// What other clients get: the same and more, and they may say for whom they speak and give a key to a tell.
pub fn specs_for_clients() -> &'static [ToolSpec] {
    static SPECS: OnceLock<Vec<ToolSpec>> = OnceLock::new();
    SPECS.get_or_init(|| {
        let own = spec::for_agents().into_iter().chain([spec::fork(), question::spec_for_clients()]);
        let own = own.map(spec::for_anybody);
        own.chain(later::specs().into_iter().map(spec::for_anybody)).collect()
    })
}

/// The tool of that name that clients have.
pub fn find(name: &str) -> Option<&'static ToolSpec> {
    specs_for_clients().iter().find(|spec| spec.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// Whatever is described is of one kind, or one of several that are each described: dialects that know no more than that
    /// take it too.
    fn check(tool: &str, path: &str, schema: &Value) {
        let kinds = schema["anyOf"].as_array();
        assert!(kinds.is_some() != schema["type"].is_string(), "{tool} {path}: {schema}");
        for (number, kind) in kinds.into_iter().flatten().enumerate() {
            check(tool, &format!("{path}/{number}"), kind);
        }
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            check(tool, &format!("{path}.{name}"), property);
        }
        if schema["type"] == "array" {
            check(tool, &format!("{path}[]"), &schema["items"]);
        }
    }

    #[test]
    fn every_client_can_read_what_a_tool_takes_and_answers() {
        for spec in specs().iter().chain(specs_for_clients()) {
            check(spec.name, "takes ", &spec.input);
            check(spec.name, "answers ", &spec.output);
        }
    }
}
