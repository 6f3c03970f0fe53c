//! One line of an audit: an event, with who did it and what that was.

use iris_api::event::Event;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::commands::events::describe::describe;

pub const COLUMNS: [&str; 9] = ["event", "time", "who", "kind", "team", "session", "turn", "what", "data"];

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry<'a> {
    event: i64,
    /// By the clock of the daemon's machine, in UTC.
    time: String,
    /// Nobody, if the log does not say who.
    who: Option<String>,
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

    pub fn cells(&self) -> [String; 9] {
        let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
        [
            self.event.to_string(),
            self.time.clone(),
            text(self.who.as_deref()),
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
        "question.superseded" => None,
        _ => body["by"].as_str().map(str::to_owned),
    }
}

/// A line of a table. What begins like a formula is made text: a spreadsheet would run what an agent wrote.
pub fn csv<T: AsRef<str>>(cells: [T; 9]) -> String {
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
        check("token.created", None, r#"{"name":"x","credential":"human","by":"user"}"#, Some("user"));
    }

    #[test]
    fn a_table_runs_nothing_and_loses_nothing() {
        let made = event("question.cancelled", None, r#"{"why":"=HYPERLINK(\"x\"),\n2"}"#);
        insta::assert_snapshot!(csv(Entry::of(&made).cells()));
        insta::assert_snapshot!(Entry::of(&made).json());
    }
}
