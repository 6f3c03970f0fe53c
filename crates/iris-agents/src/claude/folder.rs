//! What of a project's folder Claude Code takes settings from: instructions, hooks, servers, skills.

use crate::launch::Brought;

pub(crate) const BROUGHT: Brought = Brought {
    here: &["CLAUDE.md", "CLAUDE.local.md", ".mcp.json", ".claude"],
    // Skills and agents may bring hooks of their own, and are found in the folders above as well.
    above: &["CLAUDE.md", "CLAUDE.local.md", ".mcp.json", ".claude/skills", ".claude/agents", ".claude/commands"],
};
