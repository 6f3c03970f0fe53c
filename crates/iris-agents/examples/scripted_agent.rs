//! The scripted agent as a program of its own, for this crate's tests.

fn main() -> std::process::ExitCode {
    iris_agents::scripted::run(std::env::args().skip(1))
}
