//! What of a project's folder Claude Code takes settings from: instructions, hooks, servers, skills.

use crate::launch::Brought;

pub(crate) const BROUGHT: Brought = Brought {
    here: &["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", ".mcp.json", ".claude"],
    // Skills and agents may bring hooks of their own, and are found in the folders above as well. Of a checkout, the local
    // settings at its root are read wherever in it the agent works.
    above: &[
        "CLAUDE.md",
        "CLAUDE.local.md",
        "AGENTS.md",
        ".mcp.json",
        ".claude/CLAUDE.md",
        ".claude/rules",
        ".claude/workflows",
        ".claude/output-styles",
        ".claude/skills",
        ".claude/agents",
        ".claude/commands",
        LOCAL_SETTINGS,
    ],
    // In a linked worktree.
    main: &[
        ".claude/workflows",
        ".claude/output-styles",
        ".claude/skills",
        ".claude/agents",
        ".claude/commands",
        LOCAL_SETTINGS,
    ],
};

const LOCAL_SETTINGS: &str = ".claude/settings.local.json";
