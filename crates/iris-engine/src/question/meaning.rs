//! What an action that is to be approved means. It is not kept with the question: the digest speaks for the bytes of the
//! input, so what people are told of them is read from these bytes each time.

use iris_agents::launch;
use iris_core::call::{Meaning, ToolNature};
use iris_core::team::TeamName;
use serde_json::value::RawValue;

use crate::engine::Engine;

impl Engine {
    /// `nature`: what is known of the tool. Of a team that is gone, nobody can say more than that.
    pub fn meaning_of(&self, team: &TeamName, nature: ToolNature, tool: &str, input: &RawValue) -> Meaning {
        let team = self.inner.team(team);
        team.map_or_else(|| nature.into(), |team| launch::meaning_of(team.agent, tool, input))
    }
}
