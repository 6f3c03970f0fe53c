//! What an agent speaks on its pipe: an enum of the ways there are. `agent` moves bytes and knows none of them.

use std::sync::Arc;

use iris_core::agent::{AgentOutput, Reply, ToolAnswer, ToolSpec};
use iris_core::id::TurnId;
use iris_core::team::AgentKind;

use crate::claude::read::Reader;
use crate::claude::tools::Tools;
use crate::claude::write;
use crate::lines::Line;

/// Codex and the Agent Client Protocol come in here, beside Claude Code's way.
pub(crate) enum Tongue {
    /// Claude Code's, which the scripted agent speaks too.
    StreamJson(Box<Reader>),
}

impl Tongue {
    /// None of a kind that cannot be started.
    pub fn of(kind: AgentKind, tools: Arc<[ToolSpec]>) -> Option<Self> {
        match kind {
            AgentKind::Claude | AgentKind::Scripted => Some(Self::StreamJson(Box::new(Reader::new(Tools::new(tools))))),
            AgentKind::Codex | AgentKind::Acp => None,
        }
    }

    /// The first words to an agent. It is ready when it answers with `AgentOutput::Ready`.
    pub fn greet(&self, instructions: Option<&str>, out: &mut Vec<u8>) {
        match self {
            Self::StreamJson(_) => {
                write::initialize(out, instructions);
                write::refuse_peers(out);
            }
        }
    }

    /// Reads a line. What Iris can answer by itself is answered at once, into `replies`.
    pub fn read(&mut self, line: &Line<'_>, outputs: &mut Vec<AgentOutput>, replies: &mut Vec<u8>) {
        match (self, line) {
            (Self::StreamJson(reader), Line::Whole(bytes)) => reader.read(bytes, outputs, replies),
            (Self::StreamJson(_), Line::TooLong { bytes, head, tail }) => {
                outputs.extend(Reader::too_long(*bytes, head, tail));
            }
        }
    }

    pub fn tell(&mut self, turn: &TurnId, text: &str, out: &mut Vec<u8>) {
        match self {
            Self::StreamJson(reader) => reader.tell(turn, text, out),
        }
    }

    pub fn interrupt(&mut self, out: &mut Vec<u8>) {
        match self {
            Self::StreamJson(reader) => reader.interrupt(out),
        }
    }

    pub fn reply(&mut self, request: &str, reply: &Reply, out: &mut Vec<u8>) {
        match self {
            Self::StreamJson(reader) => reader.reply(request, reply, out),
        }
    }

    pub fn answer_tool(&mut self, request: &str, answer: &ToolAnswer, out: &mut Vec<u8>) {
        match self {
            Self::StreamJson(reader) => reader.answer_tool(request, answer, out),
        }
    }

    /// One who is at work breaks off first; to one who is not, the interrupt says nothing.
    pub fn end(&self, out: &mut Vec<u8>) {
        match self {
            Self::StreamJson(_) => {
                write::interrupt(out);
                write::end_session(out);
            }
        }
    }
}
