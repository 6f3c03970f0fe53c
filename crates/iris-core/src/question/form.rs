//! The fields of a form that a tool server wants filled in: what each takes, and whether a value is that. The schema is
//! that of MCP elicitation: an object of plain values.

use serde_json::{Map, Value, json};

use super::AnswerError;

mod format;

pub use format::Format;

#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub name: String,
    /// What the server says about it.
    pub about: Option<String>,
    pub is_required: bool,
    pub kind: Kind,
    default: Option<Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Text {
        shortest: Option<u64>,
        longest: Option<u64>,
        format: Option<Format>,
    },
    /// Values, and what each is called.
    OneOf(Vec<(Value, String)>),
    Number {
        is_whole: bool,
        least: Option<f64>,
        most: Option<f64>,
    },
    YesOrNo,
    /// Nothing that is known here: the server says whether it fits.
    Other,
}

/// The fields that a schema asks for.
pub fn fields(schema: &Value) -> Vec<Field> {
    let is_required = |name: &str| schema["required"].as_array().is_some_and(|names| names.iter().any(|n| n == name));
    let known = schema["properties"].as_object().into_iter().flatten().map(|(name, about)| Field {
        name: name.clone(),
        about: ["description", "title"].iter().find_map(|key| about[key].as_str()).map(str::to_owned),
        is_required: is_required(name),
        kind: Kind::of(about),
        default: about.get("default").cloned(),
    });
    known.collect()
}

/// What is filled in, with the values of options for their names.
pub fn check(schema: &Value, mut content: Map<String, Value>) -> Result<Map<String, Value>, AnswerError> {
    let fields = fields(schema);
    let names = || fields.iter().map(|field| field.name.clone()).collect::<Vec<_>>();
    if let Some(unknown) = content.keys().find(|&given| !fields.is_empty() && fields.iter().all(|f| f.name != *given)) {
        return Err(AnswerError::NoField { given: unknown.clone(), fields: names() });
    }
    for field in &fields {
        let takes = || field.kind.takes();
        match content.get_mut(&field.name) {
            None if field.is_required => {
                return Err(AnswerError::MissingField { name: field.name.clone(), takes: takes() });
            }
            None => {}
            Some(given) => match field.kind.fit(given) {
                Some(fitting) => *given = fitting,
                None => {
                    let (name, given) = (field.name.clone(), given.to_string());
                    return Err(AnswerError::Field { name, takes: takes(), given });
                }
            },
        }
    }
    Ok(content)
}

/// An answer that would be taken, to be changed to what is meant.
pub fn example(fields: &[Field]) -> Value {
    let wanted = fields.iter().filter(|field| field.is_required || fields.iter().all(|field| !field.is_required));
    Value::Object(wanted.map(|field| (field.name.clone(), field.example())).collect())
}

impl Field {
    pub fn example(&self) -> Value {
        self.default.clone().filter(|default| self.kind.fit(default).is_some()).unwrap_or_else(|| self.kind.example())
    }

    /// A value from words, where one is typed and not given as JSON.
    pub fn read(&self, text: &str) -> Value {
        let is_number = matches!(self.kind, Kind::Number { .. });
        let number = is_number.then(|| text.trim().parse::<serde_json::Number>().ok()).flatten();
        match (&self.kind, text.trim().to_lowercase().as_str()) {
            (Kind::YesOrNo, "yes" | "y" | "true") => true.into(),
            (Kind::YesOrNo, "no" | "n" | "false") => false.into(),
            _ => number.map_or_else(|| text.into(), Value::Number),
        }
    }
}

impl Kind {
    fn of(about: &Value) -> Self {
        if let Some(options) = options(about) {
            return Self::OneOf(options);
        }
        let is_whole = about["type"] == "integer";
        match about["type"].as_str() {
            Some("string") => {
                let format = about["format"].as_str().and_then(Format::named);
                Self::Text { shortest: about["minLength"].as_u64(), longest: about["maxLength"].as_u64(), format }
            }
            Some("number" | "integer") => {
                Self::Number { is_whole, least: about["minimum"].as_f64(), most: about["maximum"].as_f64() }
            }
            Some("boolean") => Self::YesOrNo,
            _ => Self::Other,
        }
    }

    /// In a few words.
    pub fn takes(&self) -> String {
        match self {
            Self::Text { shortest, longest, format } => {
                let what = format.map_or_else(|| "text".to_owned(), |format| format.takes());
                match (shortest, longest) {
                    (None, None) => what,
                    (Some(shortest), None) => format!("{what} of at least {shortest} characters"),
                    (None, Some(longest)) => format!("{what} of at most {longest} characters"),
                    (Some(shortest), Some(longest)) => format!("{what} of {shortest} to {longest} characters"),
                }
            }
            Self::OneOf(options) => {
                let named = options.iter().map(|(value, name)| match value.as_str() {
                    Some(value) if value == name => name.clone(),
                    _ => format!("{} ({name})", plain(value)),
                });
                format!("one of: {}", named.collect::<Vec<_>>().join(", "))
            }
            Self::Number { is_whole, least, most } => {
                let what = if *is_whole { "a whole number" } else { "a number" };
                match (least, most) {
                    (None, None) => what.to_owned(),
                    (Some(least), None) => format!("{what} of at least {least}"),
                    (None, Some(most)) => format!("{what} of at most {most}"),
                    (Some(least), Some(most)) => format!("{what} from {least} to {most}"),
                }
            }
            Self::YesOrNo => "true or false".to_owned(),
            Self::Other => "JSON".to_owned(),
        }
    }

    /// The value as the server wants it; nothing if it is not one.
    fn fit(&self, given: &Value) -> Option<Value> {
        let fits = match self {
            Self::OneOf(options) => {
                let by_value = options.iter().find(|(value, _)| value == given);
                let named = |name: &str| given.as_str().is_some_and(|given| given.trim().eq_ignore_ascii_case(name));
                let found = by_value.or_else(|| options.iter().find(|(_, name)| named(name)));
                return found.map(|(value, _)| value.clone());
            }
            Self::Text { shortest, longest, format } => given.as_str().is_some_and(|text| {
                let length = text.chars().count() as u64;
                shortest.is_none_or(|shortest| length >= shortest)
                    && longest.is_none_or(|longest| length <= longest)
                    && format.is_none_or(|format| format.is_met(text))
            }),
            Self::Number { is_whole, least, most } => given.as_f64().is_some_and(|number| {
                let is_kind = !is_whole || number.fract() == 0.0;
                is_kind && least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most)
            }),
            Self::YesOrNo => given.is_boolean(),
            Self::Other => true,
        };
        fits.then(|| given.clone())
    }

    fn example(&self) -> Value {
        match self {
            Self::Text { format: Some(format), .. } => format.example().into(),
            Self::Text { shortest, longest, format: None } => {
                let length = usize::try_from(shortest.unwrap_or(0)).unwrap_or(0).max("text".len());
                let most = longest.and_then(|longest| usize::try_from(longest).ok()).unwrap_or(usize::MAX);
                // No more than anybody reads: who asks for a longer one knows what it is.
                "text".chars().cycle().take(length.min(most).min(100)).collect::<String>().into()
            }
            Self::OneOf(options) => options.first().map_or(Value::Null, |(value, _)| value.clone()),
            Self::Number { is_whole, least, most } => {
                let number = least.unwrap_or(1.0).min(most.unwrap_or(f64::MAX));
                #[expect(clippy::cast_possible_truncation, reason = "an example")]
                if *is_whole { json!(number.ceil() as i64) } else { json!(number) }
            }
            Self::YesOrNo => true.into(),
            Self::Other => Value::Null,
        }
    }
}

/// `enum` with `enumNames`, or `oneOf` with `const` and `title`.
fn options(about: &Value) -> Option<Vec<(Value, String)>> {
    if let Some(values) = about["enum"].as_array() {
        let names = &about["enumNames"];
        let named = values.iter().enumerate().map(|(index, value)| {
            let name = names[index].as_str().map_or_else(|| plain(value), str::to_owned);
            (value.clone(), name)
        });
        return Some(named.collect());
    }
    let titled = about["oneOf"].as_array()?.iter().map(|option| {
        let value = option.get("const")?.clone();
        let name = option["title"].as_str().map_or_else(|| plain(&value), str::to_owned);
        Some((value, name))
    });
    titled.collect()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Value {
        json!({"type": "object", "required": ["name", "age"], "properties": {
            "name": {"type": "string", "minLength": 2, "maxLength": 5},
            "age": {"type": "integer", "minimum": 0, "maximum": 120},
            "share": {"type": "number", "maximum": 1},
            "news": {"type": "boolean"},
            "size": {"type": "string", "enum": ["s", "l"], "enumNames": ["Small", "Large"]},
            "tone": {"type": "string", "oneOf": [{"const": "d", "title": "Dark"}]},
            "more": {"type": "array"},
            "mail": {"type": "string", "format": "email"},
            "page": {"type": "string", "format": "uri"},
            "day": {"type": "string", "format": "date", "maxLength": 10},
            "at": {"type": "string", "format": "date-time"},
            "odd": {"type": "string", "format": "of tomorrow"},
        }})
    }

    fn check_content(content: &Value, expected: Result<&Value, &str>) {
        let fields = content.as_object().expect("fields").clone();
        let found = check(&schema(), fields).map(Value::Object).map_err(|error| error.to_string());
        assert_eq!(found.as_ref().map_err(String::as_str), expected, "{content}");
    }

    #[test]
    fn what_is_filled_in_fits_its_field_or_is_told_what_would() {
        let good = json!({"name": "Ada", "age": 36, "share": 0.5, "news": false, "size": "l", "more": [1]});
        check_content(&good, Ok(&good));
        let named = json!({"name": "Ada", "age": 36.0, "size": "large", "tone": "Dark"});
        check_content(&named, Ok(&json!({"name": "Ada", "age": 36.0, "size": "l", "tone": "d"})));
        let refused = |field: &str, value: Value, why: &str| {
            let mut content = json!({"name": "Ada", "age": 36});
            content[field] = value;
            check_content(&content, Err(why));
        };
        let age = "the field 'age' takes a whole number from 0 to 120, and not";
        refused("age", json!("old"), &format!("{age} \"old\""));
        refused("age", json!("36"), &format!("{age} \"36\""));
        refused("age", json!(3.5), &format!("{age} 3.5"));
        refused("age", json!(-1), &format!("{age} -1"));
        refused("age", json!(null), &format!("{age} null"));
        refused("name", json!("A"), "the field 'name' takes text of 2 to 5 characters, and not \"A\"");
        refused("name", json!(7), "the field 'name' takes text of 2 to 5 characters, and not 7");
        refused("share", json!(2), "the field 'share' takes a number of at most 1, and not 2");
        refused("news", json!("yes"), "the field 'news' takes true or false, and not \"yes\"");
        refused("size", json!("m"), "the field 'size' takes one of: s (Small), l (Large), and not \"m\"");
        refused(
            "nme",
            json!("x"),
            "there is no field 'nme'; these are asked for: age, at, day, mail, more, name, news, odd, page, share, size, tone",
        );
        let day = "the field 'day' takes a date such as 2026-01-31 of at most 10 characters, and not";
        refused("day", json!("tomorrow"), &format!("{day} \"tomorrow\""));
        refused("mail", json!("ada"), "the field 'mail' takes an e-mail address, and not \"ada\"");
        let page = "the field 'page' takes an address with its scheme, such as https://example.com, and not";
        refused("page", json!("example.com"), &format!("{page} \"example.com\""));
        let at = "the field 'at' takes a date and time such as 2026-01-31T09:30:00Z, and not";
        refused("at", json!("2026-01-31"), &format!("{at} \"2026-01-31\""));
        let more = json!({"name": "Ada", "age": 36, "mail": "a@b.example", "page": "mailto:a@b", "odd": "x",
                          "day": "2028-02-29", "at": "2026-01-31t09:30:00.5+02:00"});
        check_content(&more, Ok(&more));
        let missing = "the field 'age' is missing; it takes a whole number from 0 to 120";
        check_content(&json!({"name": "Ada"}), Err(missing));
    }

    #[test]
    fn an_example_would_be_taken() {
        let found = fields(&schema());
        let required = example(&found);
        assert_eq!(required, json!({"name": "text", "age": 0}));
        check_content(&required, Ok(&required));
        for field in &found {
            assert!(field.kind == Kind::Other || field.kind.fit(&field.example()).is_some(), "{field:?}");
        }
        let optional = fields(&json!({"properties": {"x": {"type": "string", "default": "as it is"}}}));
        assert_eq!(example(&optional), json!({"x": "as it is"}));
    }
}
