//! The installed CLI against what was recorded of it. What is gone fails, because Iris may have read it; what is new is
//! only said. After a look at both, `cargo xtask record` makes the new the old.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use futures_util::future::try_join_all;
use iris_testing::claude::binaries;
use iris_testing::record::shape::{Difference, Shape};
use iris_testing::record::{SCENES, Scene, file, folder, record};

#[tokio::test]
async fn the_cli_writes_what_it_wrote_when_it_was_recorded() -> Result<()> {
    let programs = binaries();
    let gone = try_join_all(programs.iter().map(|(version, program)| compare(version, program))).await?.concat();
    assert!(gone.is_empty(), "the CLI no longer writes what Iris may read:\n{}", gone.concat());
    Ok(())
}

/// Plays every scene and says what differs. Returns what is gone.
async fn compare(version: &str, program: &Path) -> Result<Vec<String>> {
    let mut gone = Vec::new();
    for scene in SCENES {
        let recorded = find_recorded(version, scene)?;
        let before = std::fs::read_to_string(&recorded).with_context(|| format!("{}", recorded.display()))?;
        let now = record(scene, program).await.with_context(|| version.to_owned())?;
        let difference = Shape::of(&before).compare(&Shape::of(&now));
        if difference != Difference::default() {
            let against = recorded.strip_prefix(folder()).unwrap_or(&recorded).display();
            let words = format!("{version} {}, against {against}:\n{difference}", scene.name);
            eprintln!("{words}");
            gone.extend((!difference.gone.is_empty()).then_some(words));
        }
    }
    Ok(gone)
}

/// Of this version, or of the newest that was recorded: then the differences are those between the two.
fn find_recorded(version: &str, scene: &Scene) -> Result<PathBuf> {
    let own = file(version, scene);
    if own.is_file() {
        return Ok(own);
    }
    let number = |name: &str| -> Vec<u32> { name.split('.').filter_map(|part| part.parse().ok()).collect() };
    let entries = std::fs::read_dir(folder())?.collect::<Result<Vec<_>, _>>()?;
    let names = entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let newest = names.max_by_key(|name| number(name)).context("nothing was recorded yet")?;
    Ok(file(&newest, scene))
}
