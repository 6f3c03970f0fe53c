//! The description of the API that is checked in is the one that the routes give.

use serde_json::json;

#[test]
fn the_description_that_is_checked_in_is_that_of_the_routes() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../iris-api/openapi.json");
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        kept == iris_server::openapi(),
        "the API has changed: run `cargo xtask generate` and commit what it writes"
    );
}

#[test]
fn every_operation_has_a_name_of_its_own() {
    let api: serde_json::Value = serde_json::from_str(&iris_server::openapi()).expect("it is JSON");
    let paths = api["paths"].as_object().expect("there are paths");
    let operations = paths.values().flat_map(|path| path.as_object().expect("a path has methods").values());
    let names: Vec<_> = operations.map(|operation| operation["operationId"].as_str().expect("a name")).collect();
    let different: std::collections::BTreeSet<_> = names.iter().collect();
    assert_eq!(different.len(), names.len(), "{names:?}");
}

/// Everything else wants a token, or a browser's cookie with the word of its page, as the head of the description says.
#[test]
fn what_wants_less_of_a_credential_is_described_so() {
    let api: serde_json::Value = serde_json::from_str(&iris_server::openapi()).expect("it is JSON");
    let paths = api["paths"].as_object().expect("there are paths");
    let operations = paths.iter().flat_map(|(path, item)| {
        let methods = item.as_object().expect("a path has methods");
        methods.iter().map(move |(method, operation)| (method.as_str(), path.as_str(), operation.get("security")))
    });
    let own: Vec<_> =
        operations.filter_map(|(method, path, wanted)| wanted.map(|wanted| (method, path, wanted))).collect();
    let usual = json!([{ "token": [] }, { "browser": [], "csrf": [] }]);
    let (nothing, cookie) = (json!([]), json!([{ "token": [] }, { "browser": [] }]));
    let expected = [
        ("get", "/api/login", &nothing),
        ("post", "/api/login", &nothing),
        ("get", "/api/me", &cookie),
        ("get", "/api/openapi.json", &cookie),
        ("get", "/health", &nothing),
    ];
    assert_eq!((&api["security"], own), (&usual, expected.to_vec()));
    assert_eq!(api["components"]["securitySchemes"]["csrf"]["name"], "Iris-Csrf");
}

#[test]
fn what_may_go_wrong_is_described() {
    let api: serde_json::Value = serde_json::from_str(&iris_server::openapi()).expect("it is JSON");
    let statuses = |method: &str, path: &str| {
        let responses = api["paths"][path][method]["responses"].as_object().expect("there are responses");
        responses.keys().filter(|status| status.as_str() > "400").cloned().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(statuses("get", "/api/status"), "401 403 default");
    assert_eq!(statuses("get", "/health"), "403 default");
    assert_eq!(statuses("post", "/api/teams/{name}/sleep"), "401 403 409 422 default");
    let forbidden = &api["paths"]["/api/status"]["get"]["responses"]["403"]["content"];
    assert!(forbidden["application/problem+json"]["schema"]["$ref"].is_string(), "{forbidden}");
}

/// A stream has no end that a number of events or a last one could give it.
#[test]
fn a_stream_takes_no_page() {
    let api: serde_json::Value = serde_json::from_str(&iris_server::openapi()).expect("it is JSON");
    let names = |path: &str| {
        let taken = api["paths"][path]["get"]["parameters"].as_array().expect("there are parameters").iter();
        taken.map(|one| one["name"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("/api/stream"), ["after", "team", "session", "job", "turn", "kind"]);
    assert!(names("/api/events").contains(&"limit".to_owned()));
}
