//! Answering: the first answer counts, is on disk, and reaches the agent.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use iris_core::actor::Actor;
use iris_core::duration::Millis;
use iris_core::id::{JobId, QuestionId};
use iris_core::key::KeyHolder;
use iris_core::question::{
    Answer, AnswerError, Detail, QuestionKind, QuestionState, hear, takes, what_is_asked, words_to,
};
use iris_core::relay::Voice;
use iris_core::rule::RuleScope;
use iris_store::question::{self, Answered, Given, OpenFilter, QuestionRow};
use iris_store::{StoreError, wall_ms};
use serde_json::Value;

use super::{QuestionError, is_repeatable, pass_on};
use crate::engine::Engine;
use crate::job::{JobError, StartJob};
use crate::tasks;
use crate::turn::tell::{Patience, Tell, TellError};

/// What a person says, and what is to be made of it.
#[derive(Clone, Debug)]
pub struct Saying {
    /// Over the wire: true or false, an option or several, words, or fields.
    pub value: Value,
    /// What is said beside it.
    pub text: Option<String>,
    /// What type of answer it is, if the person says so.
    pub kind: Option<String>,
    /// The digest of the action that the person saw.
    pub seen: Option<String>,
    /// Make a rule of it.
    pub remember: Option<(RuleScope, Millis)>,
    /// If it is too late, run the work again with it.
    pub again: bool,
}

/// What came of an answer.
#[derive(Clone, Debug)]
pub struct Taken {
    pub row: QuestionRow,
    /// The agent has it, or the work was started again with it.
    pub resumed: bool,
    /// What was started again: a job or a turn.
    pub again: Option<String>,
}

const SHORTEST_RULE: Millis = Millis(60_000);
const LONGEST_RULE: Millis = Millis(30 * 24 * 3_600_000);

impl Engine {
    pub async fn answer_question(&self, id: &QuestionId, by: &Actor, saying: Saying) -> Result<Taken, QuestionError> {
        let row = self.find_question(id).await?;
        let fits = saying.kind.as_deref().map_or(Ok(()), |kind| takes(&row.detail, kind));
        let answer = fits.and_then(|()| hear(&row.detail, &saying.value, saying.text.clone()));
        let answer = answer.map_err(|error| unfit(&row, &saying, error))?;
        check_rule(&row, &answer, saying.remember)?;
        let refusals_last = self.inner.config().questions.refusals_last;
        let given = Given {
            by: by.clone(),
            answer: answer.clone(),
            seen: saying.seen.clone(),
            remember: saying.remember.map(|(scope, length)| (scope, millis(length))),
            refusals_last_ms: millis(refusals_last),
        };
        let (wanted, said) = (id.clone(), given.clone());
        let answered =
            self.inner.store.write("question.answer", move |tx| question::answer(tx, &wanted, &said)).await?;
        match answered {
            Answered::NotFound => Err(QuestionError::NotFound(id.clone())),
            Answered::Changed(row) => Err(QuestionError::Changed(row)),
            Answered::Lost(row) if saying.again && is_repeatable(&row) => self.run_again(*row, given).await,
            Answered::Late(row) if saying.again => self.run_again(*row, given).await,
            Answered::Lost(row) => Err(QuestionError::Closed(row)),
            Answered::Late(row) => {
                self.inner.upkeep.nudge();
                Err(QuestionError::Late(row))
            }
            Answered::Won(row) => Ok(self.pass_on_now(*row).await),
        }
    }

    /// Answers everything else that is open and asks the very same. Returns what this answer counted for.
    pub async fn answer_similar(
        &self,
        row: &QuestionRow,
        by: &Actor,
        saying: &Saying,
    ) -> Result<Vec<QuestionId>, QuestionError> {
        let all = |tx: &mut iris_store::Tx<'_>| question::list_open(tx, &OpenFilter::default(), i64::MAX);
        let open = self.inner.store.read(all).await?.rows;
        let mut answered = Vec::new();
        let asked = what_it_asks(row);
        for other in open.into_iter().filter(|other| other.id != row.id && what_it_asks(other) == asked) {
            match self.answer_question(&other.id, by, Saying { remember: None, again: false, ..saying.clone() }).await {
                Ok(_) => answered.push(other.id),
                Err(QuestionError::Closed(_) | QuestionError::Late(_)) => {}
                // It takes no words of one's own, and the first one did.
                Err(QuestionError::DoesNotFit(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(answered)
    }

    /// How many others that are open ask the very same as each of these, so that one answer may do for all.
    pub async fn count_similar(&self, rows: &[QuestionRow]) -> Result<Vec<usize>, StoreError> {
        let all = |tx: &mut iris_store::Tx<'_>| question::list_open(tx, &OpenFilter::default(), i64::MAX);
        let open = self.inner.store.read(all).await?.rows;
        let mut asking: HashMap<String, HashSet<&str>> = HashMap::new();
        for row in &open {
            asking.entry(what_it_asks(row)).or_default().insert(row.id.as_str());
        }
        // One that is held back is not among them.
        let others = |row: &QuestionRow| {
            asking.get(&what_it_asks(row)).map_or(0, |all| all.len() - usize::from(all.contains(row.id.as_str())))
        };
        Ok(rows.iter().map(others).collect())
    }

    /// The answer is on disk. It is passed on in a task of its own, so that it is though whoever answered goes away.
    async fn pass_on_now(&self, row: QuestionRow) -> Taken {
        let (inner, passed) = (Arc::clone(&self.inner), row.clone());
        let task = tasks::spawn("pass on", async move { pass_on::pass_on(&inner, &passed).await });
        let resumed = task.await.unwrap_or(false);
        self.inner.upkeep.nudge();
        Taken { row, resumed, again: None }
    }

    /// The work ended without the answer: it is done again, with it. What is to be remembered of the answer is, first: then
    /// it counts when the same is asked again.
    async fn run_again(&self, row: QuestionRow, given: Given) -> Result<Taken, QuestionError> {
        let (by, answer) = (given.by.clone(), given.answer.clone());
        let asked = match &row.detail {
            // Without it the agent could not know what it may do. It asks for leave again when it does it.
            Detail::Approval { tool, input, .. } => format!("{} ({tool} {})", row.text, input.get()),
            _ => row.text.clone(),
        };
        let said = format!("Earlier you asked: {asked}\n{by} answers now: {}", words_to(&row.detail, &answer));
        let started = match &row.job {
            Some(job) => {
                let before = self.find_job(job).await.map_err(|_| QuestionError::NoJob(job.to_string()))?;
                let start = StartJob {
                    team: before.team,
                    goal: before.goal,
                    by: by.clone(),
                    key: Some(KeyHolder::iris().key(&format!("again/{}", row.id))),
                    again_of: Some((before.id, said)),
                };
                match self.start_job(start).await {
                    Ok(job) => Ok(format!("job {}", job.id)),
                    Err(JobError::KeyTaken(job)) => Err(self.say_who_was_first(&job).await),
                    Err(error) => Err(error.to_string()),
                }
            }
            None => {
                let session = self.find_session(&row.session).await?;
                let from = session.map_or_else(|| by.party.clone(), |session| session.from);
                let tell = Tell {
                    from,
                    through: by.through.clone(),
                    // It is the answer to what was asked earlier, and to nothing that is open.
                    voice: Voice::Tells,
                    to: row.team.clone(),
                    text: format!("[Iris] {said}\nGo on with that."),
                    patience: Patience::None,
                    key: Some(KeyHolder::iris().key(&format!("again/{}", row.id))),
                    delay: None,
                    within: None,
                    follower: None,
                };
                match self.tell(tell).await {
                    Ok(told) => Ok(format!("turn {}", told.turn)),
                    Err(TellError::KeyTaken { turn }) => {
                        Err(format!("somebody has, with another answer (turn {turn})"))
                    }
                    Err(error) => Err(error.to_string()),
                }
            }
        };
        let started = started.map_err(QuestionError::NotAgain)?;
        // After it: what could not be done leaves no rule behind. Said again, it is the same work.
        let kept = row.clone();
        self.inner.store.write("rule.make", move |tx| question::remember(tx, &kept, &given)).await?;
        Ok(Taken { row, resumed: true, again: Some(started) })
    }

    async fn say_who_was_first(&self, job: &JobId) -> String {
        let Ok(first) = self.find_job(job).await else {
            return format!("somebody has, with another answer (job {job})");
        };
        let ago = (wall_ms() - first.created_at).max(0) / 1000;
        format!("{} has, with another answer, {ago} s ago (job {job})", first.started_by)
    }
}

/// Whoever comes too late is told so first: what would have fitted is of no use to them.
fn unfit(row: &QuestionRow, saying: &Saying, error: AnswerError) -> QuestionError {
    match row.state {
        QuestionState::Open => QuestionError::DoesNotFit(error),
        _ if saying.again && is_repeatable(row) => QuestionError::DoesNotFit(error),
        QuestionState::Expired | QuestionState::Defaulted => QuestionError::Late(Box::new(row.clone())),
        _ => QuestionError::Closed(Box::new(row.clone())),
    }
}

/// The same for what asks the very same. An approval is for the bytes that the person saw, in the team they were to run for.
/// Anything else is the same for whoever asks it.
fn what_it_asks(row: &QuestionRow) -> String {
    let is_approval = row.digest.is_some() || row.kind == QuestionKind::Approval;
    let asked = if is_approval { None } else { what_is_asked(&row.detail) };
    asked.unwrap_or_else(|| format!("{} {} {}", row.team, row.deed, row.digest.as_deref().unwrap_or_default()))
}

fn millis(length: Millis) -> i64 {
    i64::try_from(length.0).unwrap_or(i64::MAX / 4)
}

fn check_rule(row: &QuestionRow, answer: &Answer, remember: Option<(RuleScope, Millis)>) -> Result<(), QuestionError> {
    let Some((scope, length)) = remember else { return Ok(()) };
    let is_action = matches!(row.detail, Detail::Approval { .. });
    let fits = match scope {
        RuleScope::Deed | RuleScope::Tool => is_action,
        RuleScope::Question => !is_action,
    };
    if !fits {
        return Err(QuestionError::BadScope(scope.as_str()));
    }
    if matches!(answer, Answer::Approve { .. }) && !row.detail.is_readable() {
        return Err(QuestionError::Unreadable);
    }
    if length < SHORTEST_RULE || length > LONGEST_RULE { Err(QuestionError::BadLength) } else { Ok(()) }
}
