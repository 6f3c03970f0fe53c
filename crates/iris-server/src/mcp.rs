//! /mcp: the same verbs for clients of the Model Context Protocol, over streamable HTTP. One file per noun.
//!
//! Both revisions in use are spoken: 2025-11-25 with sessions, and 2026-07-28 without. Who calls is known by the
//! credential of each request, in a session too.

mod asked;
mod call;
mod caller;
mod handed;
mod late;
mod notice;
mod progress;
mod prompt;
mod replay;
mod resource;
mod session;
mod tool;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::routing::any;
use iris_engine::tasks;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest, CustomResult,
    GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio_util::sync::CancellationToken;

use crate::App;
use crate::http::LARGEST_BODY;
pub(crate) use asked::Asked;
use call::OpenCalls;
use handed::Handed;
use notice::Subscribed;
use session::{InUse, Sessions};

const TIDIED_EVERY: Duration = Duration::from_secs(30);

/// The route, with what answers there. The shipped daemon has Iris's own door; the conformance tests mount the fixtures
/// of their suite in its place, behind everything else that is round it.
pub(crate) fn routes<H: ServerHandler>(app: &App, handler: impl Fn() -> H + Send + Sync + 'static) -> Router<App> {
    let sessions = Arc::new(Sessions::default());
    let config = StreamableHttpServerConfig::default()
        .with_max_request_body_bytes(LARGEST_BODY)
        // Hosts and origins are checked once for all routes, by `auth`, before a body is read.
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_cancellation_token(closed_with(app, Arc::clone(&sessions)));
    let stream = StreamableHttpService::new(move || Ok(handler()), Arc::clone(&sessions), config);
    let mut one_piece = stream.clone();
    one_piece.config.json_response = true;
    let closing = app.closing.clone();
    let answer = async move |mut request: Request| {
        let asked = request.extensions_mut().get_or_insert_with(Asked::default).clone();
        let service = if wants_stream(request.headers()) { stream } else { one_piece };
        let is_end = request.method() == Method::DELETE;
        let handle = |request| async move { service.handle(request).await.map(Body::new) };
        let ended = request.extensions().get::<InUse>().map(InUse::end);
        let mut response = asked.answered_by(late::answer(late::PACE, request, handle).await, closing, ended);
        // The library says that it took the end of a session; it has ended it, and clients want to hear that.
        if is_end && response.status() == StatusCode::ACCEPTED {
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        response
    };
    Router::new().route("/mcp", any(answer)).layer(from_fn_with_state(sessions, session::belongs_to_caller))
}

/// Iris's own.
pub(crate) fn own_routes(app: &App) -> Router<App> {
    let handed = Handed::default();
    routes(app, Door::maker(app, &handed))
        .layer(from_fn_with_state((handed, app.engine.clone()), handed::watched))
        .layer(from_fn_with_state(app.clone(), notice::only_watchable))
}

/// A client has to take both; what it names first it likes better. Without sessions an answer is else one piece of JSON,
/// unless there is progress to tell of or it takes long.
fn wants_stream(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    accept.trim_start().starts_with(late::STREAM) && late::takes_stream(headers)
}

/// Streams that would go on for ever end with the daemon. As long as it is there, what is old is not kept because nobody
/// comes by.
fn closed_with(app: &App, sessions: Arc<Sessions>) -> CancellationToken {
    let token = CancellationToken::new();
    let (closed, mut closing) = (token.clone(), app.closing.clone());
    drop(tasks::spawn("mcp closing", async move {
        // The sender is gone: so is the daemon.
        while tokio::time::timeout(TIDIED_EVERY, closing.wait_for(|closing| *closing)).await.is_err() {
            sessions.tidy().await;
        }
        closed.cancel();
    }));
    token
}

const INSTRUCTIONS: &str = "\
Iris runs teams of coding agents, each in the folder of a project. Use team_teams to see them and team_tell to give one \
of them work or ask it something: its agent works in its own folder, with its own tools, and remembers your conversation. \
For long work give timeout 0 and wait, or -1 and look with team_report later.";

/// What answers: one for each session, or for each request where there are no sessions.
#[derive(Clone)]
pub(crate) struct Door {
    app: App,
    calls: OpenCalls,
    handed: Handed,
    subscribed: Arc<Mutex<Subscribed>>,
}

impl Door {
    /// Makes doors that know of each other's open calls.
    fn maker(app: &App, handed: &Handed) -> impl Fn() -> Self + Send + Sync + use<> {
        let (app, calls, handed) = (app.clone(), OpenCalls::default(), handed.clone());
        move || Self { app: app.clone(), calls: calls.clone(), handed: handed.clone(), subscribed: Arc::default() }
    }
}

impl ServerHandler for Door {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .enable_completions()
            .build();
        let iris = Implementation::new("iris", env!("CARGO_PKG_VERSION")).with_title("Iris");
        ServerConfig::new(capabilities).with_server_info(iris).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tool::all().to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tool::find(name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        call::call(self, request, context).await.map(CallToolResponse::from)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompt::all()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        caller::reader(&self.app, &context.extensions)?;
        prompt::write(&self.app, request).await.map(GetPromptResponse::from)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        caller::reader(&self.app, &context.extensions)?;
        prompt::complete(&self.app, &request)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        notice::follow_list(self, &context)?;
        resource::list(&self.app, request, &context).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resource::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resource::read(&self.app, &request.uri, &context).await.map(ReadResourceResponse::from)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        notice::accepted(requested)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        notice::listen(&self.app, context).await
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        notice::subscribe(self, request.uri, &context).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        notice::unsubscribe(self, &request.uri);
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        call::cancel(self, request, &context).await
    }
}
