//! Databases of their own on the PostgreSQL that `cargo xtask` starts, and servers of a test's own.

pub mod server;

use std::sync::atomic::{AtomicU64, Ordering};

/// The url of a new, empty database; `None`, and a word about it, where there is no server.
pub fn fresh_database() -> Option<String> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let Ok(server) = std::env::var("IRIS_TEST_POSTGRES") else {
        eprintln!("IRIS_TEST_POSTGRES is not set: PostgreSQL is left out");
        return None;
    };
    let name = format!("d{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::SeqCst));
    let (base, _) = server.rsplit_once('/').expect("a url with a database");
    let url = format!("{base}/{name}");
    // The client runs a loop of its own, which must not be inside another.
    let created = std::thread::spawn(move || {
        let mut client = postgres::Client::connect(&server, postgres::NoTls).expect("the server answers");
        client.batch_execute(&format!("CREATE DATABASE {name}")).expect("a new database");
    });
    created.join().expect("the database is made");
    Some(url)
}
