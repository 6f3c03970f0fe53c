//! Every key of config.yaml as a page for people, made from the types. What a key is for stands beside it in the code.

use std::fmt::Write as _;

use serde_json::Value;

use super::change::needs_restart;
use super::schema::of_types;

/// A Markdown page: a table for each part of the file.
pub fn reference() -> String {
    let schema = of_types();
    let mut parts = Vec::new();
    collect(&schema, "", &schema, &mut parts);
    let mut page = String::new();
    for Part { path, keys } in parts {
        let title = if path.is_empty() { "At the top".to_owned() } else { format!("`{path}`") };
        write!(page, "\n## {title}\n\n| key | what it is | default | what it does |\n|---|---|---|---|\n")
            .expect("text");
        for Key { name, form, default, about } in keys {
            writeln!(page, "| `{name}` | {form} | {default} | {about} |").expect("text");
        }
    }
    page
}

struct Part {
    path: String,
    keys: Vec<Key>,
}

struct Key {
    name: String,
    form: String,
    default: String,
    about: String,
}

fn collect(schema: &Value, path: &str, object: &Value, parts: &mut Vec<Part>) {
    let Some(properties) = object["properties"].as_object() else { return };
    let mut keys = Vec::new();
    let mut below = Vec::new();
    for (name, property) in properties {
        let whole = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        if let Some(inner) = find_object(schema, property) {
            below.push((whole, inner));
            continue;
        }
        if let Some(inner) = property.get("additionalProperties").and_then(|each| find_object(schema, each)) {
            below.push((format!("{whole}.<name>"), inner));
            continue;
        }
        let late = if needs_restart(&whole) { " Takes effect with the next start." } else { "" };
        keys.push(Key {
            name: name.clone(),
            form: describe_form(schema, property),
            default: describe_default(object, name, property),
            about: (describe(schema, property) + late).trim().to_owned(),
        });
    }
    if !keys.is_empty() {
        parts.push(Part { path: path.to_owned(), keys });
    }
    for (path, inner) in below {
        collect(schema, &path, inner, parts);
    }
}

/// What a reference leads to; the thing itself if it is none.
fn follow<'a>(schema: &'a Value, property: &'a Value) -> &'a Value {
    let name = property["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/"));
    name.map_or(property, |name| &schema["$defs"][name])
}

/// A part of the file with keys of its own, also where it may be left out.
fn find_object<'a>(schema: &'a Value, property: &'a Value) -> Option<&'a Value> {
    let ways = property["anyOf"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut ways = ways.iter().chain([property]).map(|way| follow(schema, way));
    ways.find(|way| way["properties"].is_object())
}

fn describe_form(schema: &Value, property: &Value) -> String {
    if property["$ref"] == "#/$defs/Duration" {
        return "a duration".to_owned();
    }
    let property = follow(schema, property);
    if let Some(ways) = property["enum"].as_array().or_else(|| property["oneOf"].as_array()) {
        let named = ways.iter().map(|way| way.get("const").unwrap_or(way)).filter_map(Value::as_str);
        return named.map(|way| format!("`{way}`")).collect::<Vec<_>>().join(", ");
    }
    if let Some(ways) = property["anyOf"].as_array() {
        // The other is `null`.
        return ways.first().map(|way| describe_form(schema, way)).unwrap_or_default();
    }
    let kind = property["type"].as_array().and_then(|kinds| kinds.first()).unwrap_or(&property["type"]);
    match kind.as_str() {
        Some("integer" | "number") => "a number".to_owned(),
        Some("boolean") => "`true` or `false`".to_owned(),
        Some("string") => "text".to_owned(),
        Some("array") => "a list".to_owned(),
        Some("object") => "names with values".to_owned(),
        other => other.unwrap_or("anything").to_owned(),
    }
}

fn describe_default(object: &Value, name: &str, property: &Value) -> String {
    let required = object["required"].as_array().is_some_and(|names| names.iter().any(|known| known == name));
    match property.get("default") {
        _ if required => "must be given".to_owned(),
        None | Some(Value::Null) => "none".to_owned(),
        Some(default) => format!("`{}`", default.to_string().replace('|', "\\|")),
    }
}

fn describe(schema: &Value, property: &Value) -> String {
    let said = |value: &Value| value["description"].as_str().map(|about| about.replace('\n', " ").replace('|', "\\|"));
    let target = follow(schema, property);
    let mut about = said(property).or_else(|| said(target)).unwrap_or_default();
    for way in target["oneOf"].as_array().into_iter().flatten() {
        if let (Some(name), Some(means)) = (way["const"].as_str(), said(way)) {
            write!(about, " `{name}`: {means}").expect("text");
        }
    }
    about
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_there_and_says_what_it_does() {
        let page = reference();
        for row in page.lines().filter(|line| line.starts_with("| `")) {
            assert!(!row.ends_with("|  |"), "a key without a word about it: {row}");
        }
        for key in ["| `maxProcesses` | a number | `10` |", "| `path` | text | must be given |"] {
            assert!(page.contains(key), "{key} in {page}");
        }
    }
}
