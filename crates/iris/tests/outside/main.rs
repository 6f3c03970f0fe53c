//! The doors, tried by programs we did not write. `cargo xtask test` fetches them; without them a test says so and passes, or fails in CI.

#[allow(dead_code, reason = "shared with the tests of the daemon, which use more of it")]
#[path = "../daemon/world.rs"]
mod world;

mod hostile;
mod schemathesis;
mod viewer;

use iris_testing::outside::found;
