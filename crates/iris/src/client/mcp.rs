//! The daemon's /mcp, for the bridge: an answer of any status is an answer.

use reqwest::{Method, RequestBuilder, Response, Url};

use super::{Client, ClientError, gone};

impl Client {
    pub async fn mcp(
        &self,
        method: Method,
        finish: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Result<Response, ClientError> {
        let base = self.base().await?;
        let bad = || ClientError::BadUrl(base.clone());
        let mut url: Url = base.trim().parse().map_err(|_| bad())?;
        url.path_segments_mut().map_err(|()| bad())?.pop_if_empty().push("mcp");
        let token = self.token(&url)?;
        let request = self.way(&url)?.request(method, url).bearer_auth(token);
        finish(request).send().await.map_err(|error| gone(&base, &error))
    }

    /// Whether the daemon is another's to start: IRIS_URL says where it is.
    pub fn is_elsewhere(&self) -> bool {
        self.url.is_some()
    }
}
