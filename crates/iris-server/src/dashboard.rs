//! The dashboard's files, which are in the binary, and the addresses of its pages. Nothing in them is secret, so they are
//! open: what a page shows it asks for at /api, and there it needs a credential.

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use iris_core::hex::hex;
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::App;
use crate::accept::liking;

/// What `npm run build` made, if it was run. A debug build reads the files when they are asked for.
#[derive(RustEmbed)]
#[folder = "../../dashboard/dist"]
#[exclude = ".*"]
struct Files;

/// Where the pages are. One file answers all of them and looks at the address itself.
const PAGES: &[&str] =
    &["/", "/login", "/inbox", "/fleet", "/session/{id}", "/jobs", "/job/{id}", "/system", "/settings"];

/// Files whose names are known from outside, so they cannot carry a hash.
const FILES: &[&str] = &["/theme.js", "/manifest.webmanifest", "/icon.svg", "/icon-192.png", "/icon-512.png"];

/// Files that are named after what is in them.
const ASSETS: &str = "/assets/{file}";

const FOR_EVER: &str = "public, max-age=31536000, immutable";
const ASK_AGAIN: &str = "no-cache";

/// A person who goes to an address that leads nowhere is told so by the page, which also knows its own addresses with a
/// stroke at their end. Programs are told in their own words, and nothing below the doors of programs is a page.
pub(crate) fn is_for_people(method: &Method, path: &str, headers: &HeaderMap) -> bool {
    let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    matches!(*method, Method::GET | Method::HEAD)
        && liking(headers, "text/html") > 0.0
        && !["api", "mcp", "metrics", "health", "assets"].contains(&first)
}

/// The page at an address that is not one of its own as it is written.
pub(crate) async fn page_elsewhere(path: &str) -> Response {
    let status = if is_page(path) { StatusCode::OK } else { StatusCode::NOT_FOUND };
    (status, page_file().await).into_response()
}

fn is_page(path: &str) -> bool {
    let asked = parts(path);
    PAGES.iter().map(|page| parts(page)).any(|page| {
        page.len() == asked.len() && page.iter().zip(&asked).all(|(part, asked)| part == asked || part.starts_with('{'))
    })
}

fn parts(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty()).collect()
}

/// Every address here, for the table of doors.
#[cfg(test)]
pub(crate) fn paths() -> impl Iterator<Item = &'static str> {
    PAGES.iter().chain(FILES).copied().chain([ASSETS])
}

pub(crate) fn routes(mut router: Router<App>) -> Router<App> {
    for page in PAGES {
        router = router.route(page, get(page_file));
    }
    for file in FILES {
        router = router.route(file, get(move || async move { send(file.trim_start_matches('/'), ASK_AGAIN) }));
    }
    router.route(ASSETS, get(asset))
}

/// Whether there are pages in this binary.
pub fn is_built() -> bool {
    Files::get("index.html").is_some()
}

async fn page_file() -> Response {
    match Files::get("index.html") {
        // Without a tag of its own: it is tagged as every small answer is, and asked for again each time.
        Some(file) => Html(file.data).into_response(),
        None => Html(NOT_BUILT).into_response(),
    }
}

async fn asset(Path(name): Path<String>) -> Response {
    // They lie side by side; a name that leads elsewhere is none of theirs.
    if name.contains('/') {
        return StatusCode::NOT_FOUND.into_response();
    }
    send(&format!("assets/{name}"), FOR_EVER)
}

fn send(path: &str, cache: &'static str) -> Response {
    let Some(EmbeddedFile { data, metadata }) = Files::get(path) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let tag = hex(&metadata.sha256_hash()[..12]);
    let headers = [
        (header::CONTENT_TYPE, metadata.mimetype().to_owned()),
        (header::CACHE_CONTROL, cache.to_owned()),
        (header::ETAG, format!("W/\"{tag}\"")),
    ];
    (headers, data).into_response()
}

const NOT_BUILT: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Iris</title>\
    <h1>Iris is running</h1><p>This binary was built without its dashboard. <code>cargo xtask run</code> builds both; \
    so do <code>npm ci</code> and <code>npm run build</code> in <code>dashboard/</code>, and a <code>cargo build</code> \
    after them.</p><p>Everything works without it: see <code>iris --help</code>.</p></html>";

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_page_is_there_with_or_without_the_dashboard() {
        let page = page_file().await;
        assert_eq!(page.status(), StatusCode::OK);
        assert_eq!(page.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
    }

    #[tokio::test]
    async fn a_person_who_is_lost_is_told_by_the_page() {
        let accepts = |accept: &str| HeaderMap::from_iter([(header::ACCEPT, accept.parse().expect("a value"))]);
        let (html, anything_else) = (accepts("text/html,*/*;q=0.8"), accepts("text/html;q=0,*/*"));
        for (path, status) in
            [("/inbox/", 200), ("/session/7/", 200), ("/job", 404), ("/zzz", 404), ("/session/7/x", 404)]
        {
            assert!(is_for_people(&Method::GET, path, &html), "{path}");
            let page = page_elsewhere(path).await;
            assert_eq!(page.status().as_u16(), status, "{path}");
            assert_eq!(page.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
            assert!(!is_for_people(&Method::GET, path, &HeaderMap::new()), "a program");
            assert!(!is_for_people(&Method::GET, path, &anything_else), "a program");
            assert!(!is_for_people(&Method::POST, path, &html));
        }
        for path in ["/api/zzz", "/api", "//api/x", "/mcp/x", "/metrics/", "/assets/x/y"] {
            assert!(!is_for_people(&Method::GET, path, &html), "{path}");
        }
    }

    #[tokio::test]
    async fn only_files_of_the_dashboard_are_sent() {
        for path in ["nothing.js", "../index.html", "../.gitkeep", "../../package.json", "..%2f..%2fpackage.json", ""] {
            assert_eq!(asset(Path(path.to_owned())).await.status(), StatusCode::NOT_FOUND, "{path}");
        }
    }
}
