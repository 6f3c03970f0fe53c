//! What of a folder would take effect: the files, and one number for their names and contents.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use iris_agents::launch::Brought;
use iris_core::hex::hex;
use sha2::{Digest, Sha256};

/// More than any project has; a folder with more is not trusted.
const MOST_FILES: usize = 2000;
const LARGEST_FILE: u64 = 4 * 1024 * 1024;
/// How many folders are looked through for settings of their own, what others wrote and git ignores among them: an agent
/// that reads there takes up what it finds. This is done before every turn in a trusted folder.
const MOST_FOLDERS: usize = 200_000;
/// What nobody works in, not even the agent.
const PASSED_OVER: &str = ".git";

/// The files that matter and one number for their names and contents. No number if there are none. `home`: the agent's, if it
/// is the user's own. What is in there is the user's.
pub(super) fn digest(
    folder: &Path,
    home: Option<&Path>,
    brought: Brought,
) -> Result<(Vec<PathBuf>, Option<String>), String> {
    let mut found = Found { folder, brought, files: Vec::new(), folders_left: MOST_FOLDERS, followed: Vec::new() };
    found.search(folder)?;
    for above in folder.ancestors().skip(1).filter(|above| Some(*above) != home) {
        for name in brought.above.iter().chain(brought.main) {
            found.collect(&above.join(name))?;
        }
    }
    if let Some(main) = main_checkout(folder).filter(|main| !folder.starts_with(main)) {
        for name in brought.main {
            found.collect(&main.join(name))?;
        }
    }
    let mut files = found.files;
    files.sort();
    files.dedup();
    let (mut hash, mut listed) = (Sha256::new(), Vec::new());
    for file in files {
        let content = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        if original(folder, brought, &file)
            .is_some_and(|original| std::fs::read(original).ok() == Some(content.clone()))
        {
            continue;
        }
        let name = file.strip_prefix(folder).unwrap_or(&file).as_os_str().as_encoded_bytes().to_owned();
        // Lengths first, so that no two folders can be told apart by nothing.
        for part in [name.as_slice(), content.as_slice()] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        listed.push(file.strip_prefix(folder).map(Path::to_owned).unwrap_or(file));
    }
    let digest = (!listed.is_empty()).then(|| hex(&hash.finalize()));
    Ok((listed, digest))
}

/// Of a file in a copy of the folder that the agent works in, the one that it is a copy of.
fn original(folder: &Path, brought: Brought, file: &Path) -> Option<PathBuf> {
    let in_copies = file.strip_prefix(folder).ok()?.strip_prefix(brought.copies?).ok()?;
    Some(folder.join(in_copies.components().skip(1).collect::<PathBuf>()))
}

struct Found<'a> {
    folder: &'a Path,
    brought: Brought,
    files: Vec<PathBuf>,
    folders_left: usize,
    /// The folders outside that links led to.
    followed: Vec<PathBuf>,
}

impl Found<'_> {
    /// What has one of the names, in the folder and in every one below it.
    fn search(&mut self, folder: &Path) -> Result<(), String> {
        if self.folders_left == 0 {
            let top = self.folder.display();
            return Err(format!("{top} has more than {MOST_FOLDERS} folders, too many to look through for settings"));
        }
        self.folders_left -= 1;
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            // Its agent cannot read it either, or it is gone again.
            Err(error) if folder != self.folder && passes(error.kind()) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(format!("{}: {error}", folder.display())),
        };
        for entry in entries {
            let entry = entry.map_err(|error| format!("{}: {error}", folder.display()))?;
            let name = entry.file_name();
            if self.brought.here.iter().any(|known| name == *known) {
                self.collect(&entry.path())?;
            } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) && name != PASSED_OVER {
                self.search(&entry.path())?;
            } else if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                self.follow(&entry.path())?;
            }
        }
        Ok(())
    }

    /// What is behind a link to a folder takes effect as well. Each such folder is looked through once, and what is in the
    /// team's own is found without its links.
    fn follow(&mut self, link: &Path) -> Result<(), String> {
        let Some(real) = link.canonicalize().ok().filter(|real| real.is_dir()) else { return Ok(()) };
        let has = |top: &Path| {
            let below = real.strip_prefix(top);
            below.is_ok_and(|below| below.components().all(|part| part.as_os_str() != PASSED_OVER))
        };
        if has(self.folder) || self.followed.iter().any(|followed| has(followed)) {
            return Ok(());
        }
        self.followed.push(real.clone());
        self.search(&real)
    }

    fn collect(&mut self, path: &Path) -> Result<(), String> {
        let Ok(about) = std::fs::symlink_metadata(path) else { return Ok(()) };
        if about.is_dir() && self.brought.notes.iter().any(|notes| path.ends_with(notes)) {
            return Ok(());
        }
        if about.is_dir() && self.brought.copies.is_some_and(|copies| path.ends_with(copies)) {
            return self.search(path);
        }
        if about.is_dir() {
            for entry in std::fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))? {
                self.collect(&entry.map_err(|error| error.to_string())?.path())?;
            }
            return Ok(());
        }
        let about = if about.is_symlink() { self.led_to(path)? } else { about };
        if !about.is_file() {
            // To read a pipe is to wait for whoever writes to it.
            return Err(format!("{} is not a file", path.display()));
        }
        if about.len() > LARGEST_FILE || self.files.len() >= MOST_FILES {
            return Err(format!("{} is too large, or there are too many files", path.display()));
        }
        self.files.push(path.to_owned());
        Ok(())
    }

    /// One file under two names within the folder, or beside each other, is usual, and its content is what counts. Where else
    /// a link leads can change unseen.
    fn led_to(&self, link: &Path) -> Result<std::fs::Metadata, String> {
        let beside = link.parent().and_then(|folder| folder.canonicalize().ok());
        let is_near = |real: &PathBuf| real.starts_with(self.folder) || real.parent() == beside.as_deref();
        let real = link.canonicalize().ok().filter(is_near);
        let about = real.and_then(|real| std::fs::symlink_metadata(real).ok()).filter(std::fs::Metadata::is_file);
        about.ok_or_else(|| format!("{} is a link, and not to a file in the folder", link.display()))
    }
}

fn passes(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::PermissionDenied | ErrorKind::NotFound)
}

/// The checkout that a linked worktree belongs to: git writes down in the one where the other is.
fn main_checkout(folder: &Path) -> Option<PathBuf> {
    let link = folder.ancestors().map(|above| above.join(".git")).find(|git| git.exists())?;
    let text = text_of(&link)?;
    let own = link.parent()?.join(text.strip_prefix("gitdir:")?.trim());
    let common = text_of(&own.join("commondir"))?;
    let common = own.join(common.trim()).canonicalize().ok()?;
    (common.file_name()? == ".git").then(|| common.parent().map(Path::to_owned))?
}

/// Of a file: to read a pipe is to wait for whoever writes to it.
fn text_of(path: &Path) -> Option<String> {
    path.is_file().then(|| std::fs::read_to_string(path).ok())?
}

#[cfg(test)]
mod tests {
    use iris_agents::launch::brought;
    use iris_core::team::AgentKind;

    use super::*;

    #[test]
    fn any_change_changes_the_digest() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = folder.path().join(".claude/settings.json");
        assert_eq!(
            digest(folder.path(), None, brought(AgentKind::Claude)).expect("readable"),
            (Vec::new(), None),
            "nothing to trust"
        );
        std::fs::create_dir(folder.path().join(".claude")).expect("made");
        std::fs::write(&settings, "{}").expect("written");
        let (files, first) = digest(folder.path(), None, brought(AgentKind::Claude)).expect("readable");
        assert_eq!(files, [PathBuf::from(".claude/settings.json")]);
        std::fs::write(&settings, r#"{"hooks":{}}"#).expect("written");
        let (_, second) = digest(folder.path(), None, brought(AgentKind::Claude)).expect("readable");
        assert_ne!(first, second);
        std::fs::write(folder.path().join(".mcp.json"), "{}").expect("written");
        let (files, third) = digest(folder.path(), None, brought(AgentKind::Claude)).expect("readable");
        assert_eq!(files.len(), 2);
        assert_ne!(second, third);
        // From a folder below, what may bring hooks along is found above.
        let below = folder.path().join("below");
        std::fs::create_dir_all(folder.path().join(".claude/skills/s")).expect("made");
        std::fs::create_dir(&below).expect("made");
        std::fs::write(folder.path().join(".claude/skills/s/SKILL.md"), "hooks").expect("written");
        let (files, _) = digest(&below, None, brought(AgentKind::Claude)).expect("readable");
        let above = [".claude/skills/s/SKILL.md", ".mcp.json"].map(|name| folder.path().join(name));
        assert_eq!(files, above, "the settings of another folder are not read, its skills are");
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join(".claude/link")).expect("linked");
        assert!(
            digest(folder.path(), None, brought(AgentKind::Claude)).is_err(),
            "what a link leads to can change unseen"
        );
    }

    fn files_of(folder: &Path) -> Vec<PathBuf> {
        digest(&folder.canonicalize().expect("there"), None, brought(AgentKind::Claude)).expect("readable").0
    }

    fn write(file: &Path, text: &str) {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        std::fs::write(file, text).expect("written");
    }

    /// An agent that reads a file takes up what lies beside it.
    #[test]
    fn what_takes_effect_in_folders_below_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        write(&at("a/b/.claude/skills/s/SKILL.md"), "hooks");
        write(&at("a/CLAUDE.md"), "do");
        write(&at("a/AGENTS.md"), "do");
        write(&at("a/notes.md"), "do");
        std::os::unix::fs::symlink("AGENTS.md", at("a/CLAUDE.local.md")).expect("linked");
        write(&at(".git/CLAUDE.md"), "do");
        let expected =
            ["a/AGENTS.md", "a/CLAUDE.local.md", "a/CLAUDE.md", "a/b/.claude/skills/s/SKILL.md"].map(PathBuf::from);
        assert_eq!(files_of(folder.path()), expected);
        let before = digest(folder.path(), None, brought(AgentKind::Claude)).expect("readable").1;
        write(&at("a/AGENTS.md"), "do something else");
        let after = digest(folder.path(), None, brought(AgentKind::Claude)).expect("readable").1;
        assert_ne!(before, after, "what a link within the folder leads to counts");
    }

    /// Git does not need to know it for the agent to take it up.
    #[test]
    fn what_others_wrote_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at(".git")).expect("made");
        write(&at(".gitignore"), "node_modules\ntarget\n");
        write(&at("target/CLAUDE.md"), "do");
        write(&at("packages/one/node_modules/p/.claude/skills/s/SKILL.md"), "hooks");
        let expected = ["packages/one/node_modules/p/.claude/skills/s/SKILL.md", "target/CLAUDE.md"].map(PathBuf::from);
        assert_eq!(files_of(folder.path()), expected);
    }

    #[test]
    fn what_links_lead_to_is_found_once() {
        let place = tempfile::tempdir().expect("a folder");
        let root = place.path().canonicalize().expect("there");
        let at = |name: &str| root.join(name);
        let outside = [at("lib/.claude/skills/s/SKILL.md"), at("lib/deep/CLAUDE.md")];
        outside.iter().for_each(|file| write(file, "hooks"));
        write(&at("team/sub/CLAUDE.md"), "do");
        write(&at("team/.git/hidden/CLAUDE.md"), "do");
        let link = |to: &str, from: &str| std::os::unix::fs::symlink(to, at(from)).expect("linked");
        link("../lib", "team/lib");
        link("../lib/deep", "team/deep");
        link("..", "lib/back");
        link("sub", "team/again");
        link("nowhere", "team/broken");
        // Through `back`: what is beside the team's folder.
        write(&at("beside/AGENTS.md"), "do");
        let mut expected = vec![at("beside/AGENTS.md"), PathBuf::from("sub/CLAUDE.md")];
        expected.extend(outside.iter().cloned());
        let mut found = files_of(&at("team"));
        found.sort();
        expected.sort();
        assert_eq!(found, expected);
        link(".git/hidden", "team/seen");
        assert!(files_of(&at("team")).contains(&PathBuf::from(".git/hidden/CLAUDE.md")));
    }

    /// Else a sub-agent that works in a copy would cost the folder its trust.
    #[test]
    fn a_copy_to_work_in_brings_only_what_differs() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for top in ["", ".claude/worktrees/one/"] {
            write(&at(&format!("{top}CLAUDE.md")), "do");
            write(&at(&format!("{top}src/main.rs")), "code");
            write(&at(&format!("{top}.claude/settings.json")), "{}");
        }
        write(&at(".claude/agent-memory/reviewer/MEMORY.md"), "noted");
        let own = [".claude/settings.json", "CLAUDE.md"].map(PathBuf::from);
        assert_eq!(files_of(folder.path()), own);
        write(&at(".claude/worktrees/one/.claude/settings.json"), r#"{"hooks":{}}"#);
        assert!(files_of(folder.path()).contains(&PathBuf::from(".claude/worktrees/one/.claude/settings.json")));
    }

    #[test]
    fn one_file_may_have_two_names_also_above_the_folder() {
        let place = tempfile::tempdir().expect("a folder");
        let root = place.path().canonicalize().expect("there");
        write(&root.join("AGENTS.md"), "do");
        std::os::unix::fs::symlink("AGENTS.md", root.join("CLAUDE.md")).expect("linked");
        std::fs::create_dir(root.join("sub")).expect("made");
        assert_eq!(files_of(&root.join("sub")), ["AGENTS.md", "CLAUDE.md"].map(|name| root.join(name)));
        let of_user = digest(&root.join("sub"), Some(&root), brought(AgentKind::Claude)).expect("readable").0;
        assert!(of_user.is_empty(), "what is in the user's own home is the user's: {of_user:?}");
    }

    #[test]
    fn a_folder_with_too_many_is_not_passed_over_in_silence() {
        let folder = tempfile::tempdir().expect("a folder");
        write(&folder.path().join("a/b/CLAUDE.md"), "do");
        let brought = brought(AgentKind::Claude);
        let mut found =
            Found { folder: folder.path(), brought, files: Vec::new(), folders_left: 2, followed: Vec::new() };
        let refused = found.search(folder.path()).expect_err("there is a third");
        assert!(refused.contains("too many to look through"), "{refused}");
    }

    /// The CLI reads the local settings of the git root, and in a linked worktree those of the main checkout.
    #[test]
    fn local_settings_of_the_checkout_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("there");
        let at = |name: &str| root.join(name);
        let settings = [at("main/.claude/settings.local.json")];
        write(&settings[0], "{}");
        write(&at("main/.claude/settings.json"), "{}");
        std::fs::create_dir_all(at("main/sub")).expect("made");
        assert_eq!(files_of(&at("main/sub")), settings, "from a folder below");
        // As git writes them.
        write(&at("main/.git/worktrees/linked/commondir"), "../..\n");
        write(&at("linked/.git"), &format!("gitdir: {}\n", at("main/.git/worktrees/linked").display()));
        std::fs::create_dir_all(at("linked/sub")).expect("made");
        assert_eq!(files_of(&at("linked/sub")), settings, "from a linked worktree");
        let skill = at("main/.claude/skills/s/SKILL.md");
        write(&skill, "hooks");
        assert_eq!(files_of(&at("linked/sub")), [settings[0].clone(), skill], "skills as well");
        write(&at("other/.git"), "gitdir: ../nowhere\n");
        assert!(files_of(&at("other")).is_empty());
    }
}
