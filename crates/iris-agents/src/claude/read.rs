//! One line of the agent into typed output. Parsing only: what follows from it is decided in iris-core.

use std::collections::{BTreeMap, HashMap, HashSet};

use iris_core::agent::{AgentOutput, Introduction, Limit, Reply, ToolAnswer, TurnEnd, Usage};
use iris_core::call::ToolNature;
use iris_core::duration::Millis;
use iris_core::id::TurnId;
use iris_core::message::{Heard, MessageType};
use serde_json::value::RawValue;
use uuid::Uuid;

use super::letters::whole_letters;
use super::tools::Tools;
use super::usage::Meter;
use super::wire::{Bare, Greeting, Line, RateLimitLine, ResultLine, SystemLine};
use super::{ask, explain, meaning, speak, tools, write};

/// The conversation with one agent process, as far as it has to be remembered to understand the next line.
#[derive(Debug)]
pub(crate) struct Reader {
    tools: Tools,
    meter: Meter,
    introduced: bool,
    /// The requests that wait for an answer.
    open: HashMap<String, Open>,
    /// The plans of this turn, by the call that asks leave for them. The request for leave does not always hold its own.
    plans: HashMap<String, String>,
    /// How long it says that it waits before it tries again.
    rest: Option<Millis>,
    /// The tools that run, and how long each may take. Older versions say nothing meanwhile.
    running: HashMap<String, Millis>,
    /// The message that was sent last, and the turn it was for. The agent passes over a message whose id it has seen, and
    /// a turn may be told twice, so the ids are not the same.
    told: Option<(String, TurnId)>,
    /// Its turn has not ended yet.
    is_told: bool,
    /// The turn of that message has begun. Before, the agent has nothing to interrupt and forgets that it was asked.
    begun: bool,
    /// That message is in the conversation: what is said from now on answers it.
    taken: bool,
    /// It says when a message comes into the conversation.
    says_taken: bool,
    /// The interrupt has to be said again when it has.
    interrupt_again: bool,
    /// It says which version it is, as those do that take a text for a text if they are told to.
    names_version: bool,
    /// The sub-agents and shells that have started and not ended. Older versions do not say which of them go on in the
    /// background; those that are left when a turn ends do.
    tasks: BTreeMap<String, String>,
    /// Those of them that have ended, of which nothing more is said if a turn that ran already was told of it.
    ended: HashSet<String>,
    /// What was said last to go on in the background.
    in_background: usize,
    /// When the limit that was reached last is lifted, in milliseconds since 1970.
    limit_resets_at: Option<i64>,
    /// What the agent itself thinks with.
    model: Option<String>,
    /// What a turn that it begins by itself now would be about.
    began_after: Option<&'static str>,
}

#[derive(Debug)]
enum Open {
    /// The answer has to repeat the input.
    Use(Box<RawValue>),
    Form,
}

/// Lines that say no more than that the agent lives, as they begin. Two come with every turn.
const SIGNS_OF_LIFE: [&[u8]; 2] = [br#"{"type":"command_lifecycle","#, br#"{"type":"keep_alive""#];

/// How much of an unreadable line is kept.
const GARBAGE_KEPT: usize = 2000;

impl Reader {
    pub fn new(tools: Tools) -> Self {
        Self {
            tools,
            meter: Meter::default(),
            introduced: false,
            open: HashMap::new(),
            plans: HashMap::new(),
            rest: None,
            running: HashMap::new(),
            told: None,
            is_told: false,
            begun: false,
            taken: false,
            says_taken: false,
            interrupt_again: false,
            names_version: false,
            tasks: BTreeMap::new(),
            ended: HashSet::new(),
            in_background: 0,
            limit_resets_at: None,
            model: None,
            began_after: None,
        }
    }

    /// Reads a line. What Iris can answer by itself is answered at once, into `replies`: an agent must never wait for an
    /// answer that cannot come.
    pub fn read(&mut self, bytes: &[u8], outputs: &mut Vec<AgentOutput>, replies: &mut Vec<u8>) {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        if SIGNS_OF_LIFE.iter().any(|sign| bytes.starts_with(sign)) {
            return outputs.push(AgentOutput::Heartbeat);
        }
        let parsed = std::str::from_utf8(bytes).ok().and_then(|text| Some((text, serde_json::from_str(text).ok()?)));
        match parsed {
            Some((text, line)) => self.understand(text, line, outputs, replies),
            None => self.read_loosely(bytes, outputs, replies),
        }
    }

    /// A line that is not quite as it should be: it holds half a letter where the agent cut a text, or a field that has the
    /// name of one that is known and is something else. What is known of it is its kind, then.
    fn read_loosely(&mut self, bytes: &[u8], outputs: &mut Vec<AgentOutput>, replies: &mut Vec<u8>) {
        let Ok(text) = std::str::from_utf8(bytes) else { return outputs.push(garbage(bytes)) };
        let text = whole_letters(text);
        let line = serde_json::from_str(&text).or_else(|_| serde_json::from_str::<Bare<'_>>(&text).map(Line::from));
        match line {
            Ok(line) => self.understand(&text, line, outputs, replies),
            Err(_) => outputs.push(garbage(bytes)),
        }
    }

    /// A line that was longer than what is read. If it was the end of a turn, the turn has ended all the same.
    /// Where it says so differs from version to version: before its text or after it.
    pub fn too_long(bytes: usize, head: &[u8], tail: &[u8]) -> Vec<AgentOutput> {
        let text = format!("a line of {bytes} bytes was passed over: it is longer than Iris reads");
        let ends = [head, tail].iter().any(|part| says_result(part));
        let end = ends.then(|| TurnEnd { error: Some(format!("its answer was lost: {text}")), ..TurnEnd::default() });
        let said = Heard::new(MessageType::Garbage, Some(text));
        [AgentOutput::Message(said)].into_iter().chain(end.map(AgentOutput::TurnEnded)).collect()
    }

    pub fn tell(&mut self, turn: &TurnId, text: &str, out: &mut Vec<u8>) {
        self.tell_as(Uuid::new_v4().to_string(), turn, text, out);
    }

    /// The same, with an id that is given.
    pub fn tell_as(&mut self, id: String, turn: &TurnId, text: &str, out: &mut Vec<u8>) {
        write::user_message(out, &id, text, self.names_version);
        self.told = Some((id, turn.clone()));
        (self.is_told, self.begun, self.taken, self.interrupt_again) = (true, false, false, false);
        self.began_after = None;
    }

    pub fn interrupt(&mut self, out: &mut Vec<u8>) {
        write::interrupt(out);
        self.interrupt_again = !self.begun;
    }

    /// A turn begins. Older versions do not say with which message: with the one that was told last, then.
    fn begin(&mut self, messages: Option<&[String]>, replies: &mut Vec<u8>) {
        self.begun |= match messages {
            Some(messages) => {
                messages.iter().for_each(|message| self.take(message));
                self.taken
            }
            None => !self.names_version,
        };
        if self.begun && std::mem::take(&mut self.interrupt_again) {
            write::interrupt(replies);
        }
    }

    /// A message has come into the conversation, at the beginning of a turn or in the middle of one that ran already.
    fn take(&mut self, message: &str) {
        self.says_taken = true;
        self.taken |= self.told.as_ref().is_some_and(|(id, _)| id == message);
    }

    /// It is at a turn of its own, and has yet to come to what it was told.
    fn is_aside(&self) -> bool {
        self.is_told && self.says_taken && !self.taken
    }

    /// The same before anything was said whole. Older versions say that a message was taken only when the first piece of the
    /// answer is: there it takes a sign that the turn is another.
    fn is_early_aside(&self) -> bool {
        self.is_aside() && (self.names_version || self.began_after.is_some())
    }

    /// The turns whose messages a turn's end answers. Older versions do not name them there.
    fn answered(&self, messages: &[String]) -> Vec<String> {
        let told = self.told.iter().filter(|(id, _)| self.is_told && self.taken || messages.contains(id));
        told.map(|(_, turn)| turn.to_string()).collect()
    }

    /// Answers a request for permission or a question. One that was withdrawn is passed over.
    pub fn reply(&mut self, request: &str, reply: &Reply, out: &mut Vec<u8>) {
        match self.open.remove(request) {
            Some(Open::Use(input)) => write::reply(out, request, &input, reply),
            Some(Open::Form) => write::form(out, request, reply),
            None => {}
        }
    }

    pub fn answer_tool(&mut self, request: &str, answer: &ToolAnswer, out: &mut Vec<u8>) {
        self.tools.answer(request, answer, out);
    }

    fn understand(&mut self, text: &str, line: Line<'_>, outputs: &mut Vec<AgentOutput>, replies: &mut Vec<u8>) {
        let output = match line.kind.as_ref() {
            "assistant" | "user" => {
                self.note_model(&line);
                if line.is_replay {
                    line.uuid.iter().for_each(|id| self.take(id));
                }
                let aside = self.is_aside();
                let said = speak::read(text, line).map(|heard| Heard { aside, ..heard });
                said.iter().for_each(|heard| self.note_plans(heard));
                said.iter().for_each(|heard| self.note_running(heard));
                said.map_or(AgentOutput::Heartbeat, AgentOutput::Message)
            }
            "result" => {
                outputs.extend(self.left_in_background());
                let ended = std::mem::take(&mut self.ended);
                self.tasks.retain(|id, _| !ended.contains(id));
                self.plans.clear();
                self.running.clear();
                self.turn_end(text).unwrap_or_else(|| {
                    outputs.push(garbage(text.as_bytes()));
                    self.unreadable_end()
                })
            }
            "stream_event" if self.is_early_aside() => AgentOutput::Heartbeat,
            "stream_event" => delta(&line),
            "system" => match self.system(text, line, replies) {
                AgentOutput::Message(heard) => AgentOutput::Message(Heard { aside: self.is_early_aside(), ..heard }),
                other => other,
            },
            "control_response" => self.control_response(&line),
            "control_request" => self.control_request(text, line, replies),
            "control_cancel_request" => self.withdrawn(line.request_id.unwrap_or_default().into_owned()),
            "rate_limit_event" => self.rate_limit(text),
            "command_lifecycle" | "keep_alive" | "tool_progress" => AgentOutput::Heartbeat,
            other => message(MessageType::Unknown, Some(other.to_owned()), None, text),
        };
        outputs.push(output);
        let rest = self.rest.take().or_else(|| self.running.values().max().copied());
        outputs.extend(rest.map(AgentOutput::Rests));
        if self.in_background > self.tasks.len() {
            outputs.extend(self.left_in_background());
        }
    }

    fn note_plans(&mut self, heard: &Heard) {
        for call in heard.calls.iter().filter(|call| call.meaning.nature == ToolNature::Plans) {
            if let Some(plan) = &call.meaning.about {
                self.plans.insert(call.id.clone(), plan.clone());
            }
        }
    }

    /// Newer versions give signs of life while a tool runs.
    fn note_running(&mut self, heard: &Heard) {
        if self.names_version {
            return;
        }
        let begun = heard.calls.iter().filter_map(|call| Some((call.id.clone(), meaning::may_take(call)?)));
        self.running.extend(begun);
        for result in &heard.results {
            self.running.remove(&result.call);
        }
    }

    /// The model of the agent itself; its sub-agents may have others.
    fn note_model(&mut self, line: &Line<'_>) {
        let model =
            line.message.as_ref().filter(|_| line.parent_tool_use_id.is_none()).and_then(|said| said.model.as_deref());
        // What the program says by itself has a name in angle brackets.
        if let Some(model) = model.filter(|model| !model.starts_with('<') && self.model.as_deref() != Some(model)) {
            self.model = Some(model.to_owned());
        }
    }

    /// What goes on in the background, if this version does not say so itself and it has changed.
    fn left_in_background(&mut self) -> Option<AgentOutput> {
        let changed = !self.names_version && self.in_background != self.tasks.len();
        self.in_background = self.tasks.len();
        changed.then(|| AgentOutput::Background(self.tasks.values().cloned().collect()))
    }

    fn note_task(&mut self, subtype: &str, line: &SystemLine<'_>) {
        let Some(id) = line.task_id.as_deref() else { return };
        match subtype {
            "task_started" => {
                drop(self.tasks.insert(id.to_owned(), line.description.clone().unwrap_or_default().into()))
            }
            "task_updated" if line.patch.as_ref().is_some_and(|patch| patch.end_time.is_some()) => {
                self.ended.insert(id.to_owned());
            }
            "task_notification" => {
                self.tasks.remove(id);
                self.ended.remove(id);
                self.began_after = Some("task-notification");
            }
            _ => {}
        }
    }

    fn control_response(&mut self, line: &Line<'_>) -> AgentOutput {
        let Some(response) = &line.response else { return AgentOutput::Heartbeat };
        if response.request_id.as_deref() != Some(write::INITIALIZE) {
            return AgentOutput::Heartbeat;
        }
        if response.subtype.as_deref() == Some("error") {
            let obstacle = Some(explain::refusal(response.error.as_deref()));
            return AgentOutput::Ready(Introduction { obstacle, version: None });
        }
        let greeting = response.response.and_then(|said| serde_json::from_str::<Greeting>(said.get()).ok());
        let greeting = greeting.unwrap_or_default();
        let (obstacle, version) = (explain::obstacle(&greeting), greeting.claude_code_version);
        self.names_version = version.is_some();
        AgentOutput::Ready(Introduction { obstacle, version })
    }

    fn withdrawn(&mut self, request: String) -> AgentOutput {
        self.open.remove(&request);
        self.tools.forget(&request);
        AgentOutput::Withdrawn { request }
    }

    /// How much of a subscription is used is said with every turn; only what is out of the ordinary is for people.
    fn rate_limit(&mut self, text: &str) -> AgentOutput {
        let info = serde_json::from_str::<RateLimitLine>(text).unwrap_or_default().rate_limit_info;
        let (said, noise) = match info.status.as_deref() {
            Some("rejected") => ("a limit of the account was reached", false),
            Some("allowed_warning") => ("a limit of the account is nearly reached", false),
            _ => ("rate limit", true),
        };
        let resets_at = info.resets_at.filter(|_| info.status.as_deref() == Some("rejected"));
        #[expect(clippy::cast_possible_truncation, reason = "a time in this millennium")]
        let resets_at = resets_at.map(|seconds| (seconds * 1000.0) as i64);
        self.limit_resets_at = resets_at;
        let heard = Heard::new(MessageType::System, Some(said.to_owned()));
        AgentOutput::Message(Heard { noise, line: own(text), ..heard })
    }

    fn system(&mut self, text: &str, line: Line<'_>, replies: &mut Vec<u8>) -> AgentOutput {
        let subtype = line.subtype.unwrap_or_default();
        if subtype == "init" {
            self.begin(line.user_message_uuids.as_deref(), replies);
            // The same introduction comes at the start of every turn and is long; the first of a process is enough.
            let introduced = std::mem::replace(&mut self.introduced, true);
            if !self.is_told {
                return AgentOutput::BeganOwn(self.began_after.take().unwrap_or("agent"));
            }
            // It may come to what it was told in the middle of this one, whose end does then not always say why it began.
            if self.is_early_aside() {
                let said = format!("the agent began a turn by itself ({})", self.began_after.unwrap_or("agent"));
                return AgentOutput::Message(Heard::system(said));
            }
            if introduced {
                return AgentOutput::Heartbeat;
            }
        }
        let parent = line.parent_tool_use_id.map(|parent| parent.into_owned());
        let known = serde_json::from_str::<SystemLine<'_>>(text).unwrap_or_default();
        let (kind, said) = match subtype.as_ref() {
            "background_tasks_changed" => {
                let name = |task: super::wire::BackgroundTask| task.description.or(task.task_id).unwrap_or_default();
                return AgentOutput::Background(known.tasks.into_iter().map(name).collect());
            }
            "api_retry" => {
                self.rest = known.retry_delay_ms.map(|delay| Millis(delay.max(0.0) as u64));
                (MessageType::Retry, explain::retry(&known))
            }
            "compact_boundary" => (MessageType::Compaction, "the conversation was shortened to fit".to_owned()),
            "model_fallback" => (MessageType::ModelFallback, explain::fallback(&known)),
            "permission_denied" => (MessageType::System, explain::denied(&known)),
            task if task.starts_with("task_") => {
                self.note_task(task, &known);
                let parent = parent.or_else(|| known.tool_use_id.as_ref().map(|id| id.clone().into_owned()));
                return message(MessageType::Task, Some(explain::task(task, &known)), parent, text);
            }
            other => (MessageType::System, other.to_owned()),
        };
        let is_init = subtype == "init";
        let model = known.model.filter(|_| is_init).map(|model| model.into_owned());
        let noise = is_init || subtype == "status";
        AgentOutput::Message(Heard { parent, noise, model, line: own(text), ..Heard::new(kind, Some(said)) })
    }

    /// It is over, though nobody can say how: nothing more will come of it.
    fn unreadable_end(&mut self) -> AgentOutput {
        self.is_told = false;
        let error = "its answer was lost: the line that ended the turn cannot be read".to_owned();
        AgentOutput::TurnEnded(TurnEnd { error: Some(error), ..TurnEnd::default() })
    }

    fn turn_end(&mut self, text: &str) -> Option<AgentOutput> {
        let result = serde_json::from_str::<ResultLine<'_>>(text).ok()?;
        let answers = self.answered(&result.user_message_uuids);
        self.is_told &= result.origin.is_some() && answers.is_empty();
        let used = self.meter.read(&result);
        let failed = result.is_error || result.subtype.as_deref().is_some_and(|subtype| subtype.starts_with("error"));
        let error = failed.then(|| explain::failure(&result));
        let limit = error.as_ref().filter(|_| explain::is_limit(&result)).map(|error| Limit {
            resets_at: self.limit_resets_at.or_else(|| explain::reset_time(&result)),
            what: error.clone(),
        });
        let models = result.model_usage_since_last_result.or(result.model_usage).unwrap_or_default();
        // What the sums are kept under may say more than the message: which window it has, for instance.
        let own = self.model.as_deref().and_then(|own| models.keys().find(|name| name.starts_with(own)));
        let model = own.or(self.model.as_ref()).or_else(|| models.keys().next()).cloned();
        Some(AgentOutput::TurnEnded(TurnEnd {
            error,
            aborted: result.terminal_reason.as_deref().is_some_and(|reason| reason.starts_with("aborted")),
            text: result.result.map(|said| said.into_owned()),
            usage: Usage { model, ..used },
            own: result.origin.map(|origin| origin.kind.unwrap_or_else(|| "unknown".to_owned())),
            answers,
            limit,
        }))
    }

    fn control_request(&mut self, text: &str, line: Line<'_>, replies: &mut Vec<u8>) -> AgentOutput {
        let (Some(id), Some(request)) = (line.request_id.clone(), line.request) else {
            // It would wait for an answer that cannot come.
            line.request_id.iter().for_each(|id| write::refuse(replies, id, "what cannot be read"));
            return message(MessageType::Unknown, Some("control_request".to_owned()), None, text);
        };
        match (request.subtype.as_ref(), request.input) {
            // Iris's own tools decide for themselves what they do for whom.
            ("can_use_tool", Some(input)) if request.tool_name.as_deref().is_some_and(|tool| self.tools.own(tool)) => {
                write::reply(replies, &id, input, &Reply::Allow);
                AgentOutput::Heartbeat
            }
            ("can_use_tool", Some(input)) => {
                self.open.insert(id.clone().into_owned(), Open::Use(input.to_owned()));
                let plan = request.tool_use_id.as_deref().and_then(|call| self.plans.remove(call));
                ask::permission(id.into_owned(), input, &request, plan)
            }
            ("elicitation", _) => {
                self.open.insert(id.clone().into_owned(), Open::Form);
                ask::form(id.into_owned(), &request)
            }
            ("mcp_message", _) => match self.tools.hear(&id, &request, replies) {
                tools::Said::Call(call) => AgentOutput::ToolCalled(call),
                tools::Said::Withdrawn { request } => AgentOutput::Withdrawn { request },
                tools::Said::Answered => AgentOutput::Heartbeat,
            },
            (subtype, _) => {
                write::refuse(replies, &id, subtype);
                message(MessageType::Unknown, Some(format!("control_request {subtype}")), None, text)
            }
        }
    }
}

fn delta(line: &Line<'_>) -> AgentOutput {
    let text = line
        .event
        .as_ref()
        .and_then(|event| event.delta.as_ref())
        .filter(|delta| delta.kind.as_deref() == Some("text_delta") && line.parent_tool_use_id.is_none());
    match text.and_then(|delta| delta.text.as_deref()) {
        Some(text) => AgentOutput::Delta(text.to_owned()),
        None => AgentOutput::Heartbeat,
    }
}

fn message(kind: MessageType, text: Option<String>, parent: Option<String>, line: &str) -> AgentOutput {
    AgentOutput::Message(Heard { parent, line: own(line), ..Heard::new(kind, text) })
}

/// Whether a part of a line says that it is the end of a turn.
fn says_result(part: &[u8]) -> bool {
    const NAME: &[u8] = br#""type""#;
    memchr::memmem::find_iter(part, NAME).any(|at| {
        let value = part[at + NAME.len()..].trim_ascii_start().strip_prefix(b":");
        value.is_some_and(|value| value.trim_ascii_start().starts_with(br#""result""#))
    })
}

/// The line as it is kept.
fn own(line: &str) -> Option<String> {
    Some(line.trim().to_owned())
}

fn garbage(bytes: &[u8]) -> AgentOutput {
    let kept = &bytes[..bytes.len().min(GARBAGE_KEPT)];
    let text = Some(String::from_utf8_lossy(kept).into_owned());
    AgentOutput::Message(Heard::new(MessageType::Garbage, text))
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
