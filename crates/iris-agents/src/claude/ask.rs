//! What the CLI wants of a person: leave for a tool, an answer, a form.

use iris_core::agent::{AgentOutput, AskedOption, AskedQuestion, Asking, FormRequest, PermissionRequest, Wanted};
use iris_core::question::input::Input;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::meaning::{self, ASK_USER};
use super::wire::{AskInput, Request};

/// A request for permission; the tool by which people are asked comes the same way.
pub(super) fn permission(request: String, input: &RawValue, asked: &Request<'_>, plan: Option<String>) -> AgentOutput {
    let tool = asked.tool_name.clone().unwrap_or_default().into_owned();
    let call = asked.tool_use_id.as_ref().map(|id| id.clone().into_owned());
    if tool == ASK_USER
        && let Some(questions) = serde_json::from_str(input.get()).ok().as_ref().and_then(questions)
    {
        return AgentOutput::Asked(Asking { request, questions, call });
    }
    let reason = asked.decision_reason.clone().map(|reason| reason.into_owned());
    // Also of what cannot be read exactly: a refusal holds for it, too.
    let meaning = Box::new(meaning::of(&tool, &Input::read(input).value));
    AgentOutput::PermissionAsked(PermissionRequest {
        request,
        tool,
        meaning,
        input: input.to_owned(),
        reason,
        plan,
        call,
    })
}

/// What the tool by which people are asked asks them, if its input is as it should be.
pub(super) fn questions(input: &Value) -> Option<Vec<AskedQuestion>> {
    let questions = AskInput::deserialize(input).ok()?.questions.into_iter().map(|question| AskedQuestion {
        question: question.question,
        options: question.options.into_iter().map(recommended).collect(),
        several: question.multi_select,
    });
    Some(questions.collect())
}

/// The tool has no field for what it recommends: it says so at the end of the label. What is answered is the label as the
/// agent wrote it.
fn recommended(option: AskedOption) -> AskedOption {
    const MARK: &str = "(recommended)";
    let label = option.label.trim_end();
    let own = label.len().checked_sub(MARK.len()).and_then(|at| label.split_at_checked(at));
    match own {
        Some((own, mark)) if mark.eq_ignore_ascii_case(MARK) && !own.trim().is_empty() => AskedOption {
            label: own.trim_end().to_owned(),
            value: Some(option.value().to_owned()),
            recommended: true,
            ..option
        },
        _ => option,
    }
}

/// A tool server of the agent's wants something filled in, or somebody to go to an address.
pub(super) fn form(request: String, asked: &Request<'_>) -> AgentOutput {
    let message = asked.message.and_then(|message| serde_json::from_str::<String>(message.get()).ok());
    let none = || RawValue::from_string("{}".to_owned()).expect("an empty object is JSON");
    // An address that comes with a form is asked about, too: nothing of what a server wants is left out.
    let wanted = match (&asked.url, asked.mode.as_deref()) {
        (Some(url), _) => Wanted::Visit { url: url.clone().into_owned() },
        (None, Some("url")) => Wanted::Visit { url: String::new() },
        (None, _) => Wanted::Fields(asked.requested_schema.map_or_else(none, ToOwned::to_owned)),
    };
    AgentOutput::FormAsked(FormRequest {
        request,
        server: asked.mcp_server_name.clone().unwrap_or_default().into_owned(),
        message: message.unwrap_or_default(),
        wanted,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recommended_in_the_label_is_recommended_and_answered_as_it_was_offered() {
        let check = |label: &str, shown: &str, is_recommended: bool| {
            let option = recommended(AskedOption::of(label));
            assert_eq!((option.label.as_str(), option.recommended), (shown, is_recommended), "{label}");
            assert_eq!(option.value(), label);
        };
        check("Blue (Recommended)", "Blue", true);
        check("Blue(recommended) ", "Blue", true);
        check("Blue", "Blue", false);
        check("(Recommended)", "(Recommended)", false);
        check("Bl\u{e4} (Recommend\u{e9})", "Bl\u{e4} (Recommend\u{e9})", false);
    }
}
