//! The config's form, for editors and for people.

use serde_json::{Value, json};

use super::Config;

/// A JSON Schema. Every value that is not a text may also be written as `${NAME}`, which is filled in before it is read.
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(Config).to_value();
    schema["title"] = json!("Iris: config.yaml");
    allow_variables(&mut schema);
    schema
}

fn allow_variables(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.values_mut().for_each(allow_variables);
            let is_plain = |kind: &Value| matches!(kind.as_str(), Some("integer" | "number" | "boolean"));
            let kind = object.get("type");
            if kind
                .is_some_and(|kind| is_plain(kind) || kind.as_array().is_some_and(|kinds| kinds.iter().any(is_plain)))
            {
                let plain = Value::Object(std::mem::take(object));
                let variable = json!({ "type": "string", "pattern": "\\$\\{[^}]+\\}" });
                // What is said about the value stays on the outside, where editors look for it.
                for about in ["description", "default"] {
                    if let Some(said) = plain.get(about) {
                        object.insert(about.to_owned(), said.clone());
                    }
                }
                object.insert("anyOf".to_owned(), json!([plain, variable]));
            }
        }
        Value::Array(values) => values.iter_mut().for_each(allow_variables),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_knows_every_key_and_lets_variables_stand_for_numbers() {
        let schema = schema();
        let settings = schema["$defs"]["Settings"]["properties"].as_object().expect("settings");
        let shown = serde_json::to_value(Config::default()).expect("plain data");
        for key in shown["settings"].as_object().expect("settings").keys() {
            assert!(settings.contains_key(key), "{key}");
        }
        assert_eq!(settings["port"]["anyOf"][0]["type"], "integer");
        assert_eq!(settings["port"]["anyOf"][1]["type"], "string");
    }
}
