//! The promises, and what it means to keep one.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;

use crate::kind::kinds;
use crate::stage::Stage;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    ATellIsAnswered,
    OneProcessServesManyTells,
    TextIsSeenWhileItIsWritten,
    FiguresArePerTurn,
    ToolsAreKeptAsTypedMessages,
    SubAgentsNameTheirParent,
    TextIsNeverACommand,
    LongMessagesArriveWhole,
    PermissionIsGiven,
    PermissionIsRefused,
    PermissionWaitsForAPerson,
    PermissionIsWithdrawn,
    QuestionsReachAPerson,
    AnInterruptEndsATurn,
    AFailureSaysWhy,
    ADeathIsTold,
    ResumedAfterSleep,
    ResumedAfterDeath,
    ResumedAfterTheDaemon,
    AForkGoesItsOwnWay,
    SleepLeavesNothing,
    ToolsOfIrisWork,
    TheCallerIsStamped,
    BackgroundWorkIsKnown,
}

/// A declared exception is tried too, but not for long.
const PATIENCE_WITH_AN_EXCEPTION: Duration = Duration::from_secs(10);

/// Tries a promise with every kind of agent. `keys` are lines in the configuration of its teams.
pub async fn check(promise: Promise, keys: &[&str], keep: impl AsyncFn(Stage)) {
    let mut broken = Vec::new();
    for kind in kinds().await {
        let (name, exception) = (kind.name(), kind.exception(promise));
        let trial = AssertUnwindSafe(keep(Stage::new(kind, keys))).catch_unwind();
        let kept = match exception {
            None => trial.await.is_ok(),
            Some(_) => matches!(tokio::time::timeout(PATIENCE_WITH_AN_EXCEPTION, trial).await, Ok(Ok(()))),
        };
        if let Some(why) = exception {
            eprintln!("{name} is excepted from {promise:?}: {why}");
        }
        broken.extend(verdict(&name, promise, exception, kept));
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// What is wrong, if anything is.
fn verdict(kind: &str, promise: Promise, exception: Option<&str>, kept: bool) -> Option<String> {
    match (exception, kept) {
        (None, true) | (Some(_), false) => None,
        (None, false) => Some(format!("{kind} does not keep {promise:?}; what it did instead is above")),
        (Some(why), true) => {
            Some(format!("{kind} keeps {promise:?}, so that its exception is to be removed; it was: {why}"))
        }
    }
}

#[test]
fn an_exception_that_is_none_is_found() {
    let said = |exception, kept| verdict("codex", Promise::FiguresArePerTurn, exception, kept);
    assert_eq!((said(None, true), said(Some("it counts nothing"), false)), (None, None));
    assert!(said(None, false).is_some_and(|said| said.contains("codex does not keep FiguresArePerTurn")));
    assert!(said(Some("it counts nothing"), true).is_some_and(|said| said.contains("is to be removed")));
}
