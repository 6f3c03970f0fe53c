//! Whole connections, against the real doors in this process.
#![no_main]

use std::sync::OnceLock;

use iris_testing::fuzz::Doors;
use libfuzzer_sys::fuzz_target;

static DOORS: OnceLock<Doors> = OnceLock::new();

fuzz_target!(|bytes: &[u8]| {
    let doors = DOORS.get_or_init(|| Doors::open().expect("the doors open"));
    doors.knock(bytes).expect("the doors are open");
});
