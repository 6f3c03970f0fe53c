//! The real Claude Code CLI.
