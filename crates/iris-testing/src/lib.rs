//! What tests, benchmarks and soaks share: a real daemon in a temporary home, a small client, and a shadow model for
//! crashes. Never a dependency of anything that ships.

pub mod bench;
pub mod client;
pub mod daemon;
pub mod postgres;
pub mod shadow;
