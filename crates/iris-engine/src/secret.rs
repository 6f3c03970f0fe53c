//! Secrets: what is said to the log and to collectors of telemetry does not hold them. They are known from the config, or by
//! their form.

use std::sync::{LazyLock, RwLock};

use iris_core::agent::AgentExit;
use iris_core::turn::{Ending, Termination};
use regex::{Captures, Regex};

use crate::config::Config;

/// What must not leave, beside tokens, which are known by their form.
static SECRETS: RwLock<Vec<String>> = RwLock::new(Vec::new());
/// Whatever is shorter is a word, and masking it would tear holes into what is said.
const SHORTEST: usize = 6;
/// Of what is known by nothing but its look.
const SHORTEST_UNNAMED: usize = 8;
/// Of what such a one is put together from: `v1` and `4o` are no secrets.
const SHORTEST_PART: usize = 4;
const LONGEST_WORD: usize = 32;
/// Of what has several lines.
const SHORTEST_LINE: usize = 16;
/// Of the end of one whose beginning was cut off.
const SHORTEST_END: usize = 4;
const MASK: &str = "***";

/// From now on, what the config holds in secret is masked.
pub fn mask(config: &Config) {
    let env = || config.teams.values().flat_map(|team| &team.env);
    let of_teams = env().filter(|(name, _)| is_secret(name)).map(|(_, value)| value.as_str());
    let likely = env().flat_map(|(_, value)| value.split_whitespace()).filter(|word| may_be_secret(word));
    // An address is told; the password in it is not, whatever the variable is called.
    let urls = config.database.url.iter().chain(&config.telemetry.otlp);
    let in_urls = env().map(|(_, value)| value).chain(urls).filter_map(|url| password_of(url));
    let sent = config.telemetry.headers.values().map(String::as_str);
    let mut known = SECRETS.write().expect("nothing panics while it holds the secrets");
    for form in of_teams.chain(likely).chain(in_urls).chain(sent).flat_map(forms).filter(|form| form.len() >= SHORTEST)
    {
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

/// Words that only end like one.
const NO_SECRETS: [&str; 2] = ["COMPASS", "BYPASS"];

pub(crate) fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRET_NAMES.iter().any(|part| name.contains(part))
        || ["PASS", "_PWD", "_PAT"].iter().any(|end| name.ends_with(end))
            && !NO_SECRETS.iter().any(|end| name.ends_with(end))
}

/// Whatever the variable is called. What is put together from words and numbers (a mode, a model, an address) is told, and so is a
/// path.
fn may_be_secret(value: &str) -> bool {
    let is_path = ["/", "~", "./", "../"].iter().any(|begin| value.starts_with(begin));
    value.len() >= SHORTEST_UNNAMED && !is_path && !value.split(|c: char| !c.is_alphanumeric()).all(is_plain)
}

fn is_plain(part: &str) -> bool {
    let is_alike = part.chars().all(char::is_alphabetic) || part.chars().all(char::is_numeric);
    part.len() < SHORTEST_PART || is_alike && part.len() <= LONGEST_WORD
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
        Ending::Terminated { cause: Termination::ResponseTimeout { after_ms, stderr } } => {
            Ending::Terminated { cause: Termination::ResponseTimeout { after_ms, stderr: masked_tail(&stderr) } }
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

/// How secrets are known by their form. What each begins with is told.
static FORMS: LazyLock<Regex> = LazyLock::new(|| {
    let forms = [
        r"(iris_)[0-9A-Fa-f]{32,}",
        r"(sk-ant-)[0-9A-Za-z_-]{8,}",
        // A line break of JSON is no letter before it, as that of a task-of-many-words is.
        r"((?:\b|\\[nrt])sk-(?:ant-|proj-)?)[0-9A-Za-z_-]{20,}",
        r"(gh[oprsu]_|github_pat_|glpat-)[0-9A-Za-z_-]{16,}",
        r"(AKIA)[0-9A-Z]{16,}",
        r"(AIza)[0-9A-Za-z_-]{30,}",
        r"(xox[bp]-)[0-9A-Za-z_-]{8,}",
        // A token of JSON, in three parts.
        r"(eyJ)[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}",
        r#"(password=)[^\s"'&\\]+"#,
    ];
    Regex::new(&forms.join("|")).expect("it is tested")
});

fn mask_tokens(text: &str) -> String {
    let begin = |found: &Captures| found.iter().skip(1).flatten().next().map_or("", |begin| begin.as_str()).to_owned();
    FORMS.replace_all(text, |found: &Captures| begin(found) + MASK).into_owned()
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
    fn the_keys_of_others_are_known_by_their_form() {
        let long = "0123456789abcdefABCDEF-_0123456789abcdef";
        for begin in ["sk-proj-", "sk-", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "AIza", "xoxp-"] {
            assert_eq!(masked(&format!("at {begin}{long}.")), format!("at {begin}***."));
            assert_eq!(masked(&format!(r"at\n{begin}{long}\n")), format!(r"at\n{begin}***\n"));
        }
        assert_eq!(masked("bearer eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSMeK"), "bearer eyJ***");
        let words = "task-that-has-a-very-long-name-2 risk-proj-management desk-sk-a eyJhbGciOiJI.a.b ghost_of_a_long_name_here";
        assert_eq!(masked(words), words);
    }

    #[test]
    fn a_value_that_looks_like_a_secret_is_one_whatever_it_is_called() {
        let secrets = [
            "s3cr3tvalue",
            "P@ssw0rd!",
            "6f1c9a3e-77aa-4f0e-9d53-0a1b2c3d4e5f",
            "https://hooks.example/T00X/B00Y/x9Zq8",
        ];
        for secret in secrets {
            assert!(may_be_secret(secret), "{secret}");
        }
        let plain = [
            "production",
            "true",
            "12345678901",
            "/home/user2name/project1",
            "./node24bin",
            "claude-opus-4-1-20250805",
            "us-east-1",
            "gpt-4o-mini",
            "http://127.0.0.1:8080/v1",
            "--max-old-space-size=4096",
            "a1b2c3d",
        ];
        for value in plain {
            assert!(!may_be_secret(value), "{value}");
        }
        let config = "teams: { a: { path: /tmp, env: { THING: 'use zx81spectrum now', FLAVOUR: strawberry } } }";
        mask(&crate::config::parse("config.yaml".as_ref(), config, |_| None).expect("a config"));
        assert_eq!(masked("strawberry zx81spectrum use now"), "strawberry *** use now");
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
        for name in ["PGPASSWORD", "SENTRY_DSN", "DATABASE_URL", "MYSQL_PWD", "GITHUB_PAT", "db_pass", "DBPASS"] {
            assert!(is_secret(name), "{name}");
        }
        for name in ["PWD", "PATH", "HOME", "COMPASS", "GATE_BYPASS", "MODE"] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
