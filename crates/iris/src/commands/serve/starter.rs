//! The config of somebody who has none yet: nothing in force, everything explained.

use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use iris_core::fault::FaultKind;

use crate::failure::{Failure, no_room};
use crate::place;

pub const STARTER: &str = r#"# yaml-language-server: $schema=./config.schema.json
# Iris: which teams there are and how they run. A running daemon takes changes up by itself.
# Durations are milliseconds (30000) or 30s, 2m, 1h30m. ${NAME} and ${NAME:-default} are filled in from the environment.

teams: {}

# A team is a project folder with an agent. `iris teams add` writes one here. By hand it is, for instance, what follows;
# a file has one `teams:`, and none with `{}` behind it if there are teams below.
#
# teams:
#   demo:
#     path: /home/you/project        # absolute
#     description: tries things out
#     agent: scripted                # plays a script, needs no model and no account
#     script: /home/you/demo.yaml    # for a start: `default: [{ say: "You said: {{text}}" }]`
#   backend:
#     path: /home/you/backend
#     agent: claude                  # the installed Claude Code CLI; it asks you before it does anything:
#     grantPermission: ask           # see `iris inbox`. Or yes, no, forward
#
# Then: iris tell demo 'hello'

# settings:
#   port: 1615
#   maxProcesses: 10         # agents alive at once
#   responseTimeout: 2m      # an agent that is silent for longer in a turn is stopped
#   idleTimeout: 8h20m       # an agent that is idle for longer is put to sleep
#   shutdownGrace: 5s        # how long running turns may go on when Iris is stopped
"#;

/// What editors know the config by; the first line of a starter refers to it. It is beside the config, so that it works
/// without a network.
const SCHEMA: &str = "config.schema.json";

/// Writes the schema anew if it is not that of this very iris. Nothing depends on it but the comfort of an editor, so
/// that it cannot be written is said and no more.
pub fn write_schema(folder: &Path) {
    let text = serde_json::to_string_pretty(&iris_engine::config::schema()).expect("a schema is plain data") + "\n";
    let (file, beside) = (folder.join(SCHEMA), folder.join("config.schema.json.new"));
    if std::fs::read_to_string(&file).is_ok_and(|found| found == text) {
        return;
    }
    let written = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, &file));
    if let Err(error) = written {
        tracing::warn!(file = %file.display(), %error, "the schema for editors could not be written");
    }
}

/// Whether there was none. Readable by the owner only: a config may hold secrets one day.
pub fn write_if_missing(path: &Path) -> Result<bool, Failure> {
    let file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let written = match file {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => Err(error),
        // Half of one, or none of it, would be a config that is wrong.
        Ok(mut file) => file.write_all(STARTER.as_bytes()).inspect_err(|_| {
            std::fs::remove_file(path).ok();
        }),
    };
    let failed = |error| Failure {
        hint: no_room(&error).map(str::to_owned),
        ..Failure::fault(FaultKind::Unavailable, format!("{} could not be written ({error})", place::shown(path)))
    };
    written.map(|()| true).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, teams: usize) {
        let config = iris_engine::config::parse(Path::new("config.yaml"), text, |_| None);
        assert_eq!(config.expect("a config that is right").teams.len(), teams, "{text}");
    }

    #[test]
    fn the_starter_is_a_config_and_so_is_its_example() {
        check(STARTER, 0);
        let example = STARTER.lines().skip_while(|line| *line != "# teams:");
        let example = example.take_while(|line| *line != "#").map(|line| &line[2..]);
        check(&example.collect::<Vec<_>>().join("\n"), 2);
        let settings = STARTER.lines().skip_while(|line| *line != "# settings:").map(|line| &line[2..]);
        check(&settings.collect::<Vec<_>>().join("\n"), 0);
    }
}
