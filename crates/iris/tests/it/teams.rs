//! `iris teams add`, `remove` and `import`: what becomes of config.yaml, and what is said.

use std::fs;

use crate::daemon::{Place, mode};

fn project(place: &Place, name: &str) -> String {
    let folder = place.path(name);
    fs::create_dir_all(&folder).expect("a folder");
    folder.to_str().expect("text").to_owned()
}

fn config(place: &Place) -> String {
    fs::read_to_string(place.home().join("config.yaml")).expect("a config")
}

#[test]
fn the_first_command_of_all_may_be_the_one_that_adds_a_team() {
    let place = Place::empty();
    let ran = place.iris(&["teams", "add", &project(&place, "shop")]);
    assert!(ran.stderr.contains("start it: iris up"), "{ran:?}");
    assert!(ran.ok().contains("shop is a team"));
    assert!(config(&place).contains("\n  shop:\n"), "{}", config(&place));
    assert_eq!((mode(&place.home()), mode(&place.home().join("config.yaml"))), (0o700, 0o600));
}
