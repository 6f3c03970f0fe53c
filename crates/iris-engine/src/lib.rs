//! Makes things happen: verbs on nouns, the pool of agents, the bus, and upkeep.
//!
//! The engine decides by asking iris-core and remembers by telling iris-store. It knows no HTTP, no MCP and no command
//! line: those call it.

mod agent;
pub mod backup;
pub mod bus;
pub mod config;
mod engine;
pub mod figures;
pub mod halt;
pub mod home;
pub mod job;
mod others;
pub mod party;
pub mod pool;
pub mod question;
pub mod reply;
pub mod rule;
pub mod secret;
pub mod session;
pub mod tasks;
mod team;
pub mod token;
pub mod tool;
pub mod trust;
pub mod turn;
mod upkeep;

pub use engine::{Engine, EngineStatus, StartError};
pub use iris_agents::contain::Holds;
pub use iris_store::job::JobRow;
pub use iris_store::look::{Seen, look as look_at_database, look_at_server};
pub use iris_store::question::{Closed, Figures, Listed, OpenFilter, QuestionRow};
pub use iris_store::rule::RuleRow;
pub use iris_store::session::{Record, Seen as SessionSeen, SessionRow};
pub use iris_store::token::TokenRow;
pub use iris_store::turn::TurnRow;
pub use iris_store::{StoreError, StoreHealth, wall_ms};
