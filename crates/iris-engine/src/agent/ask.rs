//! What an agent asks a person on its pipe: kept as an open question until somebody answers, nobody needs it any more, or
//! its time is over. The question outlives the process; only the request on the pipe ends with it.

use iris_core::agent::{AgentOutput, Reply, ToolAnswer};
use iris_core::id::QuestionId;
use iris_core::key::KeyHolder;
use iris_core::message::MessageType;
use iris_core::question::{Answer, Draft, QuestionState, reply, tool_answer};
use iris_core::team::GrantPermission;
use iris_core::turn::Ask;
use iris_store::StoreError;
use iris_store::question::{self, NewQuestion, Opening, QuestionRow};
use serde_json::json;
use uuid::Uuid;

use super::run::Runner;
use crate::question::key_taken;

/// A request of the agent's that waits for an answer.
#[derive(Debug)]
pub(super) struct OpenAsk {
    question: QuestionId,
    /// Of the action that was asked for on this pipe.
    digest: Option<String>,
    door: Door,
    /// The agent's own name for the call that waits.
    call: Option<String>,
}

/// How the agent wants its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Door {
    Control,
    Tool,
}

/// An answer that was written to the agent, until the agent has gone on.
#[derive(Debug)]
pub(super) struct Handed {
    question: QuestionId,
    call: Option<String>,
}

impl Runner {
    /// Opens a question. Until it is answered the agent waits, and nobody calls that silence.
    pub(super) async fn ask(&mut self, ask: &Ask) -> Result<(), StoreError> {
        let config = self.engine.config().questions.clone();
        let draft = match Draft::of(ask, &self.folder, &config.policy()) {
            Ok(draft) => draft,
            Err(error) => {
                self.refuse(ask, &error.to_string());
                return Ok(());
            }
        };
        let is_forwarded = matches!(ask, Ask::Permission(_)) && self.grant == GrantPermission::Forward;
        let new = NewQuestion {
            id: QuestionId::new(Uuid::now_v7().to_string()),
            turn: self.current_turn(),
            request: ask.request().to_owned(),
            asked_of: is_forwarded.then(|| self.party.clone()),
            key: key(ask).map(|given| KeyHolder::agent(&self.session).key(given).as_str().to_owned()),
            hidden_ms: 0,
            draft: draft.clone(),
            waited_for: self.asks.values().map(|open| open.question.clone()).collect(),
            is_outside: false,
        };
        let (session, epoch, limits) = (self.session.clone(), self.epoch, config.limits());
        let opening = self
            .engine
            .persist("question.open", move |tx| question::open(tx, &session, Some(epoch), &new, limits))
            .await?;
        match opening {
            Opening::Open(question) if draft.kind.blocks() => {
                let (digest, call) = (draft.digest, ask.call().map(str::to_owned));
                self.asks.insert(ask.request().to_owned(), OpenAsk { question, digest, door: door(ask), call });
            }
            Opening::Open(question) => {
                let note = "go on; an answer, should one come, is told to you later";
                let default = draft.default.map(|answer| answer.words());
                let answer = json!({ "questionId": question, "status": "open", "default": default, "note": note });
                self.agent.answer_tool(ask.request(), &Ok(answer));
            }
            // What was asked for now is what is answered, byte by byte.
            Opening::Answered(row) => {
                self.write(ask.request(), door(ask), &QuestionRow { detail: draft.detail, ..*row })
            }
            Opening::KeyTaken(first) => self.refuse(ask, &key_taken(key(ask).unwrap_or_default(), &first)),
            Opening::Limited { why } => {
                self.refuse(ask, &format!("Iris does not pass this on: {why}. Go on without, or ask later."));
                self.say_limited(why).await?;
            }
        }
        Ok(())
    }

    fn refuse(&mut self, ask: &Ask, why: &str) {
        match door(ask) {
            Door::Tool => self.agent.answer_tool(ask.request(), &Err(why.to_owned())),
            Door::Control => self.agent.reply(ask.request(), &Reply::Deny { message: why.to_owned() }),
        }
    }

    async fn say_limited(&mut self, why: String) -> Result<(), StoreError> {
        if !self.engine.limited.is_to_be_said(&self.session) {
            return Ok(());
        }
        tracing::warn!(session = %self.session, why, "an agent asks too much");
        let session = self.session.clone();
        self.engine.persist("question.limited", move |tx| question::note_limited(tx, &session, &why)).await
    }

    /// Passes an answer on, if it is for this process and it still waits. False: it has to be told in another way.
    pub(super) async fn pass_on(&mut self, row: &QuestionRow) -> Result<bool, StoreError> {
        if row.epoch != self.epoch || !self.asks.contains_key(&row.request) {
            return Ok(false);
        }
        let (id, epoch) = (row.id.clone(), self.epoch);
        // Written down first: after this, should the daemon die, it is known that the agent may have it.
        let handed = self.engine.persist("question.hand", move |tx| question::hand(tx, &id, epoch)).await?;
        if handed && let Some(open) = self.asks.remove(&row.request) {
            if is_what_was_asked(&open, row) {
                self.write(&row.request, open.door, row);
            } else {
                let message = "what was approved is not what you asked for; ask again".to_owned();
                self.agent.reply(&row.request, &Reply::Deny { message });
            }
            self.handed.push(Handed { question: row.id.clone(), call: open.call });
            self.go_on_with_clock();
        }
        Ok(true)
    }

    fn write(&mut self, request: &str, door: Door, row: &QuestionRow) {
        match door {
            Door::Tool => self.agent.answer_tool(request, &as_tool_answer(row)),
            Door::Control => self.agent.reply(request, &as_reply(row)),
        }
    }

    /// What the agent says shows whether it has gone on with what it was handed: the call that waited has its result, or
    /// the turn is over.
    pub(super) async fn confirm_by(&mut self, output: &AgentOutput) -> Result<(), StoreError> {
        if self.handed.is_empty() {
            return Ok(());
        }
        let shows = |handed: &Handed| match output {
            AgentOutput::TurnEnded(_) => true,
            AgentOutput::Message(heard) if heard.kind == MessageType::ToolResult => match (&handed.call, &heard.line) {
                (Some(call), Some(line)) => line.contains(call.as_str()),
                _ => true,
            },
            _ => false,
        };
        let (gone_on, waiting) = std::mem::take(&mut self.handed).into_iter().partition::<Vec<_>, _>(shows);
        self.handed = waiting;
        if gone_on.is_empty() {
            return Ok(());
        }
        let ids: Vec<_> = gone_on.into_iter().map(|handed| handed.question).collect();
        self.engine.persist("question.confirm", move |tx| question::confirm(tx, &ids)).await
    }

    /// The agent no longer waits for an answer, or for a tool.
    pub(super) async fn withdraw(&mut self, request: &str) -> Result<(), StoreError> {
        self.break_off_call(request);
        let Some(open) = self.asks.remove(request) else { return Ok(()) };
        if open.door == Door::Tool {
            // A call that was cut is made again, and then finds its question. It ends with its turn.
            return Ok(());
        }
        let (session, epoch, request) = (self.session.clone(), self.epoch, request.to_owned());
        // An agent that is interrupted withdraws what it has asked, because somebody wants its turn to end.
        let by = self.current.as_ref().and_then(|current| current.cancelled_by.clone());
        self.engine
            .persist("question.withdraw", move |tx| {
                let why = "the agent no longer waits for it";
                question::withdraw(tx, &session, epoch, &request, by.as_ref(), why)
            })
            .await
    }
}

/// An edit is another question, made by a person; everything else must be what came in on this pipe.
fn is_what_was_asked(open: &OpenAsk, row: &QuestionRow) -> bool {
    let is_edited = open.question != row.id;
    row.detail.digest(row.context.as_deref()) == row.digest && (is_edited || row.digest == open.digest)
}

fn door(ask: &Ask) -> Door {
    if matches!(ask, Ask::Tool(_)) { Door::Tool } else { Door::Control }
}

fn key(ask: &Ask) -> Option<&str> {
    match ask {
        Ask::Tool(asked) => asked.question.key.as_deref(),
        _ => None,
    }
}

fn as_reply(row: &QuestionRow) -> Reply {
    match &row.answer {
        Some(Answer::Refuse { why }) if row.rule.is_some() => {
            let why = why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
            let message = format!("this was refused before and still is{why}. Do not try it in another way.");
            Reply::Deny { message }
        }
        Some(answer) => reply(&row.detail, answer),
        None => Reply::Deny { message: without_answer(row.state).to_owned() },
    }
}

fn as_tool_answer(row: &QuestionRow) -> ToolAnswer {
    let Some(answer) = &row.answer else { return Err(without_answer(row.state).to_owned()) };
    let by = row.closed_by.as_deref().unwrap_or("the default, as nobody answered in time");
    tool_answer(row.id.as_str(), &row.detail, answer, by)
}

fn without_answer(state: QuestionState) -> &'static str {
    match state {
        QuestionState::Expired => {
            "nobody answered in time; go on without if you can, else stop and say what is missing"
        }
        _ => "the question was cancelled; nobody will answer it",
    }
}
