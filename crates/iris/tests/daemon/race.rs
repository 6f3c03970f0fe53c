//! Two daemons for one home: one serves, the other names it and ends.

use std::process::{Command, Stdio};

use iris_testing::daemon::Daemon;

use crate::world::{ECHO, World, setup};

const ALREADY_RUNNING: i32 = 9;

#[tokio::test]
async fn a_second_daemon_names_the_first_and_ends_also_through_another_path() {
    let world = World::new(setup().team("alpha", ECHO));
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let link = elsewhere.path().join("link");
    std::os::unix::fs::symlink(world.path(), &link).expect("a link");
    for home in [world.path(), &link] {
        let second = Command::new(env!("CARGO_BIN_EXE_iris"))
            .args(["serve", "--port", "0"])
            .env("IRIS_HOME", home)
            .stdin(Stdio::null())
            .output()
            .expect("it runs");
        assert_eq!(second.status.code(), Some(ALREADY_RUNNING));
        let said = String::from_utf8_lossy(&second.stderr);
        assert!(said.contains("already running"), "{said}");
        assert!(said.contains(&world.daemon.pid.to_string()) && said.contains(&world.daemon.address), "{said}");
    }
    assert_eq!(world.tell("hello").await["status"], "completed", "the first is not disturbed");
}

/// Two writers of one home would each undo what the other does; a file that somebody tidies away must not be all that
/// keeps them apart.
#[tokio::test]
async fn a_second_daemon_ends_also_when_the_lock_file_is_gone() {
    let world = World::new(setup().team("alpha", ECHO));
    std::fs::remove_dir_all(world.path().join("run")).expect("it is there");
    let (second, status) = Daemon::start_or_exit(&world.setup, world.path()).expect("it can be started");
    assert!(second.is_none() && status.contains(&ALREADY_RUNNING.to_string()), "{status}");
    assert_eq!(world.tell("hello").await["status"], "completed", "the first is not disturbed");
}

#[tokio::test]
async fn of_many_that_start_at_once_one_serves() {
    for _ in 0..10 {
        let home = tempfile::tempdir().expect("a temporary folder");
        let setup = setup().team("alpha", ECHO);
        setup.write(home.path()).expect("a home");
        let starts: Vec<_> = (0..4)
            .map(|_| {
                let (setup, home) = (setup.clone(), home.path().to_owned());
                std::thread::spawn(move || Daemon::start_or_exit(&setup, &home).expect("it can be started"))
            })
            .collect();
        let ends: Vec<_> = starts.into_iter().map(|start| start.join().expect("no panic")).collect();
        let serving = ends.iter().filter(|(daemon, _)| daemon.is_some()).count();
        assert_eq!(serving, 1, "{:?}", ends.iter().map(|(_, status)| status).collect::<Vec<_>>());
        for (daemon, status) in &ends {
            assert!(daemon.is_some() || status.contains(&ALREADY_RUNNING.to_string()), "{status}");
        }
    }
}
