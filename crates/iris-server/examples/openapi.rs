//! Prints the description of the API, for `cargo xtask generate`.

use std::io::Write;

fn main() -> std::io::Result<()> {
    std::io::stdout().write_all(iris_server::openapi().as_bytes())
}
