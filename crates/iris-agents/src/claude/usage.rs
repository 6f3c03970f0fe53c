//! What a turn has used: what its end says, or the sum of what its lines say if it had none.

use std::collections::HashMap;

use iris_core::agent::Usage;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::wire::ResultLine;

/// Running totals at the end of the last turn: agents report totals, Iris shows differences.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    cost_usd: f64,
    tokens: Tokens,
}

impl Meter {
    /// What has been used since the last turn ended, by sub-agents too. What the end of a turn says of its own tokens leaves
    /// them out, and is used only where there is nothing else.
    pub fn read(&mut self, result: &ResultLine<'_>) -> Usage {
        let total = result.total_cost_usd.unwrap_or(self.cost_usd);
        let tokens = result.model_usage.as_ref().map(Tokens::of_models);
        // The totals go on over a restart of the agent and start anew when it clears its conversation, so what it says
        // of this turn alone is better, where it says it.
        let (cost_usd, used) = match &result.model_usage_since_last_result {
            Some(models) => {
                (models.values().filter_map(|usage| usage["costUSD"].as_f64()).sum(), Tokens::of_models(models))
            }
            None => {
                let cost = if total >= self.cost_usd { total - self.cost_usd } else { total };
                (cost, tokens.map_or(result.usage, |tokens| tokens.since(self.tokens)))
            }
        };
        *self = Self { cost_usd: total, tokens: tokens.unwrap_or(self.tokens) };
        // An empty sum is a negative zero.
        Usage { cost_usd: cost_usd + 0.0, ..used.into() }
    }
}

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

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Tokens {
    input_tokens: u64,
    output_tokens: u64,
    cache_read_input_tokens: u64,
    cache_creation_input_tokens: u64,
}

impl Tokens {
    /// Of all models together, as they are named there.
    fn of_models(models: &Map<String, Value>) -> Self {
        let sum = |name: &str| models.values().filter_map(|usage| usage[name].as_u64()).sum();
        Self {
            input_tokens: sum("inputTokens"),
            output_tokens: sum("outputTokens"),
            cache_read_input_tokens: sum("cacheReadInputTokens"),
            cache_creation_input_tokens: sum("cacheCreationInputTokens"),
        }
    }

    /// A total that has become less has started anew.
    fn since(self, before: Self) -> Self {
        let is_anew = self.input_tokens < before.input_tokens || self.output_tokens < before.output_tokens;
        let before = if is_anew { Self::default() } else { before };
        let cache_read = self.cache_read_input_tokens.saturating_sub(before.cache_read_input_tokens);
        let cache_creation = self.cache_creation_input_tokens.saturating_sub(before.cache_creation_input_tokens);
        Self {
            input_tokens: self.input_tokens - before.input_tokens,
            output_tokens: self.output_tokens - before.output_tokens,
            cache_read_input_tokens: cache_read,
            cache_creation_input_tokens: cache_creation,
        }
    }
}

impl From<Tokens> for Usage {
    fn from(tokens: Tokens) -> Self {
        Self {
            input_tokens: tokens.input_tokens,
            output_tokens: tokens.output_tokens,
            cache_read_tokens: tokens.cache_read_input_tokens,
            cache_write_tokens: tokens.cache_creation_input_tokens,
            ..Self::default()
        }
    }
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
    for tokens in calls.into_values() {
        usage += &tokens.into();
    }
    usage
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The end of a turn: input and output of the turn itself, of each model so far, and of each since the last end.
    fn result(own: (u64, u64), total: Option<&[(u64, u64)]>, since: Option<&[(u64, u64)]>) -> String {
        let models = |of: Option<&[(u64, u64)]>| {
            let model = |(n, (input, output)): (usize, &(u64, u64))| {
                (format!("model-{n}"), serde_json::json!({"inputTokens": input, "outputTokens": output}))
            };
            of.map(|of| of.iter().enumerate().map(model).collect::<Map<_, _>>())
        };
        let line = serde_json::json!({
            "usage": {"input_tokens": own.0, "output_tokens": own.1},
            "modelUsage": models(total), "model_usage_since_last_result": models(since),
        });
        line.to_string()
    }

    #[test]
    fn sub_agents_are_counted_and_nothing_is_counted_twice() {
        let mut meter = Meter::default();
        let mut check = |line: String, expected: (u64, u64)| {
            let used = meter.read(&serde_json::from_str(&line).expect("a result"));
            assert_eq!((used.input_tokens, used.output_tokens), expected, "{line}");
        };
        check(result((10, 1), Some(&[(10, 1), (30, 900)]), None), (40, 901));
        check(result((10, 1), Some(&[(20, 2), (30, 900)]), None), (10, 1));
        check(result((5, 1), Some(&[(5, 1)]), None), (5, 1));
        check(result((10, 1), Some(&[(900, 99)]), Some(&[(10, 1), (7, 7)])), (17, 8));
        check(result((10, 1), None, None), (10, 1));
        check(result((0, 0), Some(&[]), Some(&[])), (0, 0));
    }

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
