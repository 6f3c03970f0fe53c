//! The dashboard's files become part of a release build, so a new dashboard is a new build. Nothing is built here.

#[expect(clippy::print_stdout, reason = "cargo listens to what a build script prints")]
fn main() {
    println!("cargo:rerun-if-changed=../../dashboard/dist");
}
