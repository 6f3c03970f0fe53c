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
