//! Every route with every kind of credential: exactly as the table of docs/doors.md says.

use std::collections::BTreeSet;
use std::time::Duration;

use iris_testing::client::Answer;
use serde_json::json;

use super::caller::{bearer, is_problem};
use crate::world::{ECHO, World, setup};

struct Row {
    method: String,
    path: String,
    opens_for: String,
}

fn table() -> Vec<Row> {
    let text = include_str!("../../../../../docs/doors.md");
    let rows = text.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").collect();
        let [method, path, opens_for] = cells[..] else { return None };
        let path = path.strip_prefix("`/")?.strip_suffix('`')?;
        Some(Row { method: method.to_owned(), path: format!("/{path}"), opens_for: opens_for.to_owned() })
    });
    rows.collect()
}

/// Who tries, and what of the third column opens for them.
struct Visitor {
    name: &'static str,
    headers: Vec<(&'static str, String)>,
    may: &'static [&'static str],
}

const STRANGER: &[&str] = &["anybody"];

async fn visitors(world: &World) -> Vec<Visitor> {
    let with = |name, token: &str, may| Visitor { name, headers: vec![("authorization", bearer(token))], may };
    // Long enough to be still to come when it is asked for, on a machine that has other things to do.
    let expired = world.make_token(json!({"name": "expired", "expiresIn": 1000})).await;
    let revoked = world.token("revoked", &["read", "tell", "answer", "admin"]).await;
    assert_eq!(world.client().delete("/api/tokens/revoked").await.expect("an answer").status, 200);
    let browser = world.browser().await;
    let mut visitors = vec![
        Visitor { name: "nothing", headers: Vec::new(), may: STRANGER },
        with("a wrong token", "iris_0123456789abcdef", STRANGER),
        with("an empty token", "", STRANGER),
        with("an expired token", &expired, STRANGER),
        with("a revoked token", &revoked, STRANGER),
        with("a cookie's value as a token", browser.secret(), STRANGER),
        with("a page's word as a token", &browser.word, STRANGER),
        Visitor {
            name: "a token as a cookie",
            headers: vec![("cookie", format!("__Host-iris={}", world.daemon.token))],
            may: STRANGER,
        },
        Visitor {
            name: "the owner's token by another scheme",
            headers: vec![("authorization", format!("Basic {}", world.daemon.token))],
            may: STRANGER,
        },
    ];
    let agent = world.agent_token("alpha").await;
    let agents = &["anybody", "any credential", "`read`, agents too", "`tell`, agents too"];
    visitors.push(with("an agent", &agent, agents));
    let scopes: [(_, &[&str]); 4] = [
        ("read", &["anybody", "any credential", "any person", "`read`", "`read`, agents too"]),
        ("tell", &["anybody", "any credential", "any person", "`tell`", "`tell`, agents too"]),
        ("answer", &["anybody", "any credential", "any person", "`answer`"]),
        ("admin", &["anybody", "any credential", "any person", "`admin`"]),
    ];
    for (scope, may) in scopes {
        visitors.push(with(scope, &world.token(scope, &[scope]).await, may));
    }
    tokio::time::sleep(Duration::from_millis(1100)).await;
    visitors
}

async fn try_route(world: &World, visitor: &Visitor, method: &str, path: &str) -> Answer {
    let path = path.replace("{name}", "alpha").replace("{id}", "nobody");
    let headers: Vec<_> = visitor.headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    loop {
        let answer = world.send(method, &path, &headers, if method == "POST" { "{}" } else { "" }).await;
        // Strangers are told no more than so much a second, and then the same to all.
        if answer.status != 429 || visitor.may.len() > STRANGER.len() {
            return answer;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn every_route_opens_for_those_in_the_table_and_nobody_else() {
    let world = World::new(setup().team("alpha", ECHO).server("requestsPerSecond: 10000"));
    let described = world.get("/api/openapi.json").await;
    let described: BTreeSet<(String, String)> = described["paths"]
        .as_object()
        .expect("paths")
        .iter()
        .flat_map(|(path, item)| item.as_object().expect("methods").keys().map(|m| (m.to_uppercase(), path.clone())))
        .collect();
    let table = table();
    let rows: BTreeSet<_> = table.iter().map(|row| (row.method.clone(), row.path.clone())).collect();
    assert!(described.len() > 30 && described.is_subset(&rows), "not in the table: {:?}", described.difference(&rows));

    let visitors = visitors(&world).await;
    for row in &table {
        for visitor in &visitors {
            let (answer, who) = (try_route(&world, visitor, &row.method, &row.path).await, visitor.name);
            let may = visitor.may.contains(&row.opens_for.as_str());
            let expected: &[u16] = match (may, visitor.may == STRANGER) {
                (true, _) => &[],
                (false, true) => &[401],
                (false, false) => &[403],
            };
            let (status, Row { method, path, opens_for }) = (answer.status, row);
            if may {
                assert!(![401, 403].contains(&status), "{who}: {method} {path} for {opens_for}: {status}");
            } else {
                assert!(expected.contains(&status), "{who}: {method} {path} for {opens_for}: {status}");
                is_problem(&answer);
            }
        }
    }
}

#[tokio::test]
async fn a_stranger_learns_nothing_about_what_there_is() {
    let world = World::new(setup().team("alpha", ECHO));
    let stranger = Visitor { name: "nothing", headers: Vec::new(), may: STRANGER };
    let tried = [
        ("GET", "/"),
        ("GET", "/nowhere"),
        ("GET", "/api"),
        ("GET", "/api/"),
        ("GET", "/api/teams/"),
        ("GET", "//api/teams"),
        ("GET", "/API/TEAMS"),
        ("GET", "/api/teams/../status"),
        ("GET", "/api/%74eams"),
        ("GET", "/health/../api/teams"),
        ("GET", "/api/teams?token=x"),
        ("PUT", "/api/teams"),
        ("PATCH", "/api/teams"),
        ("OPTIONS", "/api/teams"),
        ("OPTIONS", "*"),
        ("TRACE", "/api/teams"),
        ("POST", "/health"),
        ("DELETE", "/health"),
    ];
    for (method, path) in tried {
        let answer = try_route(&world, &stranger, method, path).await;
        // The dashboard's own pages tell nothing, and may be there.
        let page = answer.status == 200 && answer.header("content-type").is_some_and(|kind| kind.contains("text/html"));
        assert!(answer.status == 401 || (method == "GET" && page), "{method} {path}: {answer:?}");
    }
    // Whoever may come in is told what is wrong.
    let owner = [("authorization", bearer(&world.daemon.token))];
    let owner = Visitor { name: "owner", headers: owner.to_vec(), may: &["anybody", "everything"] };
    assert_eq!(is_problem(&try_route(&world, &owner, "GET", "/api/nowhere").await)["status"], 404);
    for path in ["/api/teams", "/mcp"] {
        let refused = try_route(&world, &owner, "PUT", path).await;
        assert_eq!((is_problem(&refused)["status"].as_u64(), &refused.status), (Some(405), &405), "{path}");
        assert!(refused.header("allow").is_some_and(|allowed| allowed.starts_with("GET,HEAD")), "{path}: {refused:?}");
    }
}
