//! What the commands say of themselves.

use crate::daemon::Place;

#[test]
fn every_command_explains_itself() {
    let place = Place::empty();
    let commands: [&[&str]; 21] = [
        &[],
        &["serve"],
        &["status"],
        &["teams"],
        &["teams", "list"],
        &["teams", "show"],
        &["tell"],
        &["wake"],
        &["sleep"],
        &["stop"],
        &["cancel"],
        &["sessions"],
        &["sessions", "list"],
        &["sessions", "show"],
        &["sessions", "delete"],
        &["cache"],
        &["cache", "inspect"],
        &["cache", "clear"],
        &["events"],
        &["doctor"],
        &["backup"],
    ];
    let asks: [&[&str]; 10] = [
        &["inbox"],
        &["monitor"],
        &["answer"],
        &["rules"],
        &["rules", "list"],
        &["rules", "revoke"],
        &["jobs"],
        &["jobs", "start"],
        &["jobs", "show"],
        &["jobs", "stop"],
    ];
    for command in commands.into_iter().chain([&["restore"][..], &["detect"][..]]).chain(asks) {
        let words: Vec<&str> = command.iter().copied().chain(["--help"]).collect();
        let help = place.iris(&words).ok();
        assert!(help.contains("Examples:"), "{words:?} has no examples");
        let name = if command.is_empty() { "iris".to_owned() } else { command.join("_") };
        insta::assert_snapshot!(format!("help_{name}"), help);
    }
}
