//! Passing an answer on to the agent: on its pipe if it still waits there, else by a turn. Safe to do twice: the store
//! lets it happen once.

use std::sync::Arc;

use iris_core::id::{SessionId, TurnId};
use iris_core::key::KeyHolder;
use iris_core::question::QuestionState;
use iris_core::relay::Voice;
use iris_store::question::{self, QuestionRow};
use iris_store::turn::NewTurn;
use iris_store::{StoreError, session};
use uuid::Uuid;

use crate::engine::{Engine, Inner};

const AT_ONCE: i64 = 200;

/// Everything that is due; recovery is nothing but this.
pub(crate) async fn pass_on_all(engine: &Arc<Inner>) -> Result<(), StoreError> {
    for row in engine.store.read(|tx| question::list_to_pass_on(tx, AT_ONCE)).await? {
        pass_on(engine, &row).await;
    }
    Ok(())
}

/// Whether the agent goes on because of it.
pub(crate) async fn pass_on(engine: &Arc<Inner>, row: &QuestionRow) -> bool {
    if row.resume.as_deref() != Some("due") || engine.is_closing() {
        return false;
    }
    if let Some(runner) = engine.runner(&row.session)
        && runner.answer(row.clone()).await
    {
        return true;
    }
    match tell(engine, row).await {
        Ok(told) => told,
        Err(error) => {
            tracing::warn!(question = %row.id, %error, "an answer could not be passed on; it will be tried again");
            false
        }
    }
}

/// Whoever answers and upkeep may both pass it on: the one that comes second did not, and the agent goes on all the same.
async fn was_passed_on(engine: &Arc<Inner>, row: &QuestionRow) -> Result<bool, StoreError> {
    let id = row.id.clone();
    let now = engine.store.read(move |tx| question::find(tx, &id)).await?;
    let is_answered = |row: &QuestionRow| matches!(row.state, QuestionState::Answered | QuestionState::Defaulted);
    // Handed over is as good: the agent may not have said anything since.
    let is_passed = |row: &QuestionRow| matches!(row.resume.as_deref(), Some("handed" | "done"));
    Ok(now.is_some_and(|now| is_answered(&now) && is_passed(&now)))
}

/// Resumes the conversation with the answer.
async fn tell(engine: &Arc<Inner>, row: &QuestionRow) -> Result<bool, StoreError> {
    if engine.team(&row.team).is_none() || engine.halt.is_on() {
        return Ok(false);
    }
    let id = row.session.clone();
    let Some(session) = engine.store.read(move |tx| session::find(tx, &id)).await? else { return Ok(false) };
    let (id, turn) = (row.id.clone(), TurnId::new(Uuid::now_v7().to_string()));
    let told = engine
        .store
        .write("question.resume", move |tx| {
            question::resume_by_turn(tx, &id, |row| NewTurn {
                id: turn.clone(),
                fresh_session: SessionId::new(Uuid::new_v4().to_string()),
                from: session.from.clone(),
                through: None,
                voice: Voice::Tells,
                to: session.to.clone(),
                body: question::words(row),
                key: Some(KeyHolder::iris().key(&format!("answer/{}", row.id)).as_str().to_owned()),
                delay_ms: None,
                // An answer is never turned away.
                longest_queue: i64::MAX,
                cause: None,
                depth: 0,
                origin: Some("answer"),
                detached: true,
            })
        })
        .await?;
    let Some(accepted) = told else { return was_passed_on(engine, row).await };
    Engine::of(engine).set_going(accepted).await;
    Ok(true)
}
