//! The dashboard's files become part of a release build, so a new dashboard is a new build. Nothing is built here.

fn main() {
    println!("cargo:rerun-if-changed=../../dashboard/dist");
}
