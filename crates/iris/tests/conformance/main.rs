//! What Iris promises of an agent, whatever its kind. Every kind keeps every promise, or declares an exception and says
//! why; a declared exception that is none fails the suite too. Which deeds a kind needs is in `kind.rs`.

#[allow(dead_code, reason = "shared with the tests of the daemon, which use more of it")]
#[path = "../daemon/world.rs"]
mod world;

mod kind;
mod leave;
mod life;
mod promise;
mod stage;
mod talk;
mod work;
