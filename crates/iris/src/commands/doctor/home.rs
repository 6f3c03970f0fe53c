//! The home: is it there, and can nobody else look inside?

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use iris_engine::home::Home;

use super::Finding;
use crate::place;

const HOME: &str = "home";
const TOKEN: &str = "token";

pub(super) fn look(home: &Home) -> Vec<Finding> {
    let shown = place::shown(home.root());
    let Some(mode) = mode(home.root()) else {
        return vec![Finding::warning(HOME, format!("{shown} is not there yet"), "`iris serve` makes it")];
    };
    let folder = if mode & 0o077 == 0 {
        Finding::ok(HOME, shown)
    } else {
        let help = format!("run `chmod 700 {shown}`");
        Finding::warning(HOME, format!("others may look into {shown} (mode {mode:o})"), help)
    };
    vec![folder, token(home)]
}

fn token(home: &Home) -> Finding {
    let file = home.token_file();
    let shown = place::shown(&file);
    match mode(&file) {
        None => Finding::warning(TOKEN, format!("there is no {shown} yet"), "`iris serve` makes it"),
        Some(mode) if mode & 0o077 == 0 => Finding::ok(TOKEN, format!("{shown} is the owner's alone")),
        Some(mode) => {
            let what = format!("others may read {shown} (mode {mode:o}): whoever has it controls every agent");
            let help = format!("run `chmod 600 {shown}`; if somebody read it, delete it and start Iris anew");
            Finding::problem(TOKEN, what, help)
        }
    }
}

fn mode(path: &Path) -> Option<u32> {
    std::fs::metadata(path).ok().map(|found| found.permissions().mode() & 0o777)
}
