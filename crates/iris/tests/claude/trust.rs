//! What a folder brings along takes effect only after the user has looked at it.

use serde_json::json;

use crate::stage::stages;

#[tokio::test]
async fn hooks_of_a_folder_run_only_while_their_content_is_trusted() {
    for stage in stages(&[]).await {
        let project = stage.project("alpha");
        let ran = project.join("hook-ran.txt");
        let settings = |file: &str| json!({"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": format!("touch {file}")}]}]}});
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
        // The agent that is awake reads the folder's settings: it is not told anything any more.
        let told = stage.tell("alpha", "hello", json!([{"text": "hi"}])).await;
        assert_eq!(told["response"], "hi", "{}: {told}", stage.version);
        let stopped = stage.world.events("session.stopped").await;
        assert_eq!(stopped.last().expect("one")["data"]["why"], "untrusted", "{}: {stopped:?}", stage.version);
        assert!(!other.exists() && !ran.exists(), "{}: it changed, so it is not trusted any more", stage.version);
        assert_eq!(stage.world.get("/api/teams/alpha/trust").await["changed"], true);
    }
}
