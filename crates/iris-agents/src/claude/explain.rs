//! What the agent's own words mean for a person, and what helps.

use std::sync::LazyLock;

use iris_core::agent::AgentExit;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use regex::Regex;

use crate::launch::Misfit;

use super::wire::{Greeting, ResultLine, SystemLine};

/// Why an agent that is up will not be able to work.
pub(super) fn obstacle(greeting: &Greeting) -> Option<String> {
    let account = greeting.account.as_ref()?;
    let first_party = account.api_provider.as_deref() == Some("firstParty");
    // Of a subscription (Pro, Max, Team) or a profile it names no source at all: only one that is called none is none.
    let no_token = account.token_source.as_deref() == Some("none");
    let no_key = account.api_key_source.as_deref().is_none_or(|source| source == "none");
    (first_party && no_token && no_key).then(|| format!("Claude Code is not logged in; {LOG_IN}"))
}

/// Why the CLI ended before it was ready. `args` are the team's own.
pub(crate) fn exit(exit: &AgentExit, args: &[String]) -> Option<String> {
    let said = |words: &str| exit.stderr.contains(words);
    // `error: unknown option '--name'`
    let unknown = exit.stderr.split_once("unknown option '").and_then(|(_, rest)| rest.split_once('\''));
    if let Some((option, _)) = unknown
        && args.iter().any(|arg| arg.split('=').next() == option.split('=').next())
    {
        return Some(format!("take {option} out of the team's `args`: this version of Claude Code does not know it"));
    }
    if said("unknown option") || said("Unsupported control request") {
        return Some(TOO_OLD.to_owned());
    }
    let root = "run Iris as another user, or set IS_SANDBOX=1 in the team's `env` if this is a sandbox";
    said("root/sudo privileges").then(|| root.to_owned())
}

const TOO_OLD: &str =
    "this version of Claude Code is too old; update it with `npm install -g @anthropic-ai/claude-code`";

/// Why the CLI will not be able to work that answered the greeting with an error.
pub(super) fn refusal(error: Option<&str>) -> String {
    let error = error.unwrap_or("it did not say why");
    match error.contains("Unsupported control request") {
        true => format!("Claude Code refused the greeting ({error}); {TOO_OLD}"),
        false => format!("Claude Code refused the greeting ({error})"),
    }
}

/// The scripted agent says it in the same words.
pub(crate) fn misfit(exit: &AgentExit) -> Option<Misfit> {
    let said = |words: &str| exit.stderr.contains(words);
    if said("No conversation found") {
        return Some(Misfit::Lost);
    }
    said("already in use").then_some(Misfit::Begun)
}

const LOG_IN: &str = "run `claude` in a terminal and type /login, or set ANTHROPIC_API_KEY in the team's `env`; a team with \
                      `home: own` needs a login in that home, `iris doctor` says how";

const CREDIT: &str = "the account has no credit left, and telling it again does not help before it has: add some with the \
                      provider, or use another login (`claude` and /login, or ANTHROPIC_API_KEY in the team's `env`)";

/// The CLI advises to compact it, which is a command of its own screen.
const TOO_LONG: &str = "the conversation, or something in it, is too long; begin another: `iris tell --from NAME`, or put \
                        this one to sleep and forget it (`iris sleep`, then `iris sessions delete`)";

const REFUSED: &str = "the provider does not take the request as it is: check the team's `model` and `args`; if it goes on, \
                       begin another conversation: `iris tell --from NAME`";

const CAP: &str = "what the account may use is used up, by a limit that was set for it: raise that with the provider, then \
                   `iris wake` ends the wait";

/// What a turn that failed says, with what to do about it where that is known.
pub(super) fn failure(result: &ResultLine<'_>) -> String {
    let reason = result.terminal_reason.as_deref().unwrap_or_default();
    let said = result.result.as_deref().unwrap_or_default();
    // What is only for those who make the CLI says nothing to anybody else.
    let errors: Vec<&str> =
        result.errors.iter().map(AsRef::as_ref).filter(|error: &&str| !error.starts_with(DIAGNOSTIC)).collect();
    let what = match (said, errors.is_empty()) {
        // Iris itself asks it to break off only where that is wanted, which is no failure.
        _ if reason.starts_with("aborted") => {
            "the agent was interrupted from outside, by a signal to its process for instance; tell it again to go on"
                .to_owned()
        }
        ("", false) => errors.join("; "),
        ("", true) if !result.errors.is_empty() => NO_ANSWER.to_owned(),
        ("", true) => format!("the agent ended the turn with an error ({reason})"),
        (said, _) => said.to_owned(),
    };
    match helps(result) {
        Some(help) => format!("{what} [{help}]"),
        None => what,
    }
}

const DIAGNOSTIC: &str = "[ede_diagnostic]";

const NO_ANSWER: &str = "the model gave no answer that could be used; tell it again, and if it goes on, look at what is between \
                         you and the provider (ANTHROPIC_BASE_URL, a proxy)";

fn helps(result: &ResultLine<'_>) -> Option<&'static str> {
    let reason = result.terminal_reason.as_deref().unwrap_or_default();
    let subtype = result.subtype.as_deref().unwrap_or_default();
    let said = result.result.as_deref().unwrap_or_default();
    let says = |words: &str| said.to_lowercase().contains(words);
    Some(match (result.api_error_status, reason, subtype) {
        // The provider says it with a 400, and the CLI sometimes with no status at all.
        (Some(402), ..) => CREDIT,
        _ if says("credit balance is too low") => CREDIT,
        _ if is_cap(said) => CAP,
        (Some(401 | 403), ..) => LOG_IN,
        _ if said.contains("/login") => LOG_IN,
        // Older versions do not say the status apart.
        _ if said.contains("Overloaded") => "the provider is overloaded; try again later",
        (Some(404), ..) => "check the team's `model`",
        (Some(429), ..) => "the provider limits how often it may be asked; try again later",
        (Some(529), ..) => "the provider is overloaded; try again later",
        (Some(413), ..) | (_, "prompt_too_long", _) => TOO_LONG,
        _ if says("prompt is too long") || says("request too large") => TOO_LONG,
        (_, _, "error_max_turns") => "the agent used up its rounds; tell it to go on",
        (_, _, "error_max_budget_usd") => "the team's `maxBudgetUsd` is used up; raise it or begin a new session",
        _ if said.contains("Connection refused") => {
            "the provider cannot be reached; check the network and ANTHROPIC_BASE_URL"
        }
        (Some(400), ..) => REFUSED,
        _ => return None,
    })
}

/// Whether the turn failed only because it was too much or too soon.
pub(super) fn is_limit(result: &ResultLine<'_>) -> bool {
    let said = result.result.as_deref().unwrap_or_default();
    let is_said = || said.contains("usage limit reached") || said.contains("hit your limit");
    result.is_error
        && match result.api_error_status {
            // A limit that somebody set for the account comes as a bad request.
            Some(status) => status == 429 || is_cap(said),
            None => is_said() || is_cap(said) || said.contains("rejected (429)"),
        }
}

/// `You have reached your specified API usage limits.`, or those of a workspace. The CLI knows it by the same pattern.
fn is_cap(said: &str) -> bool {
    static WORDS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?i)reached your specified[\w\s-]*?usage limits").expect("it is written here"));
    WORDS.is_match(said)
}

/// The time that stands in the message, in milliseconds since 1970.
pub(super) fn reset_time(result: &ResultLine<'_>) -> Option<i64> {
    let said = result.result.as_deref()?;
    stamped_time(said).or_else(|| told_time(said))
}

/// The time that older agents put behind their message: `…limit reached|1794770765`.
fn stamped_time(said: &str) -> Option<i64> {
    let (_, seconds) = said.rsplit_once('|')?;
    seconds.trim().parse::<i64>().ok()?.checked_mul(1000)
}

/// `… You will regain access on 2026-12-01 at 00:00 UTC.`
fn told_time(said: &str) -> Option<i64> {
    let (time, _) = said.split_once("regain access on ")?.1.split_once(" UTC")?;
    let time = DateTime::strptime("%Y-%m-%d at %H:%M", time).ok()?.to_zoned(TimeZone::UTC).ok()?;
    Some(time.timestamp().as_millisecond())
}

pub(super) fn retry(line: &SystemLine<'_>) -> String {
    let why = match (line.error_status, line.error) {
        (Some(status), Some(error)) => format!("the provider answered {status} {}", error.get().trim_matches('"')),
        (Some(status), None) => format!("the provider answered {status}"),
        (None, _) => "no whole answer came from the provider".to_owned(),
    };
    let tries = match (line.attempt, line.max_retries) {
        (Some(attempt), Some(most)) => format!("try {attempt} of {most}"),
        _ => "another try".to_owned(),
    };
    let seconds = line.retry_delay_ms.unwrap_or_default() / 1000.0;
    format!("{why}; {tries} in {seconds:.1} s")
}

pub(super) fn fallback(line: &SystemLine<'_>) -> String {
    let model = |name: &Option<std::borrow::Cow<'_, str>>| name.as_deref().unwrap_or("another model").to_owned();
    format!("went on with {} instead of {}", model(&line.fallback_model), model(&line.original_model))
}

/// By a rule of its settings or of the team's `disallowedTools`: nobody was asked.
pub(super) fn denied(line: &SystemLine<'_>) -> String {
    format!("a rule does not allow {} to be used in this way", line.tool_name.as_deref().unwrap_or("a tool"))
}

pub(super) fn task(subtype: &str, line: &SystemLine<'_>) -> String {
    let about = line.summary.as_deref().or(line.description.as_deref()).unwrap_or_default();
    match (subtype, line.status.as_deref()) {
        ("task_notification", Some(status)) => format!("{status}: {about}"),
        ("task_started", _) => format!("started: {about}"),
        _ => about.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stderr: &str, args: &[&str], expected: Option<&str>) {
        let exit_of = AgentExit { code: Some(1), signal: None, stderr: stderr.to_owned() };
        let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
        let said = exit(&exit_of, &args);
        assert!(
            match expected {
                Some(words) => said.as_deref().is_some_and(|said| said.contains(words)),
                None => said.is_none(),
            },
            "{stderr}: {said:?}"
        );
    }

    /// As both versions say it.
    #[test]
    fn only_one_who_has_no_login_is_told_to_log_in() {
        let check = |account: &str, has_login: bool| {
            let greeting = serde_json::from_str(&format!(r#"{{"account":{account}}}"#)).expect("a greeting");
            assert_eq!(obstacle(&greeting).is_none(), has_login, "{account}");
        };
        check(r#"{"tokenSource":"none","apiProvider":"firstParty"}"#, false);
        check(r#"{"tokenSource":"none","apiKeySource":"none","apiProvider":"firstParty"}"#, false);
        check(r#"{"subscriptionType":"Claude Max","apiProvider":"firstParty"}"#, true);
        check(
            r#"{"email":"a@b.c","organization":"o","subscriptionType":"Claude Pro","apiProvider":"firstParty"}"#,
            true,
        );
        check(r#"{"apiProvider":"firstParty"}"#, true);
        check(r#"{"tokenSource":"none","apiKeySource":"ANTHROPIC_API_KEY","apiProvider":"firstParty"}"#, true);
        check(r#"{"tokenSource":"none","apiKeySource":"/login managed key","apiProvider":"firstParty"}"#, true);
        check(r#"{"tokenSource":"CLAUDE_CODE_OAUTH_TOKEN","apiProvider":"firstParty"}"#, true);
        check(r#"{"tokenSource":"apiKeyHelper","apiKeySource":"apiKeyHelper","apiProvider":"firstParty"}"#, true);
        check(r#"{"tokenSource":"none","apiProvider":"bedrock"}"#, true);
    }

    #[test]
    fn what_the_provider_refuses_comes_with_what_helps() {
        let check = |status: Option<u16>, said: &str, expected: &str| {
            let line = serde_json::json!({
                "type": "result", "subtype": "success", "is_error": true, "api_error_status": status, "result": said,
            });
            let line = line.to_string();
            let told = failure(&serde_json::from_str(&line).expect("a result"));
            assert!(told.starts_with(said) && told.contains(expected), "{told}");
        };
        check(Some(400), "API Error: 400 messages: text is empty", "does not take the request as it is");
        check(Some(400), "Your credit balance is too low to access the API", "no credit left");
        check(None, "Credit balance is too low", "add some with the provider");
        check(Some(402), "API Error: 402 payment required", "use another login");
        check(Some(413), "Request too large. Compact the conversation", "`iris sessions delete`");
        check(None, "Prompt is too long", "begin another: `iris tell --from NAME`");
        check(Some(404), "no such model", "`model`");
    }

    #[test]
    fn a_limit_that_was_set_for_the_account_is_one() {
        let check = |status: Option<u16>, said: &str, expected: Option<Option<i64>>| {
            let line = serde_json::json!({
                "type": "result", "subtype": "success", "is_error": true, "api_error_status": status, "result": said,
            });
            let line = line.to_string();
            let result = serde_json::from_str(&line).expect("a result");
            assert_eq!(is_limit(&result).then(|| reset_time(&result)), expected, "{said}");
            assert_eq!(failure(&result).contains("raise that with the provider"), expected.is_some(), "{said}");
        };
        let said = "API Error: 400 You have reached your specified API usage limits.";
        let until = "You will regain access on 2026-12-01 at 00:00 UTC.";
        check(Some(400), &format!("{said} {until}"), Some(Some(1_796_083_200_000)));
        check(None, &format!("{said} {until}"), Some(Some(1_796_083_200_000)));
        check(Some(400), said, Some(None));
        check(Some(400), &format!("{said} You will regain access on Tuesday UTC."), Some(None));
        check(Some(400), "You have reached your specified workspace API usage limits.", Some(None));
        check(Some(400), "you reached your specified folder. It says: usage limits", None);
        check(Some(400), "API Error: 400 messages: text is empty", None);
    }

    #[test]
    fn an_interrupt_is_told_in_words() {
        let line = r#"{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools",
            "errors":["[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=tool_use"]}"#;
        let told = failure(&serde_json::from_str(line).expect("a result"));
        assert!(told.starts_with("the agent was interrupted from outside") && !told.contains("ede_"), "{told}");
    }

    /// A gateway garbles what the model says, for instance.
    #[test]
    fn a_diagnostic_of_the_cli_is_told_in_words() {
        let check = |errors: &str, expected: &str| {
            let line =
                format!(r#"{{"type":"result","subtype":"error_during_execution","is_error":true,"errors":{errors}}}"#);
            let told = failure(&serde_json::from_str(&line).expect("a result"));
            assert!(told.starts_with(expected) && !told.contains("ede_"), "{told}");
        };
        check(
            r#"["[ede_diagnostic] result_type=assistant stop_reason=end_turn"]"#,
            "the model gave no answer that could be used",
        );
        check(r#"["[ede_diagnostic] x","it broke"]"#, "it broke");
        check("[]", "the agent ended the turn with an error");
    }

    #[test]
    fn a_retry_says_what_came_back() {
        let check = |line: &str, expected: &str| {
            assert_eq!(retry(&serde_json::from_str(line).expect("a line")), expected);
        };
        check(
            r#"{"attempt":1,"max_retries":3,"retry_delay_ms":500,"error_status":null,"error":"unknown"}"#,
            "no whole answer came from the provider; try 1 of 3 in 0.5 s",
        );
        check(
            r#"{"error_status":529,"error":"overloaded"}"#,
            "the provider answered 529 overloaded; another try in 0.0 s",
        );
    }

    #[test]
    fn an_option_is_blamed_on_whoever_gave_it() {
        check("error: unknown option '--nosuch'", &["--nosuch"], Some("take --nosuch out of the team's `args`"));
        check("error: unknown option '--nosuch=1'", &["-v", "--nosuch=1"], Some("team's `args`"));
        check("error: unknown option '--permission-prompt-tool'", &["--other"], Some("too old"));
        check("cannot allocate memory", &["--other"], None);
    }
}
