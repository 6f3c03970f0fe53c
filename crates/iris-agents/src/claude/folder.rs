//! What of a project's folder Claude Code takes settings from: instructions, hooks, servers, skills.

use crate::launch::Brought;

pub(crate) const BROUGHT: Brought = Brought {
    here: &["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", ".mcp.json", ".claude"],
    above: &["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", ".mcp.json", ".claude/CLAUDE.md", ".claude/rules"],
    // Skills and agents may bring hooks of their own. Of a checkout, the local settings at its root are read wherever in it
    // the agent works.
    main: &[
        ".claude/workflows",
        ".claude/output-styles",
        ".claude/skills",
        ".claude/agents",
        ".claude/commands",
        ".claude/settings.local.json",
    ],
    copies: Some(".claude/worktrees"),
    notes: &[".claude/agent-memory", ".claude/agent-memory-local"],
};
