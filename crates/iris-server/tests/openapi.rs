//! The description of the API that is checked in is the one that the routes give.

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

/// Everything else wants a credential, as the head of the description says.
#[test]
fn what_wants_no_credential_is_described_so() {
    let api: serde_json::Value = serde_json::from_str(&iris_server::openapi()).expect("it is JSON");
    let paths = api["paths"].as_object().expect("there are paths");
    let operations = paths.iter().flat_map(|(path, item)| {
        let methods = item.as_object().expect("a path has methods");
        methods.iter().map(move |(method, operation)| (method.as_str(), path.as_str(), operation.get("security")))
    });
    let own: Vec<_> =
        operations.filter_map(|(method, path, wanted)| wanted.map(|wanted| (method, path, wanted))).collect();
    let nothing = serde_json::json!([]);
    assert_eq!(own, [("get", "/api/login", &nothing), ("post", "/api/login", &nothing)]);
}
