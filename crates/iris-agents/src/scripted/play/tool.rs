//! Tool calls: simulated ones, commands that really run, files that are really written.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};

use super::wait::{Until, Woken};
use super::{Cut, Played, Player, Scene};
use crate::scripted::command;
use crate::scripted::script::{Run, Tool, WriteFile};
use crate::scripted::wire::Block;

/// What came of a tool call, for the line that tells it.
pub struct ToolResult {
    pub content: Value,
    pub is_error: bool,
    /// The structured side of it, different for every tool.
    pub detail: Value,
}

impl ToolResult {
    pub fn text(text: String, is_error: bool) -> Self {
        let detail = if is_error { Value::from(format!("Error: {text}")) } else { Value::from(&*text) };
        Self { content: Value::from(text), is_error, detail }
    }
}

impl Player {
    pub fn tool(&mut self, scene: &mut Scene, tool: &Tool) -> Played {
        let input = scene.variables.expand_value(&tool.input);
        let id = self.tool_use(scene, &tool.name, &input);
        self.pause(tool.delay)?;
        let text = scene.variables.expand(&tool.result).into_owned();
        scene.variables.result.clone_from(&text);
        self.tool_result(scene, &id, ToolResult::text(text, tool.error));
        Ok(())
    }

    pub fn run(&mut self, scene: &mut Scene, run: &Run) -> Played {
        let command = scene.variables.expand(&run.command).into_owned();
        let id = self.tool_use(scene, "Bash", &json!({"command": command}));
        let deadline = Self::deadline(run.timeout);
        let result = self.run_command(scene, &command, deadline)?;
        self.tool_result(scene, &id, result);
        Ok(())
    }

    /// Opens a tool call. Until its result is written, an interrupt counts as one in a tool.
    pub fn tool_use(&mut self, scene: &mut Scene, name: &str, input: &Value) -> String {
        let id = self.ids.named("toolu_");
        self.assistant(scene, Block::ToolUse { id: &id, name, input });
        scene.open_tools.push((id.clone(), scene.lane.clone()));
        id
    }

    pub fn tool_result(&mut self, scene: &mut Scene, id: &str, result: ToolResult) {
        let decision = json!({"decision": "accept", "source": "config"});
        let meta = json!([{"id": id, "permission_decision": decision}]);
        self.close_tool(scene, id, result, meta);
    }

    pub fn close_tool(&mut self, scene: &mut Scene, id: &str, result: ToolResult, meta: Value) {
        scene.open_tools.retain(|(open, _)| open != id);
        if scene.lane.is_none() {
            scene.round_trips += 1;
        }
        self.user_line(
            scene,
            json!([{
                "tool_use_id": id, "type": "tool_result",
                "content": result.content, "is_error": result.is_error,
            }]),
            json!({"tool_use_result": result.detail, "tool_result_meta": meta}),
        );
    }

    /// Runs a command to its end, the deadline or an interrupt, whichever comes first.
    pub fn run_command(&mut self, scene: &mut Scene, command: &str, deadline: Instant) -> Played<ToolResult> {
        self.serial += 1;
        let serial = self.serial;
        let running = match command::start(command, serial, self.inbox.watch()) {
            Ok(running) => running,
            Err(error) => return Ok(ToolResult::text(format!("cannot run sh: {error}"), true)),
        };
        let (output, code) = match self.wait(&Until::Command { serial, deadline }) {
            Ok(Woken::Command(end)) => (end.output, end.code),
            Ok(_) => {
                running.kill();
                ("Command timed out".to_owned(), None)
            }
            Err(cut) => {
                running.kill();
                return Err(cut);
            }
        };
        scene.variables.result.clone_from(&output);
        let content = match code {
            Some(0) if output.is_empty() => "(Bash completed with no output)".to_owned(),
            Some(0) => output.clone(),
            Some(code) => format!("Exit code {code}\n{output}"),
            None => format!("Exit code 137\n{output}"),
        };
        Ok(ToolResult {
            content: Value::from(content),
            is_error: code != Some(0),
            detail: json!({
                "stdout": output, "stderr": "", "interrupted": code.is_none(),
                "isImage": false, "noOutputExpected": false,
            }),
        })
    }

    /// A refused path is a failed tool call, as it would be for a real agent, and the turn goes on.
    pub fn write_file(&mut self, scene: &mut Scene, file: &WriteFile) {
        let path = scene.variables.expand(&file.path).into_owned();
        let content = scene.variables.expand(&file.content).into_owned();
        let full = Path::new(&*self.cwd).join(&path);
        let input = json!({"file_path": full, "content": content});
        let id = self.tool_use(scene, "Write", &input);
        let result = match write_below(Path::new(&*self.cwd), Path::new(&path), &content) {
            Ok(()) => ToolResult {
                content: Value::from(format!("File created successfully at: {}", full.display())),
                is_error: false,
                detail: json!({"type": "create", "filePath": full, "content": content}),
            },
            Err(error) => ToolResult::text(format!("cannot write {path}: {error}"), true),
        };
        self.tool_result(scene, &id, result);
    }

    pub fn fail(&mut self, scene: &Scene, text: &crate::scripted::text::Template) -> Cut {
        Cut::Failed(super::Failure {
            text: scene.variables.expand(text).into_owned(),
            terminal_reason: "model_error",
            status: None,
        })
    }
}

/// Writes a file that is really below `root`: no `..`, no absolute path, and no way out over a symbolic link.
fn write_below(root: &Path, path: &Path, content: &str) -> io::Result<()> {
    let outside = || io::Error::other("it is not below the working directory");
    let plain = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let name = path.file_name().filter(|_| plain).ok_or_else(outside)?;
    let root = root.canonicalize()?;
    let mut folder: PathBuf = root.clone();
    for part in path.parent().into_iter().flat_map(Path::components) {
        folder.push(part);
        match fs::create_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => folder = folder.canonicalize()?,
        }
        if !folder.starts_with(&root) {
            return Err(outside());
        }
    }
    let file = folder.join(name);
    if file.is_symlink() {
        return Err(outside());
    }
    fs::write(file, content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_stay_below_the_root() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let away = tempfile::tempdir().expect("a temporary directory");
        std::os::unix::fs::symlink(away.path(), root.path().join("link")).expect("a link");
        std::os::unix::fs::symlink("/nowhere/x", root.path().join("file")).expect("a link");
        let check = |path: &str| write_below(root.path(), Path::new(path), "x").is_ok();
        assert!(check("a.txt") && check("./src/deep/a.txt") && check("src/deep/a.txt"));
        for path in ["", ".", "..", "../a", "src/../../a", "/tmp/a", "link/a", "link/b/c", "file"] {
            assert!(!check(path), "{path}");
        }
        assert_eq!(fs::read_dir(away.path()).expect("it exists").count(), 0);
    }
}
