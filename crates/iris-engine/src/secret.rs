//! Secrets: what is said to the log and to collectors of telemetry does not hold them. They are known from the config, or by
//! their form.

use std::sync::RwLock;

use crate::config::Config;

/// What must not leave, beside tokens, which are known by their form.
static SECRETS: RwLock<Vec<String>> = RwLock::new(Vec::new());
/// Whatever is shorter is a word, and masking it would tear holes into what is said.
const SHORTEST: usize = 6;
const MASK: &str = "***";

/// From now on, what the config holds in secret is masked.
pub fn mask(config: &Config) {
    let of_teams = config.teams.values().flat_map(|team| &team.env).filter(|(name, _)| is_secret(name));
    let sent = config.telemetry.headers.values();
    let password = config.database.url.as_deref().and_then(password_of).map(str::to_owned);
    let secrets = of_teams.map(|(_, value)| value).chain(sent).cloned().chain(password);
    let mut known = SECRETS.write().expect("nothing panics while it holds the secrets");
    for secret in secrets.filter(|secret| secret.len() >= SHORTEST) {
        // What a config of before held may still be in use.
        if !known.contains(&secret) {
            known.push(secret);
        }
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL", "AUTH"].iter().any(|part| name.contains(part))
}

fn password_of(url: &str) -> Option<&str> {
    let (login, _) = url.split_once("://")?.1.rsplit_once('@')?;
    Some(login.split_once(':')?.1)
}

/// What may leave of a text.
pub fn masked(text: &str) -> String {
    let mut text = mask_tokens(text);
    for secret in SECRETS.read().expect("nothing panics while it holds the secrets").iter() {
        if text.contains(secret) {
            text = text.replace(secret, MASK);
        }
    }
    text
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
}
