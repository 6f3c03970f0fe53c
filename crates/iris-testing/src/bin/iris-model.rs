//! The scripted model to point a CLI at by hand: `iris-model [--port N]`.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use iris_testing::model::Model;

const HELP: &str = "\
A scripted model that speaks Anthropic's Messages API on this machine.

Usage: iris-model [--port N]

A message with MODEL[ {step}, {step}, … ] in it scripts the answers: {\"text\":…}, {\"tool\":\"Bash\",\"input\":{…}}, …
";

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let port = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => 0,
        ["--port", port] => port.parse().with_context(|| format!("`{port}` is no port"))?,
        ["--help" | "-h"] => {
            eprint!("{HELP}");
            return Ok(());
        }
        _ => bail!("cannot read `{}`\n\n{HELP}", arguments.join(" ")),
    };
    let model = Model::start_on(port).await?;
    eprintln!("{}", invitation(&model.url()));
    tokio::select! {
        () = show_requests(&model) => {}
        end = tokio::signal::ctrl_c() => end?,
    }
    Ok(())
}

/// What to type in another terminal. The empty home and the clean environment keep a login of one's own out of it.
fn invitation(url: &str) -> String {
    format!(
        "the model is at {url}; Ctrl-C ends it. In another terminal:\n\n  \
         env -i HOME=\"$(mktemp -d)\" PATH=\"$PATH\" ANTHROPIC_BASE_URL={url} ANTHROPIC_API_KEY=sk-made-up \\\n    \
         DISABLE_TELEMETRY=1 DISABLE_AUTOUPDATER=1 DISABLE_ERROR_REPORTING=1 \\\n    \
         CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 claude -p 'MODEL[{{\"text\":\"hello\"}}]'\n"
    )
}

async fn show_requests(model: &Model) {
    const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);
    for count in 1.. {
        let Ok(requests) = model.wait_for_requests(count, A_DAY).await else { return };
        let Some(request) = requests.last() else { return };
        let text: String = request.last_user_text.chars().take(100).collect();
        eprintln!("{} messages, {} tools, {}: {text}", request.messages.len(), request.tools.len(), request.model);
    }
}
