//! What is known of Claude Code without starting it: its versions, and how its login is recognised.

use std::path::PathBuf;

use super::command::{CONFIG_FOLDER, PROGRAM};
use crate::cli::{Cli, Login, Surroundings};

pub(crate) const CLI: Cli = Cli {
    program: PROGRAM,
    provider: "anthropic",
    // `xtask/src/claude.rs` fetches them.
    tried: &["2.1.197", "2.1.325"],
    install: "install Claude Code (`npm install -g @anthropic-ai/claude-code`)",
    update: "update it: `claude update`, or `npm install -g @anthropic-ai/claude-code`",
    log_in: "run `claude` and type /login, or set ANTHROPIC_API_KEY in the team's `env`",
    access: &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN"],
};

/// With one of these set, it needs no login of its own.
const KEYS: [&str; 3] = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"];
/// With one of these it goes to another provider. They are not passed on to it.
const ELSEWHERE: [&str; 2] = ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"];

/// What the team sets counts first.
pub(crate) fn find_login(around: &Surroundings<'_>) -> Login {
    let is_set = |name: &&'static str| around.env.contains_key(*name) || (around.inherited)(name).is_some();
    if let Some(key) = KEYS.into_iter().find(|name| is_set(name)) {
        return Login::Key(key);
    }
    if let Some(name) = ELSEWHERE.into_iter().find(|name| around.env.contains_key(*name)) {
        return Login::Elsewhere(name);
    }
    let inherited = || (around.inherited)(CONFIG_FOLDER).filter(|_| !around.has_own_home);
    let folder = around.env.get(CONFIG_FOLDER).cloned().or_else(inherited);
    let folder = folder.map_or_else(|| around.home.join(".claude"), PathBuf::from);
    let file = folder.join(".credentials.json");
    if file.is_file() { Login::File(file) } else { Login::None(file) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(env: &[(&str, &str)], inherited: &[&str], expected: &str) {
        check_in(false, env, inherited, expected);
    }

    fn check_in(has_own_home: bool, env: &[(&str, &str)], inherited: &[&str], expected: &str) {
        let home = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(home.path().join(".claude")).expect("a folder");
        std::fs::write(home.path().join(".claude/.credentials.json"), "").expect("written");
        let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let inherited = |name: &str| inherited.contains(&name).then(|| "/inherited".to_owned());
        let found = find_login(&Surroundings { env: &env, inherited: &inherited, home: home.path(), has_own_home });
        let found = format!("{found:?}").replace(&home.path().display().to_string(), "HOME");
        assert_eq!(found, expected);
    }

    #[test]
    fn a_key_goes_before_another_provider_and_that_before_a_file() {
        check(&[], &[], "File(\"HOME/.claude/.credentials.json\")");
        check(&[("CLAUDE_CODE_USE_VERTEX", "1")], &[], "Elsewhere(\"CLAUDE_CODE_USE_VERTEX\")");
        check(&[("CLAUDE_CODE_USE_VERTEX", "1")], &["ANTHROPIC_AUTH_TOKEN"], "Key(\"ANTHROPIC_AUTH_TOKEN\")");
        check(&[("ANTHROPIC_API_KEY", "k")], &[], "Key(\"ANTHROPIC_API_KEY\")");
        check(&[], &["CLAUDE_CONFIG_DIR"], "None(\"/inherited/.credentials.json\")");
        check(&[("CLAUDE_CONFIG_DIR", "/own")], &["CLAUDE_CONFIG_DIR"], "None(\"/own/.credentials.json\")");
        // What the user's own CLI uses is not used in a home of the team's.
        check_in(true, &[], &["CLAUDE_CONFIG_DIR"], "File(\"HOME/.claude/.credentials.json\")");
        check_in(true, &[("CLAUDE_CONFIG_DIR", "/own")], &[], "None(\"/own/.credentials.json\")");
        // Not passed on, so of no use in the daemon's own environment.
        check(&[], &["CLAUDE_CODE_USE_VERTEX"], "File(\"HOME/.claude/.credentials.json\")");
    }
}
