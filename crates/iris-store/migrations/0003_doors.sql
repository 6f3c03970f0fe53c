-- The doors: who may come in, and what a request that comes twice was answered.

-- Only a digest is kept of a token, so that nobody who reads this table can use one.
CREATE TABLE token (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    kind       TEXT NOT NULL,
    -- Whom it speaks for.
    party      TEXT NOT NULL,
    scopes     TEXT NOT NULL,
    digest     TEXT NOT NULL,
    -- For a browser: a digest of the word that its pages have beside the cookie.
    page       TEXT,
    created_at BIGINT NOT NULL,
    -- By the clock on the wall; empty: never.
    expires_at BIGINT,
    used_at    BIGINT
) {{no hidden key}};
CREATE UNIQUE INDEX token_digest ON token (digest);

-- What a request with an idempotency key was answered. Without a status: it was begun, and nobody knows how it ended.
CREATE TABLE reply (
    credential TEXT NOT NULL,
    key        TEXT NOT NULL,
    -- A digest of the request: a key stands for one request only.
    request    TEXT NOT NULL,
    begun_at   BIGINT NOT NULL,
    status     BIGINT,
    body       TEXT,
    PRIMARY KEY (credential, key)
) {{no hidden key}};
CREATE INDEX reply_age ON reply (begun_at);
