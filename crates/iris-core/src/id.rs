//! Names of things, each a type of its own, so that a session can never be passed where a turn is meant.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            pub fn new(value: impl Into<Arc<str>>) -> Self {
                Self(value.into())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    };
}

id_type! {
    /// A durable conversation from one party to a team. A UUID: agent CLIs are given it as their own session id.
    SessionId
}
id_type! {
    /// One tell and everything that came back. A UUID: it travels to the agent as the message's own id.
    TurnId
}
id_type! {
    /// Something an agent needs a human for.
    QuestionId
}
id_type! {
    /// A piece of work that a team carries out to its end.
    JobId
}
id_type! {
    /// A decision of a person that holds for a while.
    RuleId
}
id_type! {
    /// One daemon on one IRIS_HOME; the owner of the lanes it serves.
    NodeId
}
id_type! {
    /// Whoever speaks: a team, a user, a role. Stamped by Iris, never believed from text.
    Party
}
