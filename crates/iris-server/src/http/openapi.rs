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
        "csrf": { "type": "apiKey", "in": "header", "name": "Iris-Csrf",
                  "description": "The word that POST /api/login said once. A WebSocket, which cannot send headers, names it as a protocol." },
    });
    api["security"] = json!([{ "token": [] }, { "browser": [], "csrf": [] }]);
    let paths = api["paths"].as_object_mut().into_iter().flatten();
    let operations =
        paths.flat_map(|(path, item)| item.as_object_mut().into_iter().flatten().map(move |of| (path, of)));
    for (path, (method, operation)) in operations {
        let is_open = table::find(&method.to_uppercase(), path) == Some(Entry::Open);
        if is_open {
            operation["security"] = json!([]);
        } else if method == "get" && table::tells_nothing(path) {
            operation["security"] = json!([{ "token": [] }, { "browser": [] }]);
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
        let takes_body = operation.get("requestBody").is_some();
        for (status, what, may_be) in [
            ("401", "No credential was sent, or one that is not good any more", !is_open),
            ("403", "The credential may not do this, or the request came from elsewhere than it may", true),
            (
                "409",
                "A request with this Idempotency-Key was cut off, or it does not go with how things are",
                method == "post",
            ),
            (
                "422",
                "The body does not fit, or another request had this Idempotency-Key",
                takes_body || method == "post",
            ),
            ("default", "What went wrong, and what to do about it", true),
        ] {
            let is_said = status != "default" && operation["responses"].get(status).is_some();
            if may_be && !is_said {
                operation["responses"][status] = json!({
                    "description": what,
                    "content": { problem::CONTENT_TYPE: { "schema": { "$ref": "#/components/schemas/Problem" } } },
                });
            }
        }
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
