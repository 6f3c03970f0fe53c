//! Time-outs that make no sense, alone or together.

use iris_core::duration::Millis;
use iris_engine::config::Config;

use super::finding::Finding;
use crate::commands::down;

const CHECK: &str = "time-outs";
/// An agent that thinks, or runs a compiler, says nothing for longer than this.
const SHORT_SILENCE: Millis = Millis(30_000);
/// Claude Code takes half a second to start on an idle machine, and several on a busy one.
const SHORT_START: Millis = Millis(5_000);
/// How long a tell waits if it does not say.
const USUAL_TELL: Millis = Millis(30_000);

pub(super) fn look(config: &Config) -> Vec<Finding> {
    let found = judge(config);
    if found.is_empty() { vec![Finding::ok(CHECK, "they fit together")] } else { found }
}

fn judge(config: &Config) -> Vec<Finding> {
    let settings = &config.settings;
    let mut found = Vec::new();
    let mut warn = |what: String, help: &str| found.push(Finding::warning(CHECK, what, help));
    let silences = config.teams.iter().filter_map(|(name, team)| {
        team.response_timeout.map(|timeout| (format!("teams.{name}.responseTimeout"), timeout))
    });
    for (key, timeout) in silences.chain([("settings.responseTimeout".to_owned(), settings.response_timeout)]) {
        if timeout < SHORT_SILENCE {
            let what = format!("{key} is {timeout}: an agent that thinks or builds for longer is stopped in its turn");
            warn(what, "2m is usual; a caller's own patience is the `timeout` of a tell");
        }
    }
    if settings.session_init_timeout < SHORT_START {
        let what = format!(
            "settings.sessionInitTimeout is {}: on a busy machine agents take longer to start",
            settings.session_init_timeout
        );
        warn(what, "30s is usual");
    }
    let analysis = &settings.agent.completion_analysis;
    if analysis.enabled && analysis.response_timeout >= config.questions.deadlines.blocking {
        let what = format!(
            "completionAnalysis.responseTimeout ({}) is not shorter than questions.deadlines.blocking ({}): nobody \
             hears of a detected question before it is too late",
            analysis.response_timeout, config.questions.deadlines.blocking
        );
        warn(what, "the usual are 30s and 30m");
    }
    if settings.shutdown_grace.duration() >= down::PATIENCE {
        let what = format!(
            "settings.shutdownGrace is {}, and `iris down` waits {}s",
            settings.shutdown_grace,
            down::PATIENCE.as_secs()
        );
        warn(what, "5s is usual; what is broken off is settled at the next start");
    }
    found.extend(calls_cut_short());
    found
}

/// What this terminal would hand to a Claude Code that is started in it.
fn calls_cut_short() -> Option<Finding> {
    let limit = std::env::var("MCP_TOOL_TIMEOUT").ok()?;
    let limit: u64 = limit.trim().parse().ok()?;
    (Millis(limit) < USUAL_TELL).then(|| {
        let what = format!(
            "MCP_TOOL_TIMEOUT is {}: Claude Code breaks calls of servers off then, progress or not",
            Millis(limit)
        );
        Finding::warning(CHECK, what, "unset it; `iris install` gives Iris a limit of its own, which is stronger")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_settings_fit_and_odd_ones_are_named() {
        assert!(judge(&Config::default()).iter().all(|finding| finding.what.contains("MCP_TOOL_TIMEOUT")));
        let mut config = Config::default();
        config.settings.response_timeout = Millis(5_000);
        config.settings.session_init_timeout = Millis(1_000);
        config.settings.shutdown_grace = Millis(120_000);
        config.questions.deadlines.blocking = Millis(20_000);
        let said = judge(&config).iter().map(|finding| finding.what.clone()).collect::<Vec<_>>().join("\n");
        for key in ["responseTimeout", "sessionInitTimeout", "shutdownGrace", "completionAnalysis"] {
            assert!(said.contains(key), "{key}: {said}");
        }
    }
}
