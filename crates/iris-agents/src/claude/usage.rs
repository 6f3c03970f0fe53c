//! What a turn has used whose end never said so: the sum of what its lines say.

use std::collections::HashMap;

use iris_core::agent::Usage;
use serde::Deserialize;

/// A message as it is kept, with the CLI's own line in it.
#[derive(Deserialize)]
struct Kept {
    data: Option<Line>,
}

#[derive(Deserialize)]
struct Line {
    message: Option<Called>,
}

#[derive(Deserialize)]
struct Called {
    id: Option<String>,
    usage: Option<Tokens>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Tokens {
    input_tokens: u64,
    output_tokens: u64,
    cache_read_input_tokens: u64,
    cache_creation_input_tokens: u64,
}

/// One call of the model is several lines with the same id and figures that grow; the last of them counts.
pub(crate) fn of_messages<'a>(messages: impl Iterator<Item = &'a str>) -> Usage {
    let mut calls: HashMap<String, Tokens> = HashMap::new();
    for message in messages {
        let called = serde_json::from_str::<Kept>(message).ok().and_then(|kept| kept.data?.message);
        if let Some(Called { id: Some(id), usage: Some(tokens) }) = called {
            calls.insert(id, tokens);
        }
    }
    let mut usage = Usage { incomplete: true, ..Usage::default() };
    for tokens in calls.values() {
        usage.input_tokens += tokens.input_tokens;
        usage.output_tokens += tokens.output_tokens;
        usage.cache_read_tokens += tokens.cache_read_input_tokens;
        usage.cache_write_tokens += tokens.cache_creation_input_tokens;
    }
    usage
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_added_up_and_their_lines_are_not() {
        let line = |id: &str, output: u64| {
            format!(
                r#"{{"type":"assistant","data":{{"type":"assistant","message":{{"id":"{id}","content":[],"usage":{{"input_tokens":10,"output_tokens":{output}}}}}}}}}"#
            )
        };
        let messages = [line("a", 1), line("a", 7), line("b", 2), r#"{"type":"system","text":"x"}"#.to_owned()];
        let usage = of_messages(messages.iter().map(String::as_str));
        assert_eq!((usage.input_tokens, usage.output_tokens, usage.incomplete), (20, 9, true));
    }
}
