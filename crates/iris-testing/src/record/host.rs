//! Iris's side of a scene, with iris-agents as it is and a tee between the CLI and it.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use iris_agents::agent::{Agent, Progress};
use iris_agents::contain::{Containment, Instance, Wanted};
use iris_agents::launch::{AgentSpec, Conversation, Standing, launch};
use iris_core::agent::{AgentOutput, Asking, Reply, ToolEffect, ToolSpec};
use iris_core::id::{SessionId, TurnId};
use iris_core::team::AgentKind;
use serde_json::json;

use super::scene::{Interrupt, Leave, Scene, Text};
use crate::model::Model;

/// What was written, and the words in it that are other ones each time.
pub struct Recording {
    pub lines: String,
    pub home: PathBuf,
    pub model: String,
}

const PATIENCE: Duration = Duration::from_secs(60);
/// What follows the end of a turn follows soon.
const AFTERTHOUGHTS: Duration = Duration::from_millis(700);

pub async fn play(scene: &Scene, program: &Path) -> Result<Recording> {
    let (model, home) = (Model::start().await?, tempfile::tempdir()?);
    let written = home.path().join("written.jsonl");
    let spec = spec(home.path(), program, &model)?;
    let mut launch = launch(&spec)?;
    launch.program = tee(home.path(), program, &written, scene.text)?;
    let instance = Instance::passing(format!("record-{}", std::process::id()));
    let cell = Containment::find(&instance, Wanted::Sweep).cell(&spec.session, 1);
    let agent = Agent::start(&launch, cell, tools())?;
    let tells = (scene.tells)().into_iter();
    let mut host = Host { agent, tells, leave: scene.leave, interrupt: scene.interrupt, ends: scene.ends };
    tokio::time::timeout(PATIENCE, host.run()).await.context("it never ends")??;
    host.agent.stop().await;
    let lines = std::fs::read_to_string(&written)?;
    Ok(Recording { lines, home: home.path().to_owned(), model: model.url() })
}

struct Host {
    agent: Agent,
    tells: std::vec::IntoIter<String>,
    leave: Leave,
    interrupt: Interrupt,
    /// How many turns are still to end.
    ends: usize,
}

impl Host {
    async fn run(&mut self) -> Result<()> {
        while self.ends > 0 {
            self.step().await?;
        }
        while let Ok(step) = tokio::time::timeout(AFTERTHOUGHTS, self.step()).await {
            step?;
        }
        Ok(())
    }

    async fn step(&mut self) -> Result<()> {
        match self.agent.next().await {
            Progress::Outputs(outputs) => outputs.into_iter().for_each(|output| self.hear(output)),
            Progress::Exited(exit) => bail!("the CLI ended: {}", exit.describe()),
        }
        Ok(())
    }

    fn hear(&mut self, output: AgentOutput) {
        match output {
            AgentOutput::Ready(_) => self.tell_next(),
            AgentOutput::TurnEnded(_) => {
                self.ends = self.ends.saturating_sub(1);
                self.tell_next();
            }
            AgentOutput::PermissionAsked(asked) => {
                let reply = match self.leave {
                    Leave::Given => Reply::Allow,
                    Leave::Refused => Reply::Deny { message: "not on a Sunday".to_owned() },
                };
                self.agent.reply(&asked.request, &reply);
            }
            AgentOutput::Asked(asking) => self.agent.reply(&asking.request, &first_of_each(&asking)),
            AgentOutput::ToolCalled(call) => self.agent.answer_tool(&call.request, &Ok(json!({"team": "alpha"}))),
            AgentOutput::Delta(_) if self.interrupt == Interrupt::AtFirstWords => {
                self.interrupt = Interrupt::Never;
                self.agent.interrupt();
            }
            _ => {}
        }
    }

    fn tell_next(&mut self) {
        if let Some(text) = self.tells.next() {
            self.agent.tell(&TurnId::new("a turn"), &text);
        }
    }
}

fn first_of_each(asking: &Asking) -> Reply {
    let answers = asking.questions.iter().map(|asked| (asked.question.clone(), asked.options[0].label.clone()));
    Reply::Answers(answers.collect())
}

fn spec(home: &Path, program: &Path, model: &Model) -> Result<AgentSpec> {
    let path = home.join("project");
    std::fs::create_dir(&path)?;
    let env = crate::claude::environment(home, &model.url());
    Ok(AgentSpec {
        team: "alpha".parse()?,
        kind: AgentKind::Claude,
        path,
        script: None,
        command: Some(program.to_owned()),
        args: Vec::new(),
        env: env.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<BTreeMap<_, _>>(),
        model: None,
        allowed_tools: Vec::new(),
        disallowed_tools: Vec::new(),
        instructions: None,
        max_budget_usd: None,
        own_home: None,
        folder: Standing::Untrusted,
        session: SessionId::new(uuid::Uuid::new_v4().to_string()),
        conversation: Conversation::New,
        state_folder: home.join("state"),
    })
}

fn tools() -> Arc<[ToolSpec]> {
    let input = json!({"type": "object", "properties": {}, "additionalProperties": false});
    Arc::new([ToolSpec {
        name: "team_getTeamName",
        title: "My team",
        description: "Your own team's name.",
        input,
        output: json!({}),
        effect: ToolEffect::Reads,
    }])
}

/// A program that runs the CLI and keeps what it writes.
fn tee(home: &Path, program: &Path, written: &Path, text: Text) -> Result<PathBuf> {
    let file = home.join("claude-and-tee");
    let reads = match text {
        Text::Composed => "",
        // Iris says of every text that somebody wrote it, and puts a space before it for older versions.
        Text::Command => {
            r#"sed -u -e 's/"client_composed":true/"client_composed":false/' -e 's|"content":" /|"content":"/|' |"#
        }
    };
    let script = format!("#!/bin/sh\n{reads} '{}' \"$@\" | tee '{}'\n", program.display(), written.display());
    std::fs::write(&file, script)?;
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755))?;
    Ok(file)
}
