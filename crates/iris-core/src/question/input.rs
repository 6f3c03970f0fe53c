//! The input of an action, read with care.
//!
//! An agent may write JSON that not every reader takes for the same: half a character, the same field twice, a number
//! beyond all bounds, values nested without end. What comes of that cannot be known here, so nothing but a person lets it
//! pass; and what is nearest to it is known all the same, so that a refusal holds for it.

use std::borrow::Cow;

use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// What it says, or what is nearest to that: of fields that are called the same the last, U+FFFD for half a character,
    /// and its text for what has no value.
    pub value: Value,
    /// Whether every reader takes it for the same.
    pub is_exact: bool,
}

impl Input {
    pub fn read(raw: &RawValue) -> Self {
        let mut reader = Reader { text: raw.get(), at: 0, is_exact: true };
        let value = reader.value(0);
        Self { value, is_exact: reader.is_exact }
    }
}

/// The same, or its text where not every reader takes it for the same: that breaks nobody's reading of what is around it.
pub fn told(raw: &RawValue) -> Box<RawValue> {
    let is_exact = Input::read(raw).is_exact;
    let text = (!is_exact).then(|| serde_json::value::to_raw_value(raw.get()).ok()).flatten();
    text.unwrap_or_else(|| raw.to_owned())
}

/// What is nested deeper is not looked into.
const DEEPEST: usize = 100;

/// Goes over text that is known to be JSON, but for halves of characters.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    is_exact: bool,
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Value {
        match self.peek() {
            Some(b'{' | b'[') if depth >= DEEPEST => {
                self.is_exact = false;
                Value::from(self.skip_nested())
            }
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => Value::from(self.string()),
            _ => self.plain(),
        }
    }

    fn object(&mut self, depth: usize) -> Value {
        let mut fields = Map::new();
        self.at += 1;
        while self.peek().is_some_and(|byte| byte != b'}') {
            let start = self.at;
            let name = self.string();
            self.step_over(b':');
            let value = self.value(depth + 1);
            self.step_over(b',');
            if fields.insert(name, value).is_some() {
                self.is_exact = false;
            }
            if self.gave_up(start) {
                break;
            }
        }
        self.step_over(b'}');
        Value::Object(fields)
    }

    fn array(&mut self, depth: usize) -> Value {
        let mut items = Vec::new();
        self.at += 1;
        while self.peek().is_some_and(|byte| byte != b']') {
            let start = self.at;
            items.push(self.value(depth + 1));
            self.step_over(b',');
            if self.gave_up(start) {
                break;
            }
        }
        self.step_over(b']');
        Value::Array(items)
    }

    fn string(&mut self) -> String {
        let quoted = self.quoted();
        serde_json::from_str(quoted).unwrap_or_else(|_| {
            self.is_exact = false;
            nearest(quoted.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(quoted))
        })
    }

    /// A text with its quotes.
    fn quoted(&mut self) -> &'a str {
        let Some(b'"') = self.peek() else { return "" };
        let (start, bytes) = (self.at, self.text.as_bytes());
        self.at += 1;
        while let Some(&byte) = bytes.get(self.at) {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                break;
            }
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// A number, true, false or null.
    fn plain(&mut self) -> Value {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let end = rest.find([',', ']', '}', ' ', '\t', '\r', '\n']).unwrap_or(rest.len());
        let written = &rest[..end];
        self.at += end;
        let value = match written {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            "null" => Some(Value::Null),
            number => exactly(number).map(Value::Number),
        };
        value.unwrap_or_else(|| {
            self.is_exact = false;
            Value::from(written)
        })
    }

    /// An object or an array, without looking into it.
    fn skip_nested(&mut self) -> &'a str {
        let start = self.at;
        let mut open = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    self.quoted();
                    continue;
                }
                b'{' | b'[' => open += 1,
                b'}' | b']' => open = open.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if open == 0 {
                break;
            }
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// The next byte that is no space.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while matches!(bytes.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    fn step_over(&mut self, byte: u8) {
        if self.peek() == Some(byte) {
            self.at += 1;
        }
    }

    /// Nothing was read, so this is no JSON. It cannot be, and no loop hangs on that.
    fn gave_up(&mut self, start: usize) -> bool {
        let is_stuck = self.at == start;
        self.is_exact &= !is_stuck;
        is_stuck
    }
}

/// A text with halves of characters in it, each as U+FFFD.
fn nearest(escaped: &str) -> String {
    let mut units = Vec::with_capacity(escaped.len());
    let mut rest = escaped.chars();
    while let Some(c) = rest.next() {
        let meant = match c {
            '\\' => match rest.next() {
                Some('u') => {
                    let digits: String = rest.by_ref().take(4).collect();
                    units.push(u16::from_str_radix(&digits, 16).unwrap_or(0xfffd));
                    continue;
                }
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some('b') => '\u{8}',
                Some('f') => '\u{c}',
                Some(other) => other,
                None => continue,
            },
            c => c,
        };
        units.extend_from_slice(meant.encode_utf16(&mut [0; 2]));
    }
    String::from_utf16_lossy(&units)
}

/// Nothing if it is more than can be kept: another reader may take it for another number.
fn exactly(written: &str) -> Option<Number> {
    let whole = written.parse::<i64>().map(Number::from).or_else(|_| written.parse::<u64>().map(Number::from));
    let is_zero = written.starts_with("-0");
    if let Ok(whole) = whole
        && !is_zero
    {
        return Some(whole);
    }
    let number = written.parse::<f64>().ok()?;
    (digits(&format!("{number:e}")) == digits(written)).then(|| Number::from_f64(number)).flatten()
}

/// The digits that count, and the place of the first.
fn digits(written: &str) -> (String, i64) {
    let written = written.trim_start_matches('-');
    let (figures, power) = written.split_once(['e', 'E']).unwrap_or((written, "0"));
    let (whole, part) = figures.split_once('.').unwrap_or((figures, ""));
    let all: Cow<'_, str> = if part.is_empty() { whole.into() } else { format!("{whole}{part}").into() };
    let counting = all.trim_start_matches('0');
    let zeros = i64::try_from(all.len() - counting.len()).unwrap_or(i64::MAX / 4);
    let power = power.parse::<i64>().unwrap_or(i64::MAX / 4);
    let counting = counting.trim_end_matches('0');
    if counting.is_empty() {
        return (String::new(), 0);
    }
    (
        counting.to_owned(),
        power.saturating_add(i64::try_from(whole.len()).unwrap_or(i64::MAX / 4)).saturating_sub(zeros),
    )
}

#[cfg(test)]
#[path = "input_tests.rs"]
mod tests;
