//! The doors, tried by programs we did not write. `cargo xtask test` fetches them; without them a test says so and passes.

#[allow(dead_code, reason = "shared with the tests of the daemon, which use more of it")]
#[path = "../daemon/world.rs"]
mod world;

mod hostile;
mod schemathesis;

use std::path::PathBuf;

/// A program that the environment names.
fn found(variable: &str) -> Option<PathBuf> {
    let found = std::env::var_os(variable).map(PathBuf::from);
    if found.is_none() {
        eprintln!("{variable} is not set: `cargo xtask test` sees to it; this test is left out");
    }
    found
}
