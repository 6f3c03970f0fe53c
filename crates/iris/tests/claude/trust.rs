//! What a folder brings along takes effect only after the user has looked at it.

use serde_json::json;

use crate::stage::stages;

#[tokio::test]
async fn hooks_of_a_folder_run_only_while_their_content_is_trusted() {
    for stage in stages(&[]).await {
        let project = stage.project("alpha");
        let ran = project.join("hook-ran.txt");
        let settings = |file: &str| {
            let hook = json!([{"hooks": [{"type": "command", "command": format!("touch {file}")}]}]);
            json!({"hooks": {"SessionStart": hook, "SessionEnd": hook}})
        };
        std::fs::create_dir(project.join(".claude")).expect("made");
        let file = project.join(".claude/settings.json");
        std::fs::write(&file, settings(&ran.display().to_string()).to_string()).expect("written");

        let wake = async || {
            stage.world.post("/api/teams/alpha/sleep", json!({})).await;
            stage.tell("alpha", "hello", json!([{"text": "hi"}])).await;
        };
        wake().await;
        assert!(!ran.exists(), "{}: a hook of a folder that nobody trusts", stage.version);

        let trust = stage.world.get("/api/teams/alpha/trust").await;
        assert_eq!((&trust["trusted"], &trust["files"]), (&json!(false), &json!([".claude/settings.json"])), "{trust}");
        let (status, _) = stage.world.post("/api/teams/alpha/trust", json!({"digest": "0".repeat(64)})).await;
        assert_eq!(status, 409, "only what was looked at can be trusted");
        let (status, after) = stage.world.post("/api/teams/alpha/trust", json!({"digest": trust["digest"]})).await;
        assert_eq!((status, &after["trusted"]), (200, &json!(true)));
        wake().await;
        assert!(ran.exists(), "{}: a trusted hook runs", stage.version);

        std::fs::remove_file(&ran).expect("removed");
        let other = project.join("other-ran.txt");
        std::fs::write(&file, settings(&other.display().to_string()).to_string()).expect("written");
        // The agent that is awake reads the folder's settings: it is not told anything any more, not even that it ends.
        let told = stage.tell("alpha", "hello", json!([{"text": "hi"}])).await;
        assert_eq!(told["response"], "hi", "{}: {told}", stage.version);
        let kept = stage.messages(told["turnId"].as_str().expect("a turn")).await;
        let says = |(kind, text): &(String, String)| kind == "system" && text.contains("`iris trust alpha`");
        assert_eq!(kept.iter().filter(|said| says(said)).count(), 1, "{}: asked again: {kept:?}", stage.version);
        let stopped = stage.world.events("session.stopped").await;
        assert_eq!(stopped.last().expect("one")["data"]["why"], "untrusted", "{}: {stopped:?}", stage.version);
        assert!(!other.exists() && !ran.exists(), "{}: it changed, so it is not trusted any more", stage.version);
        assert_eq!(stage.world.get("/api/teams/alpha/trust").await["changed"], true);
    }
}

/// What is in the background leads to a turn that nobody told: settings that changed meanwhile do not take effect in it.
#[tokio::test]
async fn a_turn_of_its_own_does_not_go_by_settings_that_changed() {
    for stage in stages(&["grantPermission: yes"]).await {
        let project = stage.project("alpha");
        std::fs::create_dir(project.join(".claude")).expect("made");
        let file = project.join(".claude/settings.json");
        std::fs::write(&file, "{}").expect("written");
        let trust = stage.world.get("/api/teams/alpha/trust").await;
        stage.world.post("/api/teams/alpha/trust", json!({"digest": trust["digest"]})).await;
        let script = json!([
            {"tool": "Bash", "input": {"command": "until test -e go; do sleep 0.1; done", "run_in_background": true}},
            {"text": "started"},
            {"tool": "Bash", "input": {"command": "touch done"}, "delay_ms": 3000},
            {"text": "done"}
        ]);
        stage.tell("alpha", "work", script).await;
        let ran = project.join("hook-ran.txt");
        let hook = json!([{"hooks": [{"type": "command", "command": format!("touch {}", ran.display())}]}]);
        let hooks = json!({"hooks": {"PreToolUse": hook, "Stop": hook, "SessionEnd": hook}});
        std::fs::write(&file, hooks.to_string()).expect("written");
        std::fs::write(project.join("go"), "").expect("written");
        stage.until("its agent is stopped", async || !stage.world.events("session.stopped").await.is_empty()).await;
        let stopped = stage.world.events("session.stopped").await;
        assert_eq!(stopped[0]["data"]["why"], "untrusted", "{}: {stopped:?}", stage.version);
        assert!(!ran.exists() && !project.join("done").exists(), "{}: nobody trusts this", stage.version);
        // It may have been looked just before it began.
        if let Some(own) = stage.turns("user", "alpha").await.get(1) {
            assert_eq!(own["state"], "terminated", "{}: {own}", stage.version);
        }
        let told = stage.tell("alpha", "again", json!([{"text": "hi"}])).await;
        assert_eq!(told["response"], "hi", "{}: {told}", stage.version);
    }
}

#[tokio::test]
async fn nothing_goes_on_in_the_background_by_settings_that_changed() {
    for stage in stages(&["grantPermission: yes"]).await {
        let project = stage.project("alpha");
        let file = project.join("CLAUDE.md");
        std::fs::write(&file, "be kind").expect("written");
        let trust = stage.world.get("/api/teams/alpha/trust").await;
        stage.world.post("/api/teams/alpha/trust", json!({"digest": trust["digest"]})).await;
        let background = json!({"command": "sleep 600", "run_in_background": true});
        stage.tell("alpha", "work", json!([{"tool": "Bash", "input": background}, {"text": "started"}])).await;
        std::fs::write(&file, "be cruel").expect("written");
        stage.until("its agent is stopped", async || !stage.world.events("session.stopped").await.is_empty()).await;
        let stopped = stage.world.events("session.stopped").await;
        assert_eq!(stopped[0]["data"]["why"], "untrusted", "{}: {stopped:?}", stage.version);
    }
}

/// The CLI asks git how things are for its first turn, and git runs what the folder's own config names for that.
#[tokio::test]
async fn git_runs_nothing_of_a_folder_that_nobody_trusts() {
    for stage in stages(&[]).await {
        for (team, settings) in [("alpha", None), ("beta", Some(".claude"))] {
            let project = stage.project(team);
            if let Some(settings) = settings {
                std::fs::create_dir(project.join(settings)).expect("made");
                std::fs::write(project.join(settings).join("settings.json"), "{}").expect("written");
            }
            let git = booby_trap(&project);
            stage.tell(team, "hello", json!([{"text": "hi"}])).await;
            let ran = std::fs::read_to_string(project.join("ran")).unwrap_or_default();
            assert_eq!(ran, "", "{}: {team}", stage.version);
            git(&["status", "--short"]);
            git(&["log"]);
            let ran = std::fs::read_to_string(project.join("ran")).expect("else nothing was tried");
            assert!(ran.contains("clean") && ran.contains("--verify") && ran.contains("monitor"), "{ran}");
        }
    }
}

/// A repository whose `git status` and `git log` run programs of its own, which are noted in the file `ran`.
fn booby_trap(folder: &std::path::Path) -> impl Fn(&[&str]) {
    let (program, ran) = (folder.join("run.sh"), folder.join("ran"));
    let script = format!(
        "#!/bin/sh\necho \"$*\" >> {}\ncat > /dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho -----BEGIN PGP SIGNATURE-----\n",
        ran.display()
    );
    std::fs::write(&program, script).expect("written");
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("ours");
    std::fs::write(folder.join(".gitattributes"), "*.txt filter=x").expect("written");
    std::fs::write(folder.join("f.txt"), "a").expect("written");
    let (folder, text) = (folder.to_owned(), program.display().to_string());
    let git = move |args: &[&str]| {
        let mut git = std::process::Command::new("git");
        let done = git.current_dir(&folder).args(args).output().expect("git");
        assert!(done.status.success(), "{args:?}: {done:?}");
    };
    git(&["init", "-q", "."]);
    git(&["config", "gpg.program", &text]);
    git(&["config", "log.showSignature", "true"]);
    git(&["add", "."]);
    git(&["-c", "user.name=n", "-c", "user.email=e@e", "commit", "-q", "-S", "-m", "one"]);
    git(&["config", "core.fsmonitor", &format!("{text} monitor")]);
    git(&["config", "filter.x.clean", &format!("{text} clean")]);
    std::fs::remove_file(ran).expect("it signed");
    // Older than git knows it, so that git looks at its content.
    let file = std::fs::File::options().write(true).open(program.with_file_name("f.txt")).expect("opened");
    file.set_modified(std::time::UNIX_EPOCH).expect("ours");
    git
}
