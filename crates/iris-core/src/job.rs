//! A job: a piece of work that a team carries out to its end, over as many turns as it takes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::question::named;
use crate::turn::{Ending, Termination};

named! {
    JobState {
        Running = "running",
        /// An agent waits for somebody's answer.
        WaitingForInput = "waiting_for_input",
        /// An agent waits for somebody's leave.
        WaitingForApproval = "waiting_for_approval",
        Completed = "completed",
        Failed = "failed",
        /// Somebody ended it.
        Stopped = "stopped",
    }
}

impl JobState {
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Stopped)
    }
}

/// What a job has going.
#[derive(Clone, Debug, Default)]
pub struct JobView {
    pub has_running_turn: bool,
    pub waiting_turns: i64,
    /// What its agent does between turns.
    pub background: i64,
    /// Questions whose answers it waits for.
    pub open_questions: i64,
    /// Answers that have not reached it yet.
    pub answers_under_way: i64,
    pub last_ending: Option<Ending>,
    pub last_response: String,
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobEnd {
    pub state: JobState,
    pub result: Option<String>,
    pub error: Option<String>,
}

/// Whether a job is at its end: nothing runs, nothing waits and nobody is asked. How it ended is how its last turn did.
pub fn settle(view: &JobView) -> Option<JobEnd> {
    let JobView { has_running_turn, waiting_turns, background, open_questions, answers_under_way, .. } = *view;
    if has_running_turn || waiting_turns + background + open_questions + answers_under_way > 0 {
        return None;
    }
    let ending = view.last_ending.as_ref()?;
    let state = match ending {
        Ending::Completed => JobState::Completed,
        Ending::Cancelled => JobState::Stopped,
        Ending::Terminated { cause: Termination::Stopped { .. } } => JobState::Stopped,
        Ending::Failed { .. } | Ending::Terminated { .. } => JobState::Failed,
    };
    let result = Some(view.last_response.clone()).filter(|text| !text.is_empty());
    Some(JobEnd { state, result, error: ending.explain() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(change: impl FnOnce(&mut JobView), expected: Option<JobState>) {
        let mut view = JobView { last_ending: Some(Ending::Completed), ..JobView::default() };
        change(&mut view);
        assert_eq!(settle(&view).map(|end| end.state), expected, "{view:?}");
    }

    #[test]
    fn a_job_ends_when_nothing_of_it_goes_on() {
        check(|_| {}, Some(JobState::Completed));
        check(|view| view.has_running_turn = true, None);
        check(|view| view.waiting_turns = 1, None);
        check(|view| view.background = 1, None);
        check(|view| view.open_questions = 1, None);
        check(|view| view.answers_under_way = 1, None);
        check(|view| view.last_ending = None, None);
        check(|view| view.last_ending = Some(Ending::Failed { error: "no".to_owned() }), Some(JobState::Failed));
        check(|view| view.last_ending = Some(Ending::Cancelled), Some(JobState::Stopped));
        let interrupted = Ending::Terminated { cause: Termination::Interrupted };
        check(|view| view.last_ending = Some(interrupted), Some(JobState::Failed));
    }
}
