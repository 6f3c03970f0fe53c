//! The config that a person writes.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| iris_testing::fuzz::config(bytes));
