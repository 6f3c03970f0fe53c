//! Records anew what the installed CLIs write: `iris-record [scene …]`.

use anyhow::{Result, bail};
use iris_testing::claude::binaries;
use iris_testing::record::{SCENES, file, record};

const HELP: &str = "\
Record what the real Claude Code CLI writes, for the snapshot tests of iris-agents.

Usage: iris-record [scene …]

IRIS_TEST_CLAUDE and IRIS_TEST_CLAUDE_OLD name the programs; the folder of each is its version. Without a scene, all.
";

#[tokio::main]
async fn main() -> Result<()> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if wanted.iter().any(|word| word.starts_with('-')) {
        eprint!("{HELP}");
        return Ok(());
    }
    let programs = binaries();
    if programs.is_empty() {
        bail!("there is no CLI to record; `cargo xtask record` fetches it");
    }
    for (version, program) in programs {
        for scene in SCENES.iter().filter(|scene| wanted.is_empty() || wanted.iter().any(|name| name == scene.name)) {
            let transcript = record(scene, &program).await?;
            let file = file(&version, scene);
            std::fs::create_dir_all(file.parent().expect("a file is in a folder"))?;
            std::fs::write(&file, &transcript)?;
            eprintln!("{version} {}: {} lines, {} bytes", scene.name, transcript.lines().count(), transcript.len());
        }
    }
    Ok(())
}
