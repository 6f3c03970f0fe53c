//! The man pages: what clap knows of a command, with its examples as they were written.
//!
//! The generator's own page would fill the lines of the examples and call them EXTRA.

use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_mangen::Man;
use roff::{Roff, roman};

/// A page for the command and one for each below it.
pub fn write(command: Command, folder: &Path) -> io::Result<()> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    write_all(&command, folder)
}

fn write_all(command: &Command, folder: &Path) -> io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        write_all(below, folder)?;
    }
    let man = Man::new(command.clone()).source(concat!("iris ", env!("CARGO_PKG_VERSION")));
    let mut page = Vec::new();
    render(command, &man, &mut page)?;
    std::fs::write(folder.join(man.get_filename()), escaped(&String::from_utf8_lossy(&page)))
}

/// A formatter reads bytes: what is not ASCII has to be named.
fn escaped(page: &str) -> String {
    let written = |c: char| if c.is_ascii() { c.to_string() } else { format!("\\[u{:04X}]", u32::from(c)) };
    page.chars().map(written).collect()
}

fn render(command: &Command, man: &Man, page: &mut dyn Write) -> io::Result<()> {
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    if command.get_arguments().any(|argument| !argument.is_hide_set()) {
        man.render_options_section(page)?;
    }
    if command.get_subcommands().any(|below| !below.is_hide_set()) {
        man.render_subcommands_section(page)?;
    }
    let after = command.get_after_long_help().or_else(|| command.get_after_help());
    if let Some(after) = after {
        sections(&after.to_string()).to_writer(page)?;
    }
    if command.get_version().is_some() {
        man.render_version_section(page)?;
    }
    Ok(())
}

/// What stands behind the options: headings that end with a colon, lines below them that are indented and stay as they
/// are, and sentences.
fn sections(text: &str) -> Roff {
    let mut roff = Roff::new();
    let mut is_kept = false;
    let lines: Vec<&str> = text.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let is_indented = |line: &str| line.starts_with("  ");
        let is_heading = !is_indented(line) && lines.get(at + 1).is_some_and(|next| is_indented(next));
        let keeps = is_indented(line) || (is_kept && line.is_empty());
        if keeps != is_kept {
            roff.control(if keeps { "nf" } else { "fi" }, []);
            is_kept = keeps;
        }
        match line.strip_suffix(':') {
            Some(name) if is_heading => roff.control("SH", [name.to_uppercase().as_str()]),
            _ if line.is_empty() => roff.control("PP", []),
            _ => roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]),
        };
    }
    if is_kept {
        roff.control("fi", []);
    }
    roff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_one_that_a_formatter_reads() {
        use clap::CommandFactory;
        let folder = tempfile::tempdir().expect("a folder");
        write(crate::arguments::Arguments::command(), folder.path()).expect("written");
        let pages = std::fs::read_dir(folder.path()).expect("readable").map(|page| page.expect("a page").path());
        for page in pages {
            let text = std::fs::read_to_string(&page).expect("text");
            assert!(text.is_ascii(), "{}", page.display());
        }
        let tell = std::fs::read_to_string(folder.path().join("iris-tell.1")).expect("a page");
        assert!(tell.contains(r"\[u2026]"), "{tell}");
    }

    #[test]
    fn examples_keep_their_lines_and_sentences_are_filled() {
        let text = "Examples:\n  iris up     starts it\n  iris \\ .x\n  .y\n\nA sentence that\ngoes on.\n\nExit codes:\n  0  done";
        insta::assert_snapshot!(sections(text).to_roff());
    }
}
