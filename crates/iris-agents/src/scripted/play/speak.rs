//! Steps that are text: said, thought, streamed, flooded.

use serde_json::{Value, json};

use super::{Cut, Played, Player, Scene};
use crate::scripted::output::{Timestamp, Uuid};
use crate::scripted::script::{Flood, Stream};
use crate::scripted::text::Template;
use crate::scripted::wire::{Assistant, Block, Message};

impl Player {
    pub fn say(&mut self, scene: &mut Scene, text: &Template) {
        let text = scene.variables.expand(text);
        self.assistant(scene, Block::Text { text: &text });
        scene.last_text.clear();
        scene.last_text.push_str(&text);
    }

    pub fn think(&mut self, scene: &mut Scene, text: &Template) {
        let thinking = scene.variables.expand(text);
        self.assistant(scene, Block::Thinking { thinking: &thinking, signature: "c2lnbmF0dXJl" });
    }

    pub fn assistant(&mut self, scene: &Scene, block: Block<'_>) {
        let id = self.ids.named("msg_");
        self.assistant_line(scene, &id, block, None);
    }

    fn assistant_line(&mut self, scene: &Scene, id: &str, block: Block<'_>, aborted: Option<bool>) {
        let uuid = self.ids.uuid();
        let line = frame(&self.model, &self.session, scene, id, block, uuid);
        self.output.line(&Assistant { aborted, ..line });
    }

    /// The real CLI sends pieces only under `--include-partial-messages`. Here the script decides: who wants none uses
    /// `say`.
    pub fn stream(&mut self, scene: &mut Scene, stream: &Stream) -> Played {
        let text = scene.variables.expand(&stream.text);
        let id = self.ids.named("msg_");
        self.open_stream(scene, &id);
        let mut sent = 0;
        while sent < text.len() {
            let rest = &text[sent..];
            let piece = rest.char_indices().nth(stream.chunk).map_or(rest, |(end, _)| &rest[..end]);
            self.stream_event(
                scene,
                &id,
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}),
            );
            sent += piece.len();
            if let Err(cut) = self.pause(stream.every) {
                if matches!(cut, Cut::Interrupted) {
                    let text = &text[..sent];
                    self.assistant_line(scene, &id, Block::Text { text }, Some(true));
                }
                return Err(cut);
            }
        }
        self.assistant_line(scene, &id, Block::Text { text: &text }, None);
        self.close_stream(scene, &id);
        scene.last_text.clear();
        scene.last_text.push_str(&text);
        Ok(())
    }

    fn open_stream(&mut self, scene: &Scene, id: &str) {
        let message = json!({
            "id": id, "type": "message", "role": "assistant", "model": self.model, "content": [],
            "stop_reason": null, "stop_sequence": null,
            "usage": {"input_tokens": 0, "output_tokens": 0, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
        });
        self.stream_event(scene, id, json!({"type": "message_start", "message": message}));
        let block = json!({"type": "text", "text": ""});
        self.stream_event(scene, id, json!({"type": "content_block_start", "index": 0, "content_block": block}));
    }

    fn close_stream(&mut self, scene: &Scene, id: &str) {
        self.stream_event(scene, id, json!({"type": "content_block_stop", "index": 0}));
        let delta = json!({"stop_reason": "end_turn", "stop_sequence": null});
        self.stream_event(scene, id, json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 0}}));
        self.stream_event(scene, id, json!({"type": "message_stop"}));
    }

    fn stream_event(&mut self, scene: &Scene, id: &str, event: Value) {
        let parent = scene.lane.as_deref().map(|lane| &*lane.tool_use_id);
        self.emit(json!({
            "type": "stream_event", "event": event, "parent_tool_use_id": parent, "api_message_id": id,
        }));
    }

    /// Many lines of `size` characters of text each, numbered so that a lost one is seen.
    pub fn flood(&mut self, scene: &mut Scene, flood: &Flood) -> Played {
        let width = flood.size;
        for number in 1..=flood.messages {
            let mut text = format!("{number} ");
            text.extend(std::iter::repeat_n('x', width.saturating_sub(text.len())));
            self.assistant(scene, Block::Text { text: &text });
            if number % 256 == 0 {
                self.glance()?;
            }
            scene.last_text = text;
        }
        Ok(())
    }

    /// One assistant line of `size` bytes, its end included.
    pub fn long_line(&mut self, scene: &mut Scene, size: usize) {
        let id = self.ids.named("msg_");
        let (uuid, block) = (self.ids.uuid(), Block::Text { text: "" });
        let empty = frame(&self.model, &self.session, scene, &id, block, uuid);
        let length = serde_json::to_vec(&empty).map_or(0, |line| line.len() + 1);
        let text = "x".repeat(size.saturating_sub(length));
        self.assistant_line(scene, &id, Block::Text { text: &text }, None);
        scene.last_text = text;
    }

    /// The first bytes of an assistant line that will never be whole.
    pub fn half_line(&mut self, scene: &Scene, bytes: Option<usize>) {
        let id = self.ids.named("msg_");
        let text = "this line was cut off in the middle";
        let (uuid, block) = (self.ids.uuid(), Block::Text { text });
        let line = serde_json::to_vec(&frame(&self.model, &self.session, scene, &id, block, uuid))
            .expect("our lines have string keys");
        let kept = bytes.unwrap_or(line.len() / 2).min(line.len());
        self.output.raw(&line[..kept]);
    }
}

fn frame<'a>(
    model: &'a str,
    session_id: &'a str,
    scene: &'a Scene,
    id: &'a str,
    block: Block<'a>,
    uuid: Uuid,
) -> Assistant<'a> {
    let lane = scene.lane.as_deref();
    Assistant {
        message: Message {
            id,
            role: "assistant",
            model,
            content: [block],
            stop_reason: None,
            stop_sequence: None,
            usage: scene.usage.into(),
            context_management: None,
        },
        parent_tool_use_id: lane.map(|lane| &*lane.tool_use_id),
        agent_id: lane.map(|lane| &*lane.agent_id),
        session_id,
        uuid,
        timestamp: Timestamp::now(),
        subagent_type: lane.map(|lane| &*lane.kind),
        task_description: lane.map(|lane| &*lane.description),
        aborted: None,
        user_message_uuid: scene.user_message_uuids.last().map(String::as_str),
        user_message_uuids: &scene.user_message_uuids,
    }
}
