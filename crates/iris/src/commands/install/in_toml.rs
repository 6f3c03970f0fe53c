//! Servers in a TOML file, as Codex keeps them. Comments and order stay.

use serde_json::Value;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, value};

use super::entry::NAME;

const SERVERS: &str = "mcp_servers";

pub fn find(text: &str) -> Result<Option<Value>, String> {
    let document = read(text)?;
    Ok(servers(&document)?.and_then(|servers| servers.get(NAME)).map(plain))
}

pub fn put(text: &str, entry: &Value) -> Result<String, String> {
    let mut document = read(text)?;
    servers(&document)?;
    let servers = document.entry(SERVERS).or_insert_with(|| {
        let mut table = Table::new();
        // Only the servers in it have a line of their own.
        table.set_implicit(true);
        Item::Table(table)
    });
    let is_inline = servers.is_inline_table();
    let servers = servers.as_table_like_mut().ok_or_else(not_a_table)?;
    match servers.get_mut(NAME).and_then(Item::as_table_like_mut) {
        Some(found) => change(found, entry),
        None => {
            let table = table(entry);
            servers.insert(NAME, if is_inline { value(table.into_inline_table()) } else { Item::Table(table) });
        }
    }
    checked(with_ends_of(text, document.to_string()), Some(entry))
}

pub fn take(text: &str) -> Result<String, String> {
    let mut document = read(text)?;
    if let Some(servers) = document.get_mut(SERVERS).and_then(Item::as_table_like_mut) {
        servers.remove(NAME);
    }
    checked(with_ends_of(text, document.to_string()), None)
}

/// Lines end as they did: where each did with CRLF, each does.
fn with_ends_of(before: &str, text: String) -> String {
    let count = |end: &str| before.matches(end).count();
    match count("\n") {
        0 => text,
        all if all == count("\r\n") => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        _ => text,
    }
}

fn read(text: &str) -> Result<DocumentMut, String> {
    // Its message shows the line and points at the place.
    text.parse().map_err(|error: toml_edit::TomlError| error.to_string().trim_end().to_owned())
}

fn servers(document: &DocumentMut) -> Result<Option<&dyn TableLike>, String> {
    match document.get(SERVERS) {
        None => Ok(None),
        Some(found) => found.as_table_like().map(Some).ok_or_else(not_a_table),
    }
}

fn not_a_table() -> String {
    format!("`{SERVERS}` in it is not a table")
}

fn checked(text: String, wanted: Option<&Value>) -> Result<String, String> {
    match find(&text)?.as_ref() == wanted {
        true => Ok(text),
        false => Err("it is written in a way that cannot be changed safely".to_owned()),
    }
}

/// What is as it should be stays as it is written.
fn change(table: &mut dyn TableLike, entry: &Value) {
    let gone: Vec<String> =
        table.iter().map(|(key, _)| key.to_owned()).filter(|key| entry.get(key).is_none()).collect();
    gone.iter().for_each(|key| drop(table.remove(key)));
    for (key, one) in entry.as_object().into_iter().flatten() {
        let found = table.get(key);
        if found.map(plain).as_ref() == Some(one) {
            continue;
        }
        let mut new = item(one);
        // The comment behind it, above all.
        if let (Some(found), Some(new)) = (found.and_then(Item::as_value), new.as_value_mut()) {
            new.decor_mut().clone_from(found.decor());
        }
        table.insert(key, new);
    }
}

fn table(entry: &Value) -> Table {
    let mut table = Table::new();
    for (key, one) in entry.as_object().into_iter().flatten() {
        table.insert(key, item(one));
    }
    table
}

/// Only what entries are made of.
fn item(one: &Value) -> Item {
    match one {
        Value::Number(number) => value(number.as_i64().unwrap_or_default()),
        Value::Array(words) => value(words.iter().filter_map(Value::as_str).collect::<Array>()),
        Value::Object(keys) => {
            let pairs = keys.iter().filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)));
            value(pairs.collect::<InlineTable>())
        }
        other => value(other.as_str().unwrap_or_default()),
    }
}

fn plain(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        return table.iter().map(|(key, item)| (key.to_owned(), plain(item))).collect();
    }
    if let Some(words) = item.as_array() {
        return words.iter().map(|word| plain(&Item::Value(word.clone()))).collect();
    }
    let number = item.as_integer().map(Value::from);
    let text = || item.as_str().map(Value::from);
    number.or_else(text).or_else(|| item.as_bool().map(Value::from)).unwrap_or(Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn entry() -> Value {
        json!({ "command": "/opt/iris", "args": ["mcp"], "tool_timeout_sec": 86400, "env": { "IRIS_HOME": "/srv" } })
    }

    #[test]
    fn comments_and_order_stay_and_what_is_taken_out_is_all_that_goes() {
        let text = "# mine\nmodel = \"x\" # best\n\n[mcp_servers.other]\ncommand = 'y'\n\n[z]\na = 1\n";
        let put = put(text, &entry()).expect("put in");
        insta::assert_snapshot!(put);
        assert_eq!(find(&put), Ok(Some(entry())));
        assert_eq!(super::put(&put, &entry()).expect("again"), put);
        assert_eq!(take(&put).expect("taken out"), text);
    }

    #[test]
    fn an_entry_that_is_there_changes_only_where_it_has_to() {
        let text = "[mcp_servers.iris]\ncommand = '/old' # mine\nargs = ['mcp']\nenabled = true\nstartup_timeout_sec = 1.5\n\n[mcp_servers.iris.env]\nA = 'b'\n";
        let mut wanted = find(text).expect("TOML").expect("an entry");
        wanted["command"] = json!("/new");
        let put = put(text, &wanted).expect("put in");
        assert_eq!(put, text.replace("'/old'", "\"/new\""));
    }

    #[test]
    fn lines_end_as_they_did() {
        let text = "# mine\r\n[mcp_servers.other]\r\ncommand = 'y'\r\n";
        let put = put(text, &entry()).expect("put in");
        assert_eq!(put.matches('\n').count(), put.matches("\r\n").count(), "{put:?}");
        assert_eq!(take(&put).expect("taken out"), text);
    }

    #[test]
    fn every_way_to_write_tables_is_understood() {
        for text in ["", "mcp_servers = {}\n", "mcp_servers.other.command = 'y'\n", "[mcp_servers.iris]\nurl = 'x'\n"] {
            let put = put(text, &entry()).expect("put in");
            assert_eq!(find(&put), Ok(Some(entry())), "{put}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_its_place() {
        assert!(put("a = 1\nb = \n", &entry()).expect_err("wrong").contains("line 2"));
        assert!(put("mcp_servers = 1\n", &entry()).expect_err("wrong").contains("not a table"));
    }
}
