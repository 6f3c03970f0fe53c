//! Who calls: the credential of the request says it, and for the owner's own programs the folder they run in.

use std::path::PathBuf;

use axum::http::request::Parts;
use iris_core::credential::Scope;
use iris_core::id::Party;
use percent_encoding::percent_decode_str;
use rmcp::ErrorData;
use rmcp::model::Extensions;

use crate::App;
use crate::auth::Caller;

/// The folder a client runs in, percent-encoded. Whoever runs in a team's folder speaks for the team; only a human's
/// credential may say so.
const FOLDER: &str = "iris-folder";

/// Who calls, if they may read.
pub(super) fn reader(app: &App, extensions: &Extensions) -> Result<Caller, ErrorData> {
    let caller = caller(app, extensions)?;
    may(&caller, Scope::Read, "to read", extensions).map_err(|why| ErrorData::invalid_request(why, None))?;
    Ok(caller)
}

/// Why it may not, with what helps, in one line.
pub(super) fn may(caller: &Caller, needed: Scope, what: &str, extensions: &Extensions) -> Result<(), String> {
    caller.may(needed).map_err(|refusal| {
        let none = axum::http::Extensions::new();
        let request = extensions.get::<Parts>().map_or(&none, |parts| &parts.extensions);
        let (why, hint) = caller.refuse(refusal, what, request);
        format!("{why}; {hint}")
    })
}

pub(super) fn caller(app: &App, extensions: &Extensions) -> Result<Caller, ErrorData> {
    // Without it the request did not come through `auth`, and nobody is let in by mistake.
    let unknown = || ErrorData::internal_error("the caller is not known", None);
    extensions.get::<Parts>().and_then(|parts| of_request(app, parts)).ok_or_else(unknown)
}

pub(super) fn of_request(app: &App, parts: &Parts) -> Option<Caller> {
    let mut caller = parts.extensions.get::<Caller>().cloned()?;
    let folder = parts.headers.get(FOLDER).and_then(|folder| folder.to_str().ok());
    if let (true, Some(folder)) = (caller.is_human(), folder) {
        let folder = PathBuf::from(percent_decode_str(folder).decode_utf8_lossy().as_ref());
        if let Some(team) = app.engine.team_of(&folder) {
            caller.party = Party::new(team.as_str());
        }
    }
    Some(caller)
}
