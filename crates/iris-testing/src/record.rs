//! Recording what the real CLI writes to Iris, scene by scene, so that a new version shows what it does differently.
//!
//! The host is Iris's own: the command line, the greeting and the answers are those of iris-agents. Only the program is
//! another, a small shell script that runs the CLI and keeps what it writes. What differs between two recordings of the
//! same version is taken out by `scrub`; what of the rest is compared is in `shape`.

mod host;
mod scene;
mod scrub;
pub mod shape;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

pub use scene::{SCENES, Scene};

/// Plays a scene with a CLI and returns its transcript, one line of JSON for each that it wrote.
pub async fn record(scene: &Scene, program: &Path) -> Result<String> {
    let recording = host::play(scene, program).await.with_context(|| format!("the scene {}", scene.name))?;
    scrub::scrub(&recording).with_context(|| format!("the scene {}", scene.name))
}

/// Where transcripts are kept.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../iris-agents/tests/transcripts")
}

pub fn file(version: &str, scene: &Scene) -> PathBuf {
    folder().join(version).join(format!("{}.jsonl", scene.name))
}
