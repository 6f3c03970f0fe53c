//! The real Claude Code CLI that `cargo xtask` fetches, run with nothing of the developer's.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The newest version that we test with; `None`, and a word about it, where there is none.
pub fn binary() -> Option<PathBuf> {
    find("IRIS_TEST_CLAUDE")
}

/// Every version that we test with, the newest first.
pub fn binaries() -> Vec<(String, PathBuf)> {
    let found = ["IRIS_TEST_CLAUDE", "IRIS_TEST_CLAUDE_OLD"].into_iter().filter_map(find);
    found.map(|program| (version(&program), program)).collect()
}

/// What every CLI of a test has in its environment: a home of its own, a made-up key, the scripted model, and no other
/// traffic. For a test that does not start the CLI itself.
pub fn environment(home: &Path, model: &str) -> Vec<(&'static str, String)> {
    vec![
        ("HOME", home.display().to_string()),
        ("PATH", std::env::var("PATH").unwrap_or_else(|_| "/usr/bin:/bin".to_owned())),
        // Else it leaves sockets and folders in the machine's, where other CLIs find them.
        ("CLAUDE_CODE_TMPDIR", home.join("tmp").display().to_string()),
        ("ANTHROPIC_BASE_URL", model.to_owned()),
        ("ANTHROPIC_API_KEY", "sk-made-up".to_owned()),
        ("DISABLE_TELEMETRY", "1".to_owned()),
        ("DISABLE_AUTOUPDATER", "1".to_owned()),
        ("DISABLE_ERROR_REPORTING", "1".to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
    ]
}

/// The CLI in that environment and no other, in its home as its folder; arguments and pipes are the caller's.
pub fn command(program: &Path, home: &Path, model: &str) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs(environment(home, model)).current_dir(home);
    command
}

fn find(variable: &str) -> Option<PathBuf> {
    let program = std::env::var_os(variable).map(PathBuf::from);
    if program.is_none() {
        eprintln!("{variable} is not set: the real CLI is left out");
    }
    program
}

/// xtask puts each into a folder that has the version as its name.
fn version(program: &Path) -> String {
    program.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
}
