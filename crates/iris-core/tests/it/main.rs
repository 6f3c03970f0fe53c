//! iris-core from outside, on material that is too large to stand in a source file.

mod detect;
