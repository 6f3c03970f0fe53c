//! Servers in a JSON file, as Claude Code keeps them. Whatever is beside the servers stays as it is, byte for byte; the list
//! of servers itself may be laid out anew.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;

use super::entry::NAME;

const SERVERS: &str = "mcpServers";

/// Some editors begin a file with it. It stays, and is no part of the JSON.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The entry, if there is one; why not, if the file cannot be read as such a file.
pub fn find(text: &str) -> Result<Option<Value>, String> {
    Ok(read(text)?[SERVERS].get(NAME).cloned())
}

pub fn put(text: &str, entry: &Value) -> Result<String, String> {
    if let Some(text) = text.strip_prefix(BYTE_ORDER_MARK) {
        return put(text, entry).map(|text| format!("{BYTE_ORDER_MARK}{text}"));
    }
    let mut wanted = read(text)?;
    wanted[SERVERS][NAME] = entry.clone();
    let root = tree(if text.trim().is_empty() { "{}" } else { text })?;
    let object = root.object_value_or_set();
    if let Some(found) = object.get(SERVERS).filter(|_| object.object_value(SERVERS).is_none()) {
        // It is null, or it would not have been read.
        found.set_value(CstInputValue::Object(Vec::new()));
    }
    let servers = object.object_value_or_create(SERVERS).ok_or("it cannot be changed safely")?;
    match servers.get(NAME) {
        Some(found) => found.set_value(input(entry)),
        None => {
            servers.append(NAME, input(entry));
        }
    }
    same(with_last_line_ended(root.to_string(), text), &wanted)
}

pub fn take(text: &str) -> Result<String, String> {
    if let Some(text) = text.strip_prefix(BYTE_ORDER_MARK) {
        return take(text).map(|text| format!("{BYTE_ORDER_MARK}{text}"));
    }
    let mut wanted = read(text)?;
    // Whoever looks for a key that is not there by its name in brackets has made it.
    let servers = wanted.get_mut(SERVERS).and_then(Value::as_object_mut);
    if servers.and_then(|servers| servers.remove(NAME)).is_none() {
        return Ok(text.to_owned());
    }
    let root = tree(text)?;
    let servers: Option<CstObject> = root.object_value().and_then(|object| object.object_value(SERVERS));
    if let Some(found) = servers.and_then(|servers| servers.get(NAME)) {
        found.remove();
    }
    same(root.to_string(), &wanted)
}

pub fn is_empty(text: &str) -> bool {
    let nothing = |value: &Value| value.as_object().is_some_and(serde_json::Map::is_empty);
    let Ok(Value::Object(parts)) = read(text) else { return false };
    parts.iter().all(|(key, value)| key == SERVERS && nothing(value))
}

/// An empty file is an object with nothing in it.
fn read(text: &str) -> Result<Value, String> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    if text.trim().is_empty() {
        return Ok(Value::Object(Default::default()));
    }
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if !value.is_object() {
        return Err("it is not a JSON object".to_owned());
    }
    match &value[SERVERS] {
        Value::Null | Value::Object(_) => Ok(value),
        _ => Err(format!("`{SERVERS}` in it is not an object")),
    }
}

fn tree(text: &str) -> Result<CstRootNode, String> {
    CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| error.to_string())
}

/// What was made must say what was wanted, and nothing else: keys that come twice, for instance, are read in two ways.
fn same(text: String, wanted: &Value) -> Result<String, String> {
    match read(&text)? == *wanted {
        true => Ok(text),
        false => Err("it is written in a way that cannot be changed safely".to_owned()),
    }
}

fn with_last_line_ended(text: String, before: &str) -> String {
    if before.trim().is_empty() { text + "\n" } else { text }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(yes) => CstInputValue::Bool(*yes),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(keys) => {
            CstInputValue::Object(keys.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn entry() -> Value {
        json!({ "command": "/opt/iris \"x\"", "args": ["mcp"] })
    }

    #[test]
    fn what_was_put_in_and_taken_out_leaves_the_rest_as_it_was() {
        for text in [
            "{}",
            "{\n  \"a\": [1,  2],\n  \"mcpServers\": {\n    \"x\": {\"command\":\"y\"}\n  },\n  \"z\":1e3\n}\n",
            "{\"mcpServers\":{\"x\":{}},   \"odd\" : \"\\u00e9\"}",
            "{\r\n\t\"mcpServers\": {}\r\n}",
            "\u{feff}{\"mcpServers\": {\"x\": {}}}",
        ] {
            let put = put(text, &entry()).expect("put in");
            assert_eq!(find(&put), Ok(Some(entry())), "{put}");
            let again = super::put(&put, &entry()).expect("put in again");
            assert_eq!(again, put, "a second time changes nothing");
            let taken = take(&put).expect("taken out");
            let (before, after) = (read(text).expect("JSON"), read(&taken).expect("JSON"));
            for key in before.as_object().expect("an object").keys() {
                assert_eq!(after[key], before[key], "{taken}");
            }
            assert_eq!(find(&taken), Ok(None));
        }
        let with = put("{\"mcpServers\":{\"x\":{}},   \"odd\" : \"\\u00e9\"}", &entry()).expect("put in");
        assert!(with.ends_with(",   \"odd\" : \"\\u00e9\"}"), "{with}");
    }

    #[test]
    fn no_servers_at_all_may_be_written_as_null() {
        let put = put("{\"mcpServers\": null, \"a\": 1}", &entry()).expect("put in");
        assert_eq!(read(&put), Ok(json!({ "mcpServers": { "iris": entry() }, "a": 1 })));
    }

    #[test]
    fn where_nothing_was_put_in_nothing_is_taken_out() {
        for text in ["", "{}", "{\"a\": 1}\n", "{\"mcpServers\": null}", "{\"mcpServers\": {\"x\": {}}}"] {
            assert_eq!(take(text).as_deref(), Ok(text));
        }
    }

    #[test]
    fn a_new_file_is_pretty_and_another_entry_is_replaced() {
        insta::assert_snapshot!(put("", &entry()).expect("put in"));
        let other = put("{\"mcpServers\": {\"iris\": {\"command\": \"old\"}}}", &entry()).expect("put in");
        assert_eq!(find(&other), Ok(Some(entry())));
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_its_place() {
        let check = |text: &str, what: &str| {
            let error = put(text, &entry()).expect_err(text);
            assert!(error.contains(what), "{text}: {error}");
            assert!(find(text).is_err() && take(text).is_err(), "{text}");
        };
        check("{\n  \"a\": 1,\n}", "line 3 column 1");
        check("{ // mine\n}", "line 1 column 3");
        check("[]", "not a JSON object");
        check("{\"mcpServers\": []}", "not an object");
    }
}
