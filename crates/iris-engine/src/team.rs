//! Teams: which one a folder belongs to.

use std::path::Path;

use iris_core::team::TeamName;

use crate::engine::Engine;

impl Engine {
    /// The team in whose folder a folder is; the innermost, if one team's folder is in another's. Both are looked at as
    /// they really are, because a shell may have come there by a link.
    pub fn team_of(&self, folder: &Path) -> Option<TeamName> {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let folder = real(folder);
        let config = self.config();
        let teams = config.teams.iter().map(|(name, team)| (name, real(&team.path)));
        let around = teams.filter(|(_, path)| folder.starts_with(path));
        around.max_by_key(|(_, path)| path.components().count()).map(|(name, _)| name.clone())
    }
}
