//! A question that an agent asks in plain words at the end of its turn. It waits for the party that told the agent first;
//! a party that does not wait is not waited for.

use std::panic::AssertUnwindSafe;

use iris_core::detect::{DetectedKind, Detection, detect};
use iris_core::id::{QuestionId, TurnId};
use iris_core::question::draft::Found;
use iris_core::question::{Draft, QuestionKind};
use iris_core::relay::{Ended, TurnKind, may_look, pause_ms};
use iris_core::team::TeamName;
use iris_core::turn::{Ending, TurnOutcome};
use iris_store::question::{self, NewQuestion};
use iris_store::{StoreError, turn as turns};
use uuid::Uuid;

use super::run::Runner;

impl Runner {
    /// The question in a reply, to be written down with the end of its turn.
    pub(super) async fn find_question(
        &mut self,
        outcome: &TurnOutcome,
        turn: &TurnId,
    ) -> Result<Option<NewQuestion>, StoreError> {
        let config = self.engine.config();
        let analysis = &config.settings.agent.completion_analysis;
        let kind = if outcome.ending == Ending::Completed { TurnKind::Finished } else { TurnKind::Other };
        let ended = Ended { party: self.party.as_str(), team: self.team.as_str(), outcome: kind };
        if !analysis.applies_to(&self.team) || !may_look(&ended, &analysis.enabled_for) {
            return Ok(None);
        }
        let settings = match analysis.detect_settings() {
            Ok(settings) => settings,
            Err(error) => {
                tracing::warn!(%error, "replies are not looked at for questions");
                return Ok(None);
            }
        };
        // A reply is whatever an agent wrote. Should reading it ever go wrong, its turn still ends as it ended.
        let read = std::panic::catch_unwind(AssertUnwindSafe(|| detect(&outcome.response, &settings)));
        let Ok(found) = read else {
            tracing::error!(%turn, "a reply could not be read for questions; please report it");
            return Ok(None);
        };
        if !found.is_for_people() {
            return Ok(None);
        }
        let (id, session) = (turn.clone(), self.session.clone());
        let look = move |tx: &mut iris_store::Tx<'_>| {
            let told = turns::find(tx, &id)?;
            question::found_lately(tx, &session).map(|lately| (told, lately))
        };
        let (told, (depth, since_last_ms)) = self.engine.store.read(look).await?;
        let is_own = told.as_ref().is_some_and(|told| told.origin.as_deref().is_some_and(|origin| origin != "answer"));
        let pause = pause_ms(depth, since_last_ms);
        if pause > 0 {
            tracing::info!(session = %self.session, depth, pause, "a question in a reply is kept back, lest it go on for ever");
        }
        // Nobody waits for what an agent does by itself; what it did in the background is done, and it may have to ask.
        let is_waited_for = !is_own && told.is_some_and(|told| !told.detached);
        let hidden_ms =
            if is_waited_for { i64::try_from(analysis.response_timeout.0).unwrap_or(i64::MAX / 4) } else { 0 };
        // Another agent that does not wait for the reply will not answer what it asks: then it is anybody's at once.
        let is_agents = self.party.as_str().parse().is_ok_and(|team: TeamName| config.teams.contains_key(&team));
        let asked_of = (is_waited_for || !is_agents).then(|| self.party.clone());
        let draft = Draft::found(&in_own_words(&found, &outcome.response), &config.questions.policy());
        Ok(Some(NewQuestion {
            id: QuestionId::new(Uuid::now_v7().to_string()),
            turn: Some(turn.clone()),
            request: String::new(),
            asked_of,
            key: None,
            hidden_ms: hidden_ms.max(pause),
            draft,
            waited_for: Vec::new(),
            is_outside: false,
        }))
    }
}

fn in_own_words<'a>(found: &'a Detection, reply: &'a str) -> Found<'a> {
    Found {
        kind: match found.kind {
            DetectedKind::Approval => QuestionKind::Approval,
            DetectedKind::Choice => QuestionKind::Choice,
            DetectedKind::ErrorRecovery => QuestionKind::ErrorRecovery,
            DetectedKind::Blocking | DetectedKind::Offer | DetectedKind::None => QuestionKind::Blocking,
        },
        text: found.question.as_ref().map_or(reply, |span| span.text.as_str()),
        options: &found.options,
        reply,
        reason: &found.reason,
        confidence: found.confidence,
        written: found.written.as_deref(),
    }
}
