//! What calls of Iris's own tools mean. Their fields are ours, whichever kind of agent calls them.

use serde_json::Value;

use super::{CallQuestion, Meaning, ToolNature};

impl Meaning {
    /// Nothing of a tool whose calls are told like those of any other. `tool`: as Iris names it.
    pub fn of_own(tool: &str, input: &Value) -> Option<Self> {
        let text = |name: &str| input[name].as_str().map(str::to_owned);
        match tool {
            "team_tell" => Some(Self { to: text("toTeam"), about: text("message"), ..ToolNature::Tells.into() }),
            "ask_question" => {
                let options = input["options"].as_array().into_iter().flatten().filter_map(option).collect();
                let asked = CallQuestion { question: text("question")?, options };
                let covers = ["question", "options"].map(str::to_owned).to_vec();
                Some(Self { covers, ..Self::of_asks(vec![asked]) })
            }
            _ => None,
        }
    }
}

/// A label, or an object with one.
fn option(given: &Value) -> Option<String> {
    given.as_str().or(given["label"].as_str()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_to_another_team_names_it() {
        let told = Meaning::of_own("team_tell", &json!({"toTeam": "beacon", "message": "hello"})).expect("it is known");
        assert_eq!((told.nature, told.to.as_deref()), (ToolNature::Tells, Some("beacon")));
        assert_eq!(told.about.as_deref(), Some("hello"));
    }

    #[test]
    fn a_question_is_its_words_and_options() {
        let input = json!({"question": "Why?", "options": ["So", {"label": "Thus", "value": 1}, 7]});
        let asked = Meaning::of_own("ask_question", &input).expect("it is known");
        assert_eq!((asked.nature, asked.about.as_deref()), (ToolNature::Asks, Some("Why?")));
        assert_eq!(asked.asks[0].options, ["So", "Thus"]);
        assert_eq!(Meaning::of_own("ask_question", &json!({"question": 7})), None);
        assert_eq!(Meaning::of_own("team_wake", &json!({})), None);
    }
}
