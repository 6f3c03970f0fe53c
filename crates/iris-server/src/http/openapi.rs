//! The description of the API, from the types and the routes themselves.

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use iris_api::problem;
use serde_json::{Value, json};
use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::App;
use crate::auth::table::{self, Entry};

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Iris",
        description = "A control plane for teams of coding agents. Lists come in pages: \
        ask again with `after` set to `next` until there is none. Errors are problem details with a `hint`. \
        Every POST takes an `Idempotency-Key`."
    ),
    components(schemas(problem::Problem, iris_api::event::Delta))
)]
struct Head;

/// As iris-core takes them.
const TEAM_NAME: &str = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$";

/// What is said before the first route.
pub(super) fn head() -> OpenApi {
    Head::openapi()
}

/// What holds for every route is said here once, not at each of them: who may come in, how errors look, and keys.
pub(crate) fn describe(api: &OpenApi) -> Value {
    let mut api = serde_json::to_value(api).expect("a description is plain data");
    api["openapi"] = json!("3.1.0");
    api["components"]["securitySchemes"] = json!({
        "token": { "type": "http", "scheme": "bearer",
                   "description": "The owner's token in IRIS_HOME/token, or one made by `iris token create`." },
        "browser": { "type": "apiKey", "in": "cookie", "name": "__Host-iris",
                     "description": "A browser that was signed in by a one-time link." },
    });
    api["security"] = json!([{ "token": [] }, { "browser": [] }]);
    let paths = api["paths"].as_object_mut().into_iter().flatten();
    let operations =
        paths.flat_map(|(path, item)| item.as_object_mut().into_iter().flatten().map(move |of| (path, of)));
    for (path, (method, operation)) in operations {
        if table::find(&method.to_uppercase(), path) == Some(Entry::Open) {
            operation["security"] = json!([]);
        }
        // A handler is named after its verb; together with its noun the name is unique.
        let name = [&operation["tags"][0], &operation["operationId"]].map(|part| part.as_str().unwrap_or_default());
        operation["operationId"] = json!(name.join("_"));
        for (status, response) in operation["responses"].as_object_mut().into_iter().flatten() {
            if status.as_str() >= "400"
                && let Some(content) = response.get_mut("content").and_then(Value::as_object_mut)
                && let Some(problem) = content.remove("application/json")
            {
                content.insert(problem::CONTENT_TYPE.to_owned(), problem);
            }
        }
        // Looked for, not indexed: that would put a null there.
        for parameter in operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten() {
            if parameter["in"] == "path" && parameter["name"] == "name" {
                parameter["schema"]["pattern"] = json!(TEAM_NAME);
            }
        }
        operation["responses"]["default"] = json!({
            "description": "What went wrong, and what to do about it",
            "content": { problem::CONTENT_TYPE: { "schema": { "$ref": "#/components/schemas/Problem" } } },
        });
        if method == "post" {
            let key = json!({
                "name": "Idempotency-Key", "in": "header", "required": false,
                "schema": { "type": "string", "minLength": 1, "maxLength": 200 },
                "description": "A request that is sent again with the same key is done once; it gets the same answer.",
            });
            match operation["parameters"].as_array_mut() {
                Some(parameters) => parameters.push(key),
                None => operation["parameters"] = json!([key]),
            }
        }
    }
    api
}

/// The description for people, and a way to try it out. Everything it needs is in the binary.
pub(crate) fn viewer() -> SwaggerUi {
    // Without the bar at its top: its picture brings styles of its own, which are not let in.
    SwaggerUi::new("/api/docs").config(Config::from("/api/openapi.json").use_base_layout())
}

/// This description
#[utoipa::path(get, path = "/api/openapi.json", tag = "daemon", responses((status = 200, description = "done", body = Value)))]
pub(super) async fn description(State(app): State<App>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], app.openapi.to_string()).into_response()
}
