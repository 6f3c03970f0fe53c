//! What tests, benchmarks and soaks share: a real daemon in a temporary home, a small client, a shadow model for
//! crashes, and a scripted model for the real CLI. Never a dependency of anything that ships.

pub mod bench;
pub mod claude;
pub mod client;
pub mod daemon;
#[expect(deprecated, reason = "the suite asks for what the newer revision does without")]
pub mod fixtures;
pub mod fuzz;
pub mod generated;
pub mod model;
pub mod outside;
pub mod postgres;
pub mod proxy;
pub mod record;
pub mod shadow;
