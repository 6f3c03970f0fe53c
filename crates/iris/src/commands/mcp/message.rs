//! One message of the protocol as a line of JSON: what it is, and what the HTTP form of the protocol wants to see of it
//! in headers.

use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use iris_core::agent::{ToolEffect, ToolSpec};
use iris_engine::tool;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

const VERSION_IN_META: &str = "io.modelcontextprotocol/protocolVersion";
const KEY: &str = "iris/key";

#[derive(Clone, Debug)]
pub struct Message {
    value: Value,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Kind {
    Request,
    Notification,
    /// An answer to something the server asked.
    Response,
}

impl Message {
    /// `Err` is what is to be answered to a line that is none.
    pub fn parse(line: &str) -> Result<Self, Value> {
        match serde_json::from_str::<Value>(line) {
            Ok(value) if value.is_object() => match mistake(&value) {
                Some((code, why)) => Err(error(&value["id"], code, why)),
                None => Ok(Self { value }),
            },
            Ok(_) => Err(error(&Value::Null, -32600, "a line has to be one JSON-RPC message")),
            Err(why) => Err(error(&Value::Null, -32700, &format!("a line is not JSON: {why}"))),
        }
    }

    pub fn of(value: Value) -> Self {
        Self { value }
    }

    pub fn kind(&self) -> Kind {
        match (self.value.get("method"), self.value.get("id")) {
            (Some(_), Some(_)) => Kind::Request,
            (Some(_), None) => Kind::Notification,
            (None, _) => Kind::Response,
        }
    }

    pub fn method(&self) -> &str {
        self.value["method"].as_str().unwrap_or_default()
    }

    pub fn id(&self) -> &Value {
        &self.value["id"]
    }

    pub fn params(&self) -> &Value {
        &self.value["params"]
    }

    pub fn text(&self) -> String {
        self.value.to_string()
    }

    /// The revision that a request names itself, as is done where there are no sessions.
    pub fn own_version(&self) -> Option<&str> {
        self.value["params"]["_meta"][VERSION_IN_META].as_str()
    }

    fn tool(&self) -> Option<&'static ToolSpec> {
        let name = self.params()["name"].as_str().filter(|_| self.method() == "tools/call")?;
        tool::find(name)
    }

    /// A tell gets a key, so that it can be sent again when the connection breaks. One that has one keeps it. `Err` says
    /// why it cannot have one: without it, it might be told twice.
    pub fn give_key(&mut self, key: String) -> Result<Option<String>, String> {
        if self.tool().is_none_or(|spec| spec.effect != ToolEffect::Tells) {
            return Ok(None);
        }
        let params = self.value.get_mut("params").and_then(Value::as_object_mut);
        let params = params.ok_or("params has to be an object")?;
        let argument = params.get("arguments").and_then(|arguments| arguments.get("key"));
        let given = argument.or_else(|| params.get("_meta")?.get(KEY)).and_then(Value::as_str);
        if let Some(given) = given {
            return Ok(Some(given.to_owned()));
        }
        let meta = params.entry("_meta").or_insert(Value::Null);
        if meta.is_null() {
            *meta = json!({});
        }
        let meta = meta.as_object_mut().ok_or("_meta in params has to be an object")?;
        meta.insert(KEY.to_owned(), Value::from(key.as_str()));
        Ok(Some(key))
    }

    /// Whether nothing happens twice if it is sent again, though the first may have arrived.
    pub fn may_repeat(&self) -> bool {
        self.kind() == Kind::Request && self.tool().is_none_or(|spec| spec.effect != ToolEffect::Makes)
    }

    /// The headers that repeat what the body says, where the revision wants them.
    pub fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let Some(version) = self.own_version() else { return headers };
        let mut put = |name: &'static str, value: &str| {
            if let Ok(value) = HeaderValue::from_str(&header(value)) {
                headers.insert(HeaderName::from_static(name), value);
            }
        };
        put("mcp-protocol-version", version);
        put("mcp-method", self.method());
        let field = match self.method() {
            "tools/call" | "prompts/get" => "name",
            "resources/read" => "uri",
            _ => return headers,
        };
        if let Some(name) = self.params()[field].as_str() {
            put("mcp-name", name);
        }
        headers
    }
}

/// Of an introduction.
const NEEDED: [&str; 3] = ["protocolVersion", "capabilities", "clientInfo"];

/// What makes an object no message, with the code for it. The daemon would refuse it too, but without its id: it cannot
/// read that of a message that is none.
fn mistake(value: &Value) -> Option<(i64, &'static str)> {
    let may_be_object = |value: Option<&Value>| value.is_none_or(|value| value.is_object() || value.is_null());
    let is_answer = value.get("result").or(value.get("error")).is_some();
    if value["jsonrpc"] != "2.0" {
        Some((-32600, "jsonrpc has to be \"2.0\""))
    } else if value.get("id").is_some_and(|id| !id.is_string() && !id.is_i64()) && !is_answer {
        Some((-32600, "id has to be a string or a whole number"))
    } else if value.get("method").map_or(!is_answer, |method| !method.is_string()) {
        Some((-32600, "method has to be a string"))
    } else if !may_be_object(value.get("params")) {
        Some((-32602, "params has to be an object"))
    } else if !may_be_object(value.get("params").and_then(|params| params.get("_meta"))) {
        Some((-32602, "_meta in params has to be an object"))
    } else if value["method"] == "initialize" && !NEEDED.iter().all(|name| value["params"].get(name).is_some()) {
        Some((-32602, "params of initialize has to have protocolVersion, capabilities and clientInfo"))
    } else {
        None
    }
}

/// What cannot stand in a header as it is goes there in base64, as the protocol has it.
fn header(value: &str) -> String {
    let plain = value.trim() == value && value.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    if plain && !value.starts_with("=?base64?") {
        value.to_owned()
    } else {
        format!("=?base64?{}?=", BASE64.encode(value))
    }
}

pub fn error(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(text: &str) -> Message {
        Message::of(serde_json::from_str(text).expect("JSON"))
    }

    #[test]
    fn lines_are_sorted_by_what_they_are() {
        assert_eq!(message(r#"{"id":1,"method":"ping"}"#).kind(), Kind::Request);
        assert_eq!(message(r#"{"method":"notifications/initialized"}"#).kind(), Kind::Notification);
        assert_eq!(message(r#"{"id":1,"result":{}}"#).kind(), Kind::Response);
        assert_eq!(Message::parse("[]").expect_err("no batches")["error"]["code"], -32600);
        assert_eq!(Message::parse("{").expect_err("no JSON")["error"]["code"], -32700);
    }

    #[test]
    fn what_is_no_message_is_refused_by_its_own_id() {
        let line = |more: &str| format!(r#"{{"jsonrpc":"2.0","id":7,"method":"ping"{more}}}"#);
        for good in [line(""), line(r#","params":null"#), line(r#","params":{"_meta":{}}"#)] {
            assert!(Message::parse(&good).is_ok(), "{good}");
        }
        for (bad, code) in [
            (r#"{"id":7,"method":"ping"}"#.to_owned(), -32600),
            (r#"{"jsonrpc":"2.0","id":7}"#.to_owned(), -32600),
            (r#"{"jsonrpc":"2.0","id":7,"method":7}"#.to_owned(), -32600),
            (line(r#","params":"x""#), -32602),
            (line(r#","params":[]"#), -32602),
            (line(r#","params":{"_meta":"x"}"#), -32602),
        ] {
            let answer = Message::parse(&bad).expect_err("refused");
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(7), &json!(code)), "{bad}");
        }
        let answer = Message::parse(&line("").replace('7', "1.5")).expect_err("refused");
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(1.5), &json!(-32600)));
    }

    #[test]
    fn only_tells_get_a_key_and_one_of_their_own_is_kept() {
        let call = |tool: &str, more: &str| {
            message(&format!(r#"{{"id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{{{more}}}}}}}"#))
        };
        let mut tell = call("team_tell", "");
        let key = |mut call: Message| call.give_key("k".to_owned()).expect("it may have one");
        assert_eq!(tell.give_key("k".to_owned()), Ok(Some("k".to_owned())));
        assert_eq!(tell.params()["_meta"][KEY], "k");
        assert_eq!(key(call("send_message", r#""key":"mine""#)).as_deref(), Some("mine"));
        assert_eq!(key(call("team_wake", "")), None);
        assert!(call("team_tell", "").may_repeat() && call("team_wake", "").may_repeat());
        assert!(!call("team_fork", "").may_repeat(), "a copy would be made twice");
    }

    /// Any JSON: mostly of the shapes that a call has, with something else in some place.
    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,8}".prop_map(Value::from),
            Just(json!("team_tell")),
        ];
        let name = prop_oneof![Just("_meta".to_owned()), Just("key".to_owned()), Just(KEY.to_owned()), ".{0,4}"];
        leaf.prop_recursive(3, 24, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map(name.clone(), inner, 0..4).prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    proptest! {
        /// Whatever a client writes, nothing panics; and a tell that goes on to the daemon has a key in its place.
        #[test]
        fn any_line_is_taken_or_refused(params in any_json(), arguments in any_json(), meta in any_json(), whole in any::<bool>()) {
            let call = json!({ "name": "team_tell", "arguments": arguments, "_meta": meta });
            let params = if whole { params } else { call };
            let line = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
            let mut message = message(&line);
            let given = message.give_key("k".to_owned());
            message.headers();
            message.may_repeat();
            if let Ok(Some(key)) = given {
                let params = message.params();
                prop_assert!(params["arguments"]["key"] == key.as_str() || params["_meta"][KEY] == key.as_str());
            } else if !whole {
                prop_assert!(given.is_err() && !meta.is_object() && !meta.is_null());
            }
        }
    }

    #[test]
    fn headers_repeat_the_body_where_the_revision_wants_it() {
        assert!(message(r#"{"id":1,"method":"ping"}"#).headers().is_empty());
        let read = message(
            r#"{"id":1,"method":"resources/read","params":{"uri":"iris://teams/ä","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
        );
        let headers = read.headers();
        assert_eq!(headers["mcp-protocol-version"], "2026-07-28");
        assert_eq!(headers["mcp-method"], "resources/read");
        assert_eq!(headers["mcp-name"], "=?base64?aXJpczovL3RlYW1zL8Ok?=");
    }
}
