//! What the commands say of themselves, every one of them: found by walking the help from the top, so that a new
//! command is looked at without being named here. The same walk makes docs/cli.md.

use std::path::Path;

use iris_testing::generated;

use crate::daemon::Place;

#[test]
fn every_command_explains_itself() {
    let pages = read_all(&Place::empty());
    assert!(pages.len() > 30, "the walk found only {} commands", pages.len());
    for Page { words, help } in &pages {
        assert!(help.contains("Examples:"), "iris {} has no examples", words.join(" "));
        let name = if words.is_empty() { "iris".to_owned() } else { words.join("_") };
        insta::assert_snapshot!(format!("help_{name}"), help);
    }
}

#[test]
fn help_may_be_asked_for_by_its_name() {
    let place = Place::empty();
    assert_eq!(place.iris(&["help"]).ok(), place.iris(&["--help"]).ok());
    assert_eq!(place.iris(&["help", "teams", "add"]).ok(), place.iris(&["teams", "add", "--help"]).ok());
    assert!(place.iris(&["help", "nothing"]).failed(2).contains("there is no command 'nothing'"));
    let told = place.iris(&["--json", "taems", "list"]).failed(2);
    assert!(told.contains("unrecognized subcommand 'taems'") && told.contains("similar"), "{told}");
    let told = place.iris(&["completions", "bash", "--json"]).json();
    assert_eq!(told["shell"], "bash");
    assert!(told["script"].as_str().is_some_and(|script| script.contains("_iris()")), "{told}");
}

#[test]
fn the_reference_is_what_the_commands_say() {
    let mut text = "# Commands\n\nMade from `--help` by `cargo xtask generate`; a test fails when it is out of date.\n\
                    How a command ends is in [exit-codes.md](exit-codes.md).\n"
        .to_owned();
    for Page { words, help } in read_all(&Place::empty()) {
        let title = ["iris".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ");
        text += &format!("\n## {title}\n\n```text\n{}\n```\n", help.trim_end());
    }
    generated::check(Path::new("docs/cli.md"), &text);
}

struct Page {
    words: Vec<String>,
    help: String,
}

fn read_all(place: &Place) -> Vec<Page> {
    let mut pages = Vec::new();
    // The last in is the first out, so that a command is followed by its own.
    let mut ahead = vec![Vec::new()];
    while let Some(words) = ahead.pop() {
        let asked: Vec<&str> = words.iter().map(String::as_str).chain(["--help"]).collect();
        let help = place.iris(&asked).ok();
        let below = list_commands(&help).into_iter().rev();
        ahead.extend(below.map(|name| words.iter().cloned().chain([name]).collect::<Vec<_>>()));
        pages.push(Page { words, help });
    }
    pages
}

fn list_commands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // A name stands two columns in; what is further in goes on with the description above it.
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_owned).collect()
}

/// Three words and no others, and every command that is said to show something is one.
#[test]
fn the_table_of_features_says_what_is_there_and_names_commands_that_exist() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/features.md");
    let text = std::fs::read_to_string(file).expect("the table");
    let known: Vec<String> = read_all(&Place::empty()).into_iter().map(|page| page.words.join(" ")).collect();
    let rows = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| what |"));
    let rows: Vec<Vec<&str>> = rows.map(|line| line.split('|').map(str::trim).collect()).collect();
    assert!(rows.len() > 30, "the table has only {} rows", rows.len());
    for row in rows {
        let (what, state, shown) = (row[1], row[2], row[3]);
        assert!(["works", "partial", "planned"].contains(&state), "{what}: '{state}'");
        assert!(state == "planned" || shown.contains('`'), "{what}: nothing shows it");
        assert!(state != "partial" || !row[4].is_empty(), "{what}: what is missing is not said");
        for command in shown.split('`').filter_map(|part| part.strip_prefix("iris ")) {
            let words: Vec<&str> = command.split(' ').take_while(|word| !word.starts_with('-')).collect();
            assert!(known.contains(&words.join(" ")), "{what}: there is no `iris {command}`");
        }
    }
}
