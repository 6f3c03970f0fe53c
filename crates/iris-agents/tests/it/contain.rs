//! An agent's end is the end of everything it started, whichever containment holds.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use iris_agents::agent::{Agent, Progress};
use iris_agents::contain::{Containment, Holds, Instance, Wanted, end_leftovers, list_leftovers};
use iris_agents::launch::Launch;
use iris_agents::process::Process;
use iris_core::agent::{AgentExit, AgentOutput};
use iris_core::id::{SessionId, TurnId};

use crate::scripted::agent::{Stage, program};

const BOTH: [Wanted; 2] = [Wanted::Auto, Wanted::Sweep];

/// Contained agents under a name that no other test has.
struct World {
    stage: Stage,
    instance: Instance,
    containment: Containment,
}

impl World {
    fn new(test: &str, wanted: Wanted, steps: &str) -> Self {
        let instance = Instance::passing(format!("test-{test}-{wanted:?}-{}", std::process::id()));
        let containment = Containment::find(&instance, wanted);
        Self { stage: Stage::new(&format!("default: {steps}\n")), instance, containment }
    }

    fn start(&self) -> Agent {
        let script = self.stage.path("script.yaml").display().to_string();
        let launch = Launch {
            kind: iris_core::team::AgentKind::Scripted,
            program: program().to_owned(),
            args: vec!["--script".to_owned(), script],
            env: BTreeMap::from([("PATH".to_owned(), std::env::var("PATH").expect("a path"))]),
            folder: self.stage.path("work"),
            instructions: None,
        };
        let cell = self.containment.cell(&SessionId::new("5e551011-0000-4000-8000-000000000000"), 1);
        Agent::start(&launch, cell, Arc::new([])).expect("it starts")
    }

    fn cgroup(&self) -> Option<&Path> {
        match self.containment.holds() {
            Holds::Cgroup { group } => Some(group),
            Holds::Sweep { .. } => None,
        }
    }

    fn assert_nothing_is_left(&self) {
        assert_eq!(list_leftovers(&self.instance), [], "{:?}", self.instance);
        self.containment.close();
        assert!(self.cgroup().is_none_or(|group| !group.exists()), "the group is gone");
    }
}

/// A test that fails leaves nothing running.
impl Drop for World {
    fn drop(&mut self) {
        end_leftovers(&self.instance);
    }
}

/// Tells it something, and returns the process id it names.
async fn hear(agent: &mut Agent) -> Result<String, AgentExit> {
    agent.tell(&TurnId::new("turn"), "go");
    loop {
        match agent.next().await {
            Progress::Exited(exit) => return Err(exit),
            Progress::Outputs(outputs) => {
                let mut heard = outputs.iter().filter_map(|output| match output {
                    AgentOutput::Message(heard) => number_in(&heard.to_json()),
                    _ => None,
                });
                if let Some(pid) = heard.next_back() {
                    return Ok(pid);
                }
            }
        }
    }
}

/// The digits after `pid=`, if there are any.
fn number_in(json: &str) -> Option<String> {
    let after =
        json.split("pid=").skip(1).map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
    after.into_iter().find(|digits| !digits.is_empty())
}

fn process(pid: &str) -> Option<Process> {
    Process::find(pid.parse().expect("a number")).filter(Process::is_alive)
}

#[tokio::test]
async fn a_server_that_left_its_session_and_its_parent_ends_with_its_agent() {
    for wanted in BOTH {
        let steps = "[{ fork: { daemonise: true, sleep: 600 } }, { say: 'pid={{result}}' }]";
        let world = World::new("server", wanted, steps);
        let mut agent = world.start();
        let server = hear(&mut agent).await.expect("it says who the server is");
        assert!(process(&server).is_some());
        agent.stop().await;
        assert!(process(&server).is_none(), "{wanted:?}");
        world.assert_nothing_is_left();
    }
}

#[tokio::test]
async fn so_does_one_that_keeps_the_pipes_and_one_whose_agent_is_gone_already() {
    for wanted in BOTH {
        let steps = "[{ fork: { daemonise: true, sleep: 600, keep_stdout: true } }, { say: 'pid={{result}}' }, { stderr: bye }, { crash: { code: 3 } }]";
        let world = World::new("gone", wanted, steps);
        let mut agent = world.start();
        let server = hear(&mut agent).await.expect("it says who the server is");
        let began = Instant::now();
        while !matches!(agent.next().await, Progress::Exited(_)) {}
        assert!(began.elapsed() < Duration::from_secs(1), "its end is told though the pipe is open");
        let exit = agent.stop().await;
        assert_eq!((exit.code, exit.stderr.as_str()), (Some(3), "bye"));
        assert!(process(&server).is_none(), "{wanted:?}");
        world.assert_nothing_is_left();
    }
}

#[tokio::test]
async fn a_process_without_a_mark_is_ended_by_its_cgroup_or_as_one_of_the_family() {
    for wanted in BOTH {
        // Without its environment; and as a grandchild whose parent lives.
        let steps = "[{ run: \"setsid sh -c 'env -i sleep 600 & echo pid=$!; wait' 2>&1 & sleep 0.2\" }]";
        let world = World::new("family", wanted, steps);
        let mut agent = world.start();
        let child = hear(&mut agent).await.expect("it says who the child is");
        agent.stop().await;
        assert!(process(&child).is_none(), "{wanted:?}");
        world.assert_nothing_is_left();
    }
}

#[tokio::test]
async fn one_that_ignores_everything_is_ended_within_seconds() {
    let check = async |wanted| {
        let steps = "[{ ignore_term: true }, { say: 'pid=1' }, { hang: deaf }]";
        let world = World::new("deaf", wanted, steps);
        let mut agent = world.start();
        hear(&mut agent).await.expect("it says something");
        let began = Instant::now();
        let exit = agent.stop().await;
        assert_eq!(exit.signal, Some(9), "{wanted:?}");
        assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
        world.assert_nothing_is_left();
    };
    tokio::join!(check(Wanted::Auto), check(Wanted::Sweep));
}

#[tokio::test]
async fn one_at_work_breaks_off_instead_of_being_killed() {
    let world = World::new("polite", Wanted::Auto, "[{ say: 'pid=1' }, { delay: 10m }]");
    let mut agent = world.start();
    hear(&mut agent).await.expect("it says something");
    let began = Instant::now();
    assert_eq!(agent.stop().await.signal, None, "it ended by itself");
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
}

#[tokio::test]
async fn an_agent_that_is_dropped_takes_everything_along() {
    for wanted in BOTH {
        let steps = "[{ fork: { daemonise: true, sleep: 600 } }, { say: 'pid={{result}}' }]";
        let world = World::new("dropped", wanted, steps);
        let mut agent = world.start();
        let server = hear(&mut agent).await.expect("it says who the server is");
        drop(agent);
        let until = Instant::now() + Duration::from_secs(5);
        while process(&server).is_some() {
            assert!(Instant::now() < until, "{wanted:?}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

#[tokio::test]
async fn no_group_stays_of_a_daemon_that_ended_at_once() {
    let steps = "[{ fork: { daemonise: true, sleep: 600 } }, { say: 'pid={{result}}' }]";
    let mut world = World::new("at-once", Wanted::Auto, steps);
    let Some(group) = world.cgroup().map(Path::to_owned) else { return };
    let mut agent = world.start();
    hear(&mut agent).await.expect("it says who the server is");
    assert!(group.exists());
    // Nobody closes anything.
    world.containment = Containment::find(&world.instance, Wanted::Sweep);
    drop(agent);
    assert!(!group.exists(), "{}", group.display());
}

#[tokio::test]
async fn another_instance_is_left_alone() {
    for wanted in BOTH {
        let steps = "[{ fork: { daemonise: true, sleep: 600 } }, { say: 'pid={{result}}' }]";
        let (mine, theirs) = (World::new("mine", wanted, steps), World::new("theirs", wanted, steps));
        let (mut one, mut other) = (mine.start(), theirs.start());
        let servers = (hear(&mut one).await.expect("a server"), hear(&mut other).await.expect("a server"));
        // The same session, as in two copies of a home.
        assert!(end_leftovers(&mine.instance) >= 2, "the agent and its server");
        assert!(process(&servers.0).is_none() && process(&servers.1).is_some(), "{wanted:?}");
        assert_eq!(one.stop().await.signal, Some(9));
        other.stop().await;
        assert!(process(&servers.1).is_none());
    }
}
