//! One suite, both databases. Without IRIS_TEST_POSTGRES (set by `cargo xtask test`) the PostgreSQL half is left out.

mod agent;
mod backup;
mod databases;
mod figures;
mod lane;
mod log;
mod model;
mod notice;
mod question;
mod session;
mod tls;
mod turn;
