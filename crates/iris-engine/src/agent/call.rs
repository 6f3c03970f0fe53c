//! Tools that an agent calls. They run beside it: it may call several at once, and be told to break off meanwhile.

use iris_core::actor::Surface;
use iris_core::agent::{ToolAnswer, ToolCall};
use iris_core::id::Party;
use iris_core::key::KeyHolder;
use iris_core::relay::Voice;
use iris_core::turn::{Ask, ToolAsk};
use iris_store::StoreError;
use tokio::task::AbortHandle;

use super::run::Runner;
use crate::engine::Engine;
use crate::tasks;
use crate::tool::{self, Caller, Told};

/// A call that is being carried out.
pub(super) struct OpenCall {
    task: AbortHandle,
    told: Told,
}

impl Runner {
    pub(super) async fn call(&mut self, call: ToolCall) -> Result<(), StoreError> {
        let call = ToolCall { arguments: tool::without_speaker(call.arguments), ..call };
        if call.tool == tool::ASK {
            return self.call_ask(call).await;
        }
        let party = Party::new(self.team.as_str());
        let (through, keys) = (Surface::Pipe.into(), KeyHolder::agent(&self.session));
        let (turn, told, voice) = (self.current_turn(), Told::default(), Voice::Agent);
        let caller = Caller { party, through, voice, keys, turn, told, request: None };
        let told = caller.told.clone();
        let (engine, handle) = (Engine::of(&self.engine), self.handle.clone());
        let request = call.request.clone();
        let task = tasks::spawn("tool", async move {
            let answer = tool::call(&engine, &caller, &call.tool, call.arguments).await;
            handle.tool_done(call.request, answer.map_err(|refusal| refusal.why)).await;
        });
        self.calls.insert(request, OpenCall { task: task.abort_handle(), told });
        Ok(())
    }

    /// The tool that asks a person is a question like any other, and answered like one.
    async fn call_ask(&mut self, call: ToolCall) -> Result<(), StoreError> {
        match serde_json::from_str(call.arguments.get()) {
            Ok(question) => self.ask(&Ask::Tool(ToolAsk { request: call.request, question, call: call.call })).await,
            Err(error) => {
                self.agent.answer_tool(&call.request, &Err(format!("{}: {error}", call.tool)));
                Ok(())
            }
        }
    }

    pub(super) fn tool_done(&mut self, request: &str, answer: &ToolAnswer) {
        if self.calls.remove(request).is_some() {
            self.agent.answer_tool(request, answer);
            self.go_on_with_clock();
        }
    }

    /// Nobody waits for the call any more: what it set going is broken off.
    pub(super) fn break_off_call(&mut self, request: &str) {
        let Some(call) = self.calls.remove(request) else { return };
        call.task.abort();
        if let Some(turn) = call.told.turn() {
            let engine = Engine::of(&self.engine);
            drop(tasks::spawn("break off", async move {
                if let Err(error) = engine.cancel_turn(&turn, None).await {
                    tracing::debug!(%turn, %error, "what a tool had told was over already");
                }
            }));
        }
    }

    pub(super) fn break_off_all_calls(&mut self) {
        for request in self.calls.keys().cloned().collect::<Vec<_>>() {
            self.break_off_call(&request);
        }
    }
}
