//! Clients that we did not write.
