//! Secrets: what is said to the log and to collectors of telemetry does not hold them. They are known from the config, or by
//! their form.

use std::sync::RwLock;

use iris_core::agent::AgentExit;
use iris_core::turn::{Ending, Termination};

use crate::config::Config;

/// What must not leave, beside tokens, which are known by their form.
static SECRETS: RwLock<Vec<String>> = RwLock::new(Vec::new());
/// Whatever is shorter is a word, and masking it would tear holes into what is said.
const SHORTEST: usize = 6;
/// Of what has several lines.
const SHORTEST_LINE: usize = 16;
/// Of the end of one whose beginning was cut off.
const SHORTEST_END: usize = 4;
const MASK: &str = "***";

/// From now on, what the config holds in secret is masked.
pub fn mask(config: &Config) {
    let env = || config.teams.values().flat_map(|team| &team.env);
    let of_teams = env().filter(|(name, _)| is_secret(name)).map(|(_, value)| value.as_str());
    // An address is told; the password in it is not, whatever the variable is called.
    let urls = config.database.url.iter().chain(&config.telemetry.otlp);
    let in_urls = env().map(|(_, value)| value).chain(urls).filter_map(|url| password_of(url));
    let sent = config.telemetry.headers.values().map(String::as_str);
    let mut known = SECRETS.write().expect("nothing panics while it holds the secrets");
    for form in of_teams.chain(in_urls).chain(sent).flat_map(forms).filter(|form| form.len() >= SHORTEST) {
        // What a config of before held may still be in use.
        if !known.contains(&form) {
            known.push(form);
        }
    }
    // The longest first: of one that begins another, the rest of the other would be left.
    known.sort_by_key(|form| std::cmp::Reverse(form.len()));
}

/// As it may be said: as it is, in JSON, in JSON within JSON, and of what has several lines each that is no mere word.
fn forms(secret: &str) -> Vec<String> {
    let lines = secret.lines().filter(|line| line.len() >= SHORTEST_LINE && *line != secret);
    let mut forms: Vec<_> = std::iter::once(secret).chain(lines).map(str::to_owned).collect();
    for said in forms.clone() {
        let once = in_json(&said);
        forms.extend([in_json(&once), once]);
    }
    forms
}

fn in_json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// What the names of variables have in them whose values are nobody's business.
const SECRET_NAMES: [&str; 14] = [
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "AUTH",
    "COOKIE",
    "PRIVATE",
    "DSN",
    "DATABASE_URL",
    "CONNECTION_STRING",
    "WEBHOOK",
];

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRET_NAMES.iter().any(|part| name.contains(part))
        || ["_PASS", "_PWD", "_PAT"].iter().any(|end| name.ends_with(end))
}

fn password_of(url: &str) -> Option<&str> {
    let (login, _) = url.split_once("://")?.1.rsplit_once('@')?;
    Some(login.split_once(':')?.1)
}

/// What may leave of a text.
pub fn masked(text: &str) -> String {
    let mut text = mask_logins(mask_tokens(text));
    for secret in SECRETS.read().expect("nothing panics while it holds the secrets").iter() {
        if text.contains(secret) {
            text = text.replace(secret, MASK);
        }
    }
    text
}

/// An ending is kept and shown to whoever may read: what an agent writes to stderr when it dies may hold anything.
pub(crate) fn masked_ending(ending: Ending) -> Ending {
    match ending {
        Ending::Failed { error } => Ending::Failed { error: masked(&error) },
        Ending::Terminated { cause: Termination::Exited(exit) } => {
            Ending::Terminated { cause: Termination::Exited(masked_exit(exit)) }
        }
        other => other,
    }
}

pub(crate) fn masked_exit(exit: AgentExit) -> AgentExit {
    AgentExit { stderr: masked_tail(&exit.stderr), ..exit }
}

/// As `masked`. What was cut may begin with the end of a secret.
pub(crate) fn masked_tail(text: &str) -> String {
    let Some(tail) = text.strip_prefix(AgentExit::CUT) else { return masked(text) };
    let end = {
        let known = SECRETS.read().expect("nothing panics while it holds the secrets");
        known.iter().filter_map(|secret| end_at_start(secret, tail)).max()
    };
    let mask = if end.is_some() { MASK } else { "" };
    format!("{}{mask}{}", AgentExit::CUT, masked(&tail[end.unwrap_or(0)..]))
}

/// How much of the end of a secret a text begins with.
fn end_at_start(secret: &str, text: &str) -> Option<usize> {
    let ends = secret.char_indices().map(|(at, _)| &secret[at..]);
    ends.filter(|end| end.len() >= SHORTEST_END).find(|end| text.starts_with(end)).map(str::len)
}

/// How a secret is known by its form: what it begins with, what it goes on with, and for how long at least.
type Form = (&'static str, fn(char) -> bool, usize);

const FORMS: [Form; 8] = [
    ("iris_", |c| c.is_ascii_hexdigit(), 32),
    ("sk-ant-", is_of_a_key, 8),
    ("ghp_", is_of_a_key, 16),
    ("github_pat_", is_of_a_key, 16),
    ("AKIA", |c| c.is_ascii_uppercase() || c.is_ascii_digit(), 16),
    ("xoxb-", is_of_a_key, 8),
    ("xoxp-", is_of_a_key, 8),
    ("password=", |c| !c.is_whitespace() && !matches!(c, '"' | '\'' | '&' | '\\'), 1),
];

fn is_of_a_key(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

fn mask_tokens(text: &str) -> String {
    FORMS.iter().fold(text.to_owned(), |text, form| if text.contains(form.0) { mask_form(&text, form) } else { text })
}

/// Who somebody is to whom an address leads, `http://user:password@host`: of a name alone it is not known whether it is a key.
fn mask_logins(text: String) -> String {
    if !text.contains("://") || !text.contains('@') {
        return text;
    }
    let ends = |c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | '\\' | '`' | '<' | '>');
    let mut parts = text.split("://");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let host = &part[..part.find(ends).unwrap_or(part.len())];
        let login = host.rfind('@').unwrap_or(0);
        let name = part[..login].find(':').map_or(0, |at| at + 1);
        let mask = if login > 0 { MASK } else { "" };
        kept.extend(["://", &part[..name], mask, &part[login..]]);
    }
    kept
}

fn mask_form(text: &str, &(begin, goes_on, least): &Form) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(begin) {
        let (before, found) = rest.split_at(at + begin.len());
        let end = found.find(|c| !goes_on(c)).unwrap_or(found.len());
        kept.push_str(before);
        rest = &found[end..];
        kept.push_str(if end >= least { MASK } else { &found[..end] });
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_known_secrets_are_masked_and_words_are_not() {
        let token = format!("iris_{}", "0a".repeat(32));
        assert_eq!(masked(&format!("{{\"x\":\"{token}\"}} and {token}.")), "{\"x\":\"iris_***\"} and iris_***.");
        assert_eq!(masked("iris_home iris_abc"), "iris_home iris_abc");
        let line = "sk-ant-api03-abcDEF_1 ghp_0123456789abcdefABCD AKIAABCDEFGHIJKLMNOP xoxb-1234-abcd password=p&q";
        assert_eq!(masked(line), "sk-ant-*** ghp_*** AKIA*** xoxb-*** password=***&q");
        let config = "\
teams:
  a: { path: /tmp, env: { ANTHROPIC_API_KEY: sk-very-secret, MODE: production } }
database: { url: 'postgres://iris:hunter22@db/iris' }
telemetry: { headers: { x-key: collector-key } }
";
        let config = crate::config::parse("config.yaml".as_ref(), config, |_| None).expect("a config");
        mask(&config);
        let line = masked("sk-very-secret production hunter22 collector-key");
        assert_eq!(line, "*** production *** ***");
    }

    #[test]
    fn who_somebody_is_in_an_address_is_masked() {
        for (said, told) in [
            ("at http://me:pw@host:4318/v1, http://host", "at http://me:***@host:4318/v1, http://host"),
            ("--to=https://a-key@host?x=y@z", "--to=https://***@host?x=y@z"),
            ("[\"redis://:p@w@host\"]", "[\"redis://:***@host\"]"),
            ("http://host/who@there me@host", "http://host/who@there me@host"),
        ] {
            assert_eq!(masked(said), told);
        }
    }

    #[test]
    fn the_end_of_a_secret_that_was_cut_is_masked() {
        let config = "teams: { a: { path: /tmp, env: { SOME_TOKEN: quite-long-and-secret } } }";
        mask(&crate::config::parse("config.yaml".as_ref(), config, |_| None).expect("a config"));
        for (said, told) in [
            ("…ite-long-and-secret quite-long-and-secret", "…*** ***"),
            ("…quite-long-and-secret", "…***"),
            ("…cret it was", "…*** it was"),
            ("…ret it was", "…ret it was"),
            ("and-secret it was", "and-secret it was"),
            ("quite-long-and-secret", "***"),
        ] {
            let exit = masked_exit(AgentExit { stderr: said.to_owned(), ..AgentExit::default() });
            assert_eq!(exit.stderr, told);
        }
    }

    #[test]
    fn secrets_are_known_in_json_and_within_each_other() {
        let config = r#"
teams:
  a:
    path: /tmp
    env:
      ONE_TOKEN: "begins-alike"
      TWO_TOKEN: "begins-alike-and-goes-on"
      DB_PASSWD: "quo\"te\\back\nline"
      PEM_KEY: "-----BEGIN-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END-----"
      REDIS_ADDRESS: "redis://cache:let-me-in@host/0"
"#;
        let config = crate::config::parse("config.yaml".as_ref(), config, |_| None).expect("a config");
        mask(&config);
        assert_eq!(masked("begins-alike-and-goes-on begins-alike"), "*** ***");
        let passwd = &config.teams.values().next().expect("a team").env["DB_PASSWD"];
        assert_eq!(passwd, "quo\"te\\back\nline");
        let line = serde_json::json!({ "error": format!("no {passwd} here") }).to_string();
        assert_eq!(masked(&line), r#"{"error":"no *** here"}"#);
        assert_eq!(masked(&serde_json::Value::from(line).to_string()), r#""{\"error\":\"no *** here\"}""#);
        assert_eq!(masked(&format!("{passwd:?}")), "\"***\"");
        assert_eq!(masked("MIIEvQIBADANBgkqhkiG9w0B redis://cache:let-me-in@host"), "*** redis://cache:***@host");
        for name in ["PGPASSWORD", "SENTRY_DSN", "DATABASE_URL", "MYSQL_PWD", "GITHUB_PAT", "db_pass"] {
            assert!(is_secret(name), "{name}");
        }
        for name in ["PWD", "PATH", "HOME", "COMPASS", "MODE"] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
