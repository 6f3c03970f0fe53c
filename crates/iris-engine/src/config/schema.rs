//! The config's form, for editors and for people.

use serde_json::{Value, json};

use super::Config;

/// A JSON Schema. Every value may also be a text with `${NAME}` in it, which is filled in before it is read, whatever comes
/// of it.
pub fn schema() -> Value {
    let mut schema = of_types();
    allow_variables(&mut schema);
    schema
}

/// As the types have it.
pub(super) fn of_types() -> Value {
    let mut schema = schemars::schema_for!(Config).to_value();
    schema["title"] = json!("Iris: config.yaml");
    schema
}

/// Whether a list or keys are to stand behind a key such as `teams.a.env`.
pub(super) fn wants_parts(key: &str) -> bool {
    let schema = of_types();
    let below = |at: &Value, name: &str| {
        let at = resolved(&schema, at);
        let found = at["properties"].get(name).or_else(|| at.get("additionalProperties"));
        found.filter(|found| found.is_object()).cloned()
    };
    let found = key.split('.').try_fold(schema.clone(), |at, name| below(&at, name));
    found.is_some_and(|found| {
        let kind = &resolved(&schema, &found)["type"];
        ["array", "object"].iter().any(|wanted| kind == wanted || includes(kind, wanted))
    })
}

/// The part of a config that has such a key, if one does.
pub(super) fn section_of(key: &str) -> Option<String> {
    let schema = of_types();
    let sections = schema["properties"].as_object()?;
    let has_it = |section: &Value| resolved(&schema, section)["properties"].get(key).is_some();
    sections.iter().find(|(_, section)| has_it(section)).map(|(name, _)| name.clone())
}

/// What a reference leads to, or the first of several ways to write a thing.
fn resolved<'a>(schema: &'a Value, at: &'a Value) -> &'a Value {
    let named = at["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/"));
    match (named, &at["anyOf"][0]) {
        (Some(name), _) => resolved(schema, &schema["$defs"][name]),
        (None, Value::Null) => at,
        (None, first) => resolved(schema, first),
    }
}

/// Where values are: below these keywords is one, or one for each name.
fn allow_variables(schema: &mut Value) {
    let Some(keywords) = schema.as_object_mut() else { return };
    for (keyword, below) in keywords {
        match keyword.as_str() {
            "properties" => below.as_object_mut().into_iter().flatten().for_each(|(_, value)| allow_variable(value)),
            "items" | "additionalProperties" if below.is_object() => allow_variable(below),
            "$defs" => below.as_object_mut().into_iter().flatten().for_each(|(_, part)| allow_variables(part)),
            "anyOf" | "oneOf" => below.as_array_mut().into_iter().flatten().for_each(allow_variables),
            _ => {}
        }
    }
}

fn allow_variable(value: &mut Value) {
    allow_variables(value);
    let mut ways = vec![json!({ "type": "string", "pattern": "\\$\\{[^}]+\\}" })];
    match &value["type"] {
        // Any text is one already.
        kind if kind == "string" || includes(kind, "string") => return,
        // In quotes it is a number all the same.
        kind if ["integer", "number"].iter().any(|number| kind == number || includes(kind, number)) => {
            ways.push(json!({ "type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?$" }));
        }
        _ => {}
    }
    let plain = value.take();
    let mut object = serde_json::Map::new();
    // What is said about the value stays on the outside, where editors look for it.
    for about in ["description", "default"] {
        if let Some(said) = plain.get(about) {
            object.insert(about.to_owned(), said.clone());
        }
    }
    ways.insert(0, plain);
    object.insert("anyOf".to_owned(), json!(ways));
    *value = Value::Object(object);
}

fn includes(kinds: &Value, kind: &str) -> bool {
    kinds.as_array().is_some_and(|kinds| kinds.iter().any(|known| known == kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_value_may_be_is_said() {
        let schema = of_types();
        let questions = resolved(&schema, &schema["properties"]["questions"])["properties"].clone();
        assert_eq!(resolved(&schema, &questions["onDeadline"])["enum"], json!(["fail", "wait"]));
        let settings = resolved(&schema, &schema["properties"]["settings"])["properties"].clone();
        assert_eq!(settings["maxQueue"]["minimum"], 1);
        let agent = resolved(&schema, &settings["agent"])["properties"].clone();
        let analysis = resolved(&schema, &agent["completionAnalysis"])["properties"].clone();
        let confidence = &analysis["minConfidence"];
        assert_eq!((&confidence["minimum"], &confidence["maximum"]), (&json!(0.0), &json!(1.0)));
    }

    #[test]
    fn what_a_key_wants_is_known() {
        for key in [
            "settings",
            "teams",
            "teams.a",
            "teams.a.env",
            "teams.a.args",
            "server.tls",
            "settings.agent.completionAnalysis.enabledFor",
        ] {
            assert!(wants_parts(key), "{key}");
        }
        for key in [
            "settings.port",
            "teams.a.env.A",
            "teams.a.description",
            "teams.a.grantPermission",
            "settings.idleTimeout",
            "nothing.at.all",
        ] {
            assert!(!wants_parts(key), "{key}");
        }
    }

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

    /// What a file may say, an editor must not mark as wrong.
    #[test]
    fn a_variable_may_stand_for_every_value_that_is_no_text() {
        let schema = schema();
        let ways = |value: &Value| value["anyOf"].as_array().cloned().unwrap_or_default();
        let takes_variables = |value: &Value| ways(value).iter().any(|way| way["pattern"] == "\\$\\{[^}]+\\}");
        let mut seen = 0;
        for part in schema["$defs"].as_object().expect("parts").values() {
            for (name, value) in part["properties"].as_object().into_iter().flatten() {
                let is_text = value["type"] == "string" || includes(&value["type"], "string");
                assert!(is_text || takes_variables(value), "{name}: {value}");
                seen += 1;
            }
        }
        assert!(seen > 50, "only {seen} keys");
        let team = &schema["$defs"]["TeamConfig"]["properties"];
        // What it is itself is still the first of the ways.
        assert_eq!(team["args"]["anyOf"][0]["type"], "array");
        assert!(team["grantPermission"]["anyOf"][0].to_string().contains("GrantPermission"));
        let port = &schema["$defs"]["Settings"]["properties"]["port"];
        assert!(ways(port).iter().any(|way| way["pattern"] == "^[0-9]+(\\.[0-9]+)?$"), "in quotes: {port}");
    }

    /// The same, as it is read.
    #[test]
    fn what_the_schema_takes_is_read() {
        let team = |line: &str| format!("teams:\n  a:\n    path: /tmp\n    {line}\n");
        for text in [
            team("grantPermission: ${GP:-ask}"),
            team("agent: ${AGENT:-claude}"),
            team("args: ${ARGS:-[a,b]}"),
            team("env: ${E:-{}}"),
            team("skipPermissions: ${SKIP:-true}"),
            team("maxBudgetUsd: \"2.5\""),
            "settings: { port: \"1700\", containment: ${C:-auto} }".to_owned(),
            "teams: {} # ${NOPE}".to_owned(),
        ] {
            let read = super::super::parse("config.yaml".as_ref(), &text, |_| None);
            assert!(read.is_ok(), "{text}: {read:?}");
        }
    }
}
