//! What Iris understands of what the real CLI wrote, scene by scene and version by version. `cargo xtask record` writes
//! the transcripts anew.

use std::path::Path;
use std::sync::Arc;

use iris_agents::claude::transcript::understand;
use iris_core::agent::{ToolEffect, ToolSpec};
use serde_json::json;

#[test]
fn transcripts_are_understood() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let versions = entries(&folder);
    assert!(!versions.is_empty(), "there are transcripts");
    for version in versions {
        for scene in entries(&folder.join(&version)) {
            let transcript = std::fs::read_to_string(folder.join(&version).join(&scene)).expect("readable");
            let name = format!("{version}-{}", scene.trim_end_matches(".jsonl"));
            insta::assert_snapshot!(name, understand(&transcript, tools()).join("\n"));
        }
    }
}

/// Everything that is there is understood: what is not would be kept, but mean nothing.
#[test]
fn nothing_in_them_is_unknown() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    for version in entries(&folder) {
        for scene in entries(&folder.join(&version)) {
            let transcript = std::fs::read_to_string(folder.join(&version).join(&scene)).expect("readable");
            let understood = understand(&transcript, tools());
            let unknown: Vec<_> =
                understood.iter().filter(|line| line.starts_with("unknown") || line.starts_with("garbage")).collect();
            assert!(unknown.is_empty(), "{version} {scene}: {unknown:#?}");
        }
    }
}

fn entries(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn tools() -> Arc<[ToolSpec]> {
    let input = json!({"type": "object", "properties": {}});
    Arc::new([ToolSpec {
        name: "team_getTeamName",
        title: "My team",
        description: "Your own team's name.",
        input,
        output: json!({}),
        effect: ToolEffect::Reads,
    }])
}
