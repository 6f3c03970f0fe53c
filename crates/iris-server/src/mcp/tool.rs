//! The tools as the protocol has them. What they are and do is the engine's.

use std::sync::{Arc, OnceLock};

use iris_core::agent::{ToolEffect, ToolSpec};
use iris_engine::tool;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

pub(super) fn all() -> &'static [Tool] {
    static TOOLS: OnceLock<Vec<Tool>> = OnceLock::new();
    TOOLS.get_or_init(|| tool::specs_for_clients().iter().map(describe).collect())
}

pub(super) fn find(name: &str) -> Option<&'static Tool> {
    all().iter().find(|tool| tool.name == name)
}

fn describe(spec: &ToolSpec) -> Tool {
    let mut tool = Tool::new(spec.name, spec.description, schema(&spec.input));
    tool.title = Some(spec.title.to_owned());
    tool.output_schema = Some(schema(&spec.output));
    tool.annotations = Some(annotations(spec.effect));
    tool
}

fn schema(schema: &Value) -> Arc<JsonObject> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

fn annotations(effect: ToolEffect) -> ToolAnnotations {
    let (reads, destroys, twice_is_once, anything) = match effect {
        ToolEffect::Reads => (true, false, true, false),
        ToolEffect::Settles => (false, false, true, false),
        ToolEffect::Makes => (false, false, false, false),
        // What the other agent does in its folder may well be destructive.
        ToolEffect::Tells => (false, true, false, true),
        ToolEffect::Destroys => (false, true, true, false),
    };
    ToolAnnotations::new().read_only(reads).destructive(destroys).idempotent(twice_is_once).open_world(anything)
}
