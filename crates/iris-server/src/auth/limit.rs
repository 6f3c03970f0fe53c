//! How often somebody may ask.

use std::num::NonZeroU32;

use axum::http::StatusCode;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};
use iris_core::credential::CredentialKind;
use iris_engine::token::Credential;

use crate::http::problem::{Fault, refused};

/// How many strangers are turned away each second before they are only told to wait.
const STRANGERS: NonZeroU32 = NonZeroU32::new(20).expect("not zero");

pub(crate) struct Limits {
    /// By the credential's id, so there are never more than there are tokens. The owner is not limited: whoever has that token needs no door to do harm.
    each: DefaultKeyedRateLimiter<String>,
    strangers: DefaultDirectRateLimiter,
}

impl Limits {
    pub fn new(per_second: NonZeroU32) -> Self {
        let burst = per_second.saturating_mul(NonZeroU32::new(2).expect("not zero"));
        Self {
            each: RateLimiter::keyed(Quota::per_second(per_second).allow_burst(burst)),
            strangers: RateLimiter::direct(Quota::per_second(STRANGERS)),
        }
    }

    pub fn check(&self, credential: &Credential) -> Result<(), Fault> {
        if credential.kind == CredentialKind::Owner {
            return Ok(());
        }
        self.each.check_key(&credential.id).map_err(|until| {
            let wait = until.wait_time_from(DefaultClock::default().now());
            let seconds = wait.as_secs() + 1;
            let what = format!("'{}' asks too often; wait {seconds} s", credential.name);
            refused(StatusCode::TOO_MANY_REQUESTS, "limit", what)
                .retry_after(seconds)
                .hint("server.requestsPerSecond in config.yaml says how often a token may ask")
        })
    }

    /// Guessing is slow: beyond some tries a second, a stranger is not even told whether it was right.
    pub fn may_guess(&self) -> Result<(), Fault> {
        self.strangers.check().map_err(|_| {
            let what = "too many requests without a good credential; wait a second".to_owned();
            let hint = "whoever has a good token is not held up by this; the owner's is in IRIS_HOME/token";
            refused(StatusCode::TOO_MANY_REQUESTS, "limit", what).retry_after(1).hint(hint)
        })
    }
}
