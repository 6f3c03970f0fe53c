//! What tests, benchmarks and soaks share: a real daemon in a temporary home, a small client, a shadow model for
//! crashes, and a scripted model for the real CLI. Never a dependency of anything that ships.

pub mod bench;
pub mod claude;
pub mod client;
pub mod daemon;
pub mod model;
pub mod postgres;
pub mod record;
pub mod shadow;
