//! One line of an audit: an event, with who did it and what that was.

use iris_api::event::Event;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::commands::events::describe::describe;

pub const COLUMNS: [&str; 11] =
    ["event", "time", "who", "surface", "credential", "kind", "team", "session", "turn", "what", "data"];

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry<'a> {
    event: i64,
    /// By the clock of the daemon's machine, in UTC.
    time: String,
    /// Nobody, if the log does not say who.
    who: Option<String>,
    /// Where they came in; nothing, if it was written down before that was known.
    surface: Option<String>,
    /// What the credential is called that they showed.
    credential: Option<String>,
    kind: &'a str,
    team: Option<&'a str>,
    session: Option<&'a str>,
    turn: Option<&'a str>,
    what: String,
    data: &'a RawValue,
}

impl<'a> Entry<'a> {
    pub fn of(event: &'a Event) -> Self {
        let body: Value = serde_json::from_str(event.data.get()).unwrap_or_default();
        Self {
            event: event.seq,
            time: Timestamp::from_millisecond(event.at).unwrap_or(Timestamp::UNIX_EPOCH).to_string(),
            who: who(event, &body),
            surface: body["through"]["surface"].as_str().map(str::to_owned),
            credential: credential(&body["through"]),
            kind: &event.kind,
            team: event.team.as_deref(),
            session: event.session.as_deref(),
            turn: event.turn.as_deref(),
            what: describe(event),
            data: &event.data,
        }
    }

    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("plain data")
    }

    pub fn cells(&self) -> [String; 11] {
        let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
        [
            self.event.to_string(),
            self.time.clone(),
            text(self.who.as_deref()),
            text(self.surface.as_deref()),
            text(self.credential.as_deref()),
            self.kind.to_owned(),
            text(self.team),
            text(self.session),
            text(self.turn),
            self.what.clone(),
            self.data.get().to_owned(),
        ]
    }
}

/// Who asked, who answered, who made, who ended. What time or a file did, nobody did.
fn who(event: &Event, body: &Value) -> Option<String> {
    match event.kind.as_str() {
        // It is the agent that asks.
        "question.opened" | "question.limited" => event.team.clone(),
        // Here `by` is another question.
        "question.superseded" => body["who"].as_str().map(str::to_owned),
        _ => body["by"].as_str().map(str::to_owned),
    }
}

/// The name and the id: a name may be given to another token when the first is revoked. `browser-1a2b3c of ci (…)`
fn credential(through: &Value) -> Option<String> {
    let (name, id) = (through["name"].as_str()?, through["credential"].as_str()?);
    let behind = through["signedInBy"].as_str().map(|token| format!(" of {token}")).unwrap_or_default();
    Some(if name == id { name.to_owned() } else { format!("{name}{behind} ({id})") })
}

/// A line of a table. What begins like a formula is made text: a spreadsheet would run what an agent wrote.
pub fn csv<T: AsRef<str>>(cells: [T; 11]) -> String {
    let harmless = cells.map(|cell| match cell.as_ref() {
        text if text.starts_with(['=', '+', '-', '@', '\t', '\r']) => format!("'{text}"),
        text => text.to_owned(),
    });
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(Vec::new());
    writer.write_record(&harmless).expect("memory can be written to");
    let line = writer.into_inner().expect("memory can be written to");
    String::from_utf8_lossy(&line).trim_end_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: &str, team: Option<&str>, data: &str) -> Event {
        let data = RawValue::from_string(data.to_owned()).expect("JSON");
        let team = team.map(str::to_owned);
        Event { seq: 7, at: 0, kind: kind.to_owned(), team, session: None, turn: None, data }
    }

    #[test]
    fn it_is_said_who_did_it() {
        let check = |kind: &str, team: Option<&str>, data: &str, expected: Option<&str>| {
            assert_eq!(Entry::of(&event(kind, team, data)).who.as_deref(), expected, "{kind}");
        };
        check("question.opened", Some("alpha"), r#"{"kind":"approval","text":"?"}"#, Some("alpha"));
        check("question.answered", Some("alpha"), r#"{"by":"ada"}"#, Some("ada"));
        check("question.defaulted", Some("alpha"), "{}", None);
        check("question.superseded", Some("alpha"), r#"{"by":"0199"}"#, None);
        check(
            "question.superseded",
            Some("alpha"),
            r#"{"told":"0199","who":"beta","why":"beta told it more"}"#,
            Some("beta"),
        );
        check("token.created", None, r#"{"name":"x","credential":"human","by":"user"}"#, Some("user"));
    }

    #[test]
    fn it_is_said_through_what_they_came() {
        let check = |data: &str, surface: Option<&str>, credential: Option<&str>| {
            let event = event("question.answered", Some("alpha"), data);
            let entry = Entry::of(&event);
            assert_eq!((entry.surface.as_deref(), entry.credential.as_deref()), (surface, credential), "{data}");
        };
        // Written down before it was known.
        check(r#"{"by":"ada"}"#, None, None);
        check(r#"{"by":"rule:7","through":{"surface":"rule"}}"#, Some("rule"), None);
        check(
            r#"{"by":"user","through":{"surface":"cli","credential":"owner","name":"owner"}}"#,
            Some("cli"),
            Some("owner"),
        );
        check(
            r#"{"by":"ada","through":{"surface":"mcp","credential":"9f2c","name":"ci"}}"#,
            Some("mcp"),
            Some("ci (9f2c)"),
        );
        check(
            r#"{"by":"ada","through":{"surface":"dashboard","credential":"9f2c.1a","name":"browser-1a","signedInBy":"ci"}}"#,
            Some("dashboard"),
            Some("browser-1a of ci (9f2c.1a)"),
        );
    }

    #[test]
    fn a_table_runs_nothing_and_loses_nothing() {
        let made = event("question.cancelled", None, r#"{"why":"=HYPERLINK(\"x\"),\n2"}"#);
        insta::assert_snapshot!(csv(Entry::of(&made).cells()));
        insta::assert_snapshot!(Entry::of(&made).json());
    }
}
