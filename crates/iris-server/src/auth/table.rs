//! Every door and who may use it. A route that is not in the table opens for nobody.

use iris_core::credential::{Door, Scope};

/// Who may use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// Anybody, without a credential: it tells nothing and changes nothing.
    Open,
    Locked(Door),
}

const fn people(scope: Scope) -> Entry {
    Entry::Locked(Door { scope: Some(scope), agents: false })
}

/// Agents come in here too, and are then held to what is their own.
const fn agents(scope: Scope) -> Entry {
    Entry::Locked(Door { scope: Some(scope), agents: true })
}

const ANY_CREDENTIAL: Entry = Entry::Locked(Door { scope: None, agents: true });
const ANY_PERSON: Entry = Entry::Locked(Door { scope: None, agents: false });

use Scope::{Admin, Answer, Read, Tell};

#[rustfmt::skip]
const TABLE: &[(&str, &str, Entry)] = &[
    ("GET",    "/health",                        Entry::Open),
    // The dashboard's files and the addresses of its pages.
    ("GET",    "/",                              Entry::Open),
    ("GET",    "/login",                         Entry::Open),
    ("GET",    "/inbox",                         Entry::Open),
    ("GET",    "/fleet",                         Entry::Open),
    ("GET",    "/session/{id}",                  Entry::Open),
    ("GET",    "/jobs",                          Entry::Open),
    ("GET",    "/job/{id}",                      Entry::Open),
    ("GET",    "/system",                        Entry::Open),
    ("GET",    "/settings",                      Entry::Open),
    ("GET",    "/theme.js",                      Entry::Open),
    ("GET",    "/manifest.webmanifest",          Entry::Open),
    ("GET",    "/icon.svg",                      Entry::Open),
    ("GET",    "/icon-192.png",                  Entry::Open),
    ("GET",    "/icon-512.png",                  Entry::Open),
    ("GET",    "/assets/{file}",                 Entry::Open),
    ("GET",    "/api/login",                     Entry::Open),
    ("POST",   "/api/login",                     Entry::Open),
    ("GET",    "/api/openapi.json",              ANY_CREDENTIAL),
    ("GET",    "/api/docs",                      ANY_PERSON),
    ("GET",    "/api/docs/",                     ANY_PERSON),
    ("GET",    "/api/docs/{*rest}",              ANY_PERSON),
    ("GET",    "/api/me",                        ANY_CREDENTIAL),
    ("POST",   "/api/logout",                    ANY_PERSON),
    ("POST",   "/api/links",                     ANY_PERSON),
    ("GET",    "/api/tokens",                    people(Admin)),
    ("POST",   "/api/tokens",                    people(Admin)),
    ("DELETE", "/api/tokens/{id}",               people(Admin)),
    ("GET",    "/api/status",                    people(Read)),
    ("GET",    "/api/config",                    people(Read)),
    ("POST",   "/api/backup",                    people(Admin)),
    ("POST",   "/api/agents/stop",               people(Admin)),
    ("GET",    "/api/teams",                     agents(Read)),
    ("POST",   "/api/teams/tell",                agents(Tell)),
    ("GET",    "/api/teams/{name}/status",       people(Read)),
    ("POST",   "/api/teams/{name}/wake",         agents(Tell)),
    ("POST",   "/api/teams/{name}/sleep",        people(Tell)),
    ("POST",   "/api/teams/{name}/cancel",       people(Tell)),
    ("POST",   "/api/teams/{name}/fork",         people(Tell)),
    ("GET",    "/api/teams/{name}/trust",        people(Read)),
    ("POST",   "/api/teams/{name}/trust",        people(Admin)),
    ("DELETE", "/api/teams/{name}/trust",        people(Admin)),
    ("GET",    "/api/questions/pending",         people(Read)),
    ("GET",    "/api/questions/figures",         people(Read)),
    ("GET",    "/api/questions/decided",         people(Read)),
    ("GET",    "/api/questions/{id}",            people(Read)),
    ("POST",   "/api/questions/{id}/answer",     people(Answer)),
    ("POST",   "/api/questions/{id}/edit",       people(Answer)),
    ("POST",   "/api/questions/{id}/cancel",     people(Answer)),
    ("GET",    "/api/rules",                     people(Read)),
    ("DELETE", "/api/rules/{id}",                people(Answer)),
    ("GET",    "/api/jobs",                      people(Read)),
    ("POST",   "/api/jobs",                      people(Tell)),
    ("GET",    "/api/jobs/{id}",                 people(Read)),
    ("POST",   "/api/jobs/{id}/stop",            people(Tell)),
    ("GET",    "/api/jobs/{id}/events",          people(Read)),
    ("GET",    "/api/jobs/{id}/questions",       people(Read)),
    ("POST",   "/api/jobs/{id}/questions",       agents(Tell)),
    ("GET",    "/api/sessions",                  people(Read)),
    ("GET",    "/api/sessions/{id}",             people(Read)),
    ("DELETE", "/api/sessions/{id}",             people(Tell)),
    ("GET",    "/api/sessions/{id}/turns",       people(Read)),
    ("DELETE", "/api/sessions/{id}/cache",       people(Tell)),
    ("GET",    "/api/turns/figures",             people(Read)),
    ("GET",    "/api/turns/{id}",                people(Read)),
    ("GET",    "/api/turns/{id}/messages",       people(Read)),
    ("POST",   "/api/turns/{id}/cancel",         people(Tell)),
    ("GET",    "/api/events",                    people(Read)),
    ("GET",    "/api/stream",                    people(Read)),
    // What a tool needs is looked at when it is called.
    ("GET",    "/mcp",                           ANY_CREDENTIAL),
    ("POST",   "/mcp",                           ANY_CREDENTIAL),
    ("DELETE", "/mcp",                           ANY_CREDENTIAL),
    ("GET",    "/metrics",                       people(Read)),
];

/// The row of a route, by its pattern.
pub(crate) fn find(method: &str, path: &str) -> Option<Entry> {
    // What answers GET answers HEAD as well.
    let method = if method == "HEAD" { "GET" } else { method };
    TABLE.iter().find(|(m, p, _)| *m == method && *p == path).map(|(.., entry)| *entry)
}

/// The methods that a route has rows for, as the header Allow names them. Nothing if it has none.
pub(crate) fn methods(path: &str) -> String {
    let rows = TABLE.iter().filter(|(_, p, _)| *p == path);
    let named = rows.map(|(method, ..)| if *method == "GET" { "GET,HEAD" } else { method });
    named.collect::<Vec<_>>().join(",")
}

/// Whether a browser's cookie alone reads it, without the word that only our own page has: the description of the API, and
/// who one is. A browser that follows a link to them can send nothing else.
pub(crate) fn tells_nothing(path: &str) -> bool {
    ["/api/openapi.json", "/api/docs", "/api/docs/", "/api/docs/{*rest}", "/api/me"].contains(&path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every route of the real router has a row, and no row is without its route.
    #[test]
    fn every_route_has_a_row_and_every_row_a_route() {
        let (_, api) = crate::http::routes().split_for_parts();
        let api = serde_json::to_value(&api).expect("plain data");
        let paths = api["paths"].as_object().expect("there are paths");
        let routes = paths.iter().flat_map(|(path, item)| {
            let methods = item.as_object().expect("a path has methods");
            methods.keys().map(move |method| (method.to_uppercase(), path.clone()))
        });
        // These are not described: they are not part of the API.
        let routes = routes.chain(crate::OTHER_ROUTES.iter().map(|(m, p)| ((*m).to_owned(), (*p).to_owned())));
        let routes = routes.chain(crate::dashboard::paths().map(|path| ("GET".to_owned(), path.to_owned())));
        let routes: BTreeSet<_> = routes.collect();
        let rows: BTreeSet<_> = TABLE.iter().map(|(m, p, _)| ((*m).to_owned(), (*p).to_owned())).collect();
        assert_eq!(rows.len(), TABLE.len(), "a route has two rows");
        let missing: Vec<_> = routes.difference(&rows).collect();
        assert!(missing.is_empty(), "routes without a row: {missing:?}");
        let stale: Vec<_> = rows.difference(&routes).collect();
        assert!(stale.is_empty(), "rows without a route: {stale:?}");
    }

    /// People read it there, and the tests of the daemon hold it to what is written there.
    #[test]
    fn the_documentation_has_the_same_rows() {
        let rows = TABLE.iter().map(|(method, path, entry)| format!("| {method} | `{path}` | {} |", in_words(*entry)));
        let (text, rows) = (include_str!("../../../../docs/doors.md"), rows.collect::<Vec<_>>().join("\n"));
        assert!(text.contains(&format!("|---|---|---|\n{rows}\n\n")), "docs/doors.md should have:\n{rows}\n");
    }

    fn in_words(entry: Entry) -> String {
        match entry {
            Entry::Open => "anybody".to_owned(),
            Entry::Locked(Door { scope: None, agents: true }) => "any credential".to_owned(),
            Entry::Locked(Door { scope: None, agents: false }) => "any person".to_owned(),
            Entry::Locked(Door { scope: Some(scope), agents }) => {
                format!("`{}`{}", scope.as_str(), if agents { ", agents too" } else { "" })
            }
        }
    }

    #[test]
    fn agents_come_in_nowhere_that_decides() {
        for (method, path, entry) in TABLE {
            if let Entry::Locked(Door { scope: Some(Answer | Admin), agents }) = entry {
                assert!(!agents, "{method} {path}");
            }
        }
    }
}
