-- Columns are TEXT and BIGINT only, so that one set of statements serves both databases. Times in *_at columns are
-- wall-clock milliseconds for people; lease_until and run_at are Iris's own time, which no clock change moves.

{{functions}}

CREATE TABLE setting (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

-- PostgreSQL only: the last number given out. Taking one locks this row until the commit, so numbers are in commit order.
-- SQLite has one writer, which counts by itself.
CREATE TABLE log (
    id  {{number key}},
    seq BIGINT NOT NULL
);
INSERT INTO log (id, seq) VALUES (1, 0);

CREATE TABLE event (
    seq     {{number key}},
    at      BIGINT NOT NULL,
    kind    TEXT NOT NULL,
    team    TEXT,
    session TEXT,
    turn    TEXT,
    body    TEXT NOT NULL
);
-- What an agent said is an event of kind 'message'; the cache is read through this.
CREATE INDEX event_message ON event (turn, seq) WHERE kind = 'message';

-- A session is also a lane: ordered work with an owner, a lease and an epoch.
CREATE TABLE session (
    id          TEXT PRIMARY KEY,
    from_party  TEXT NOT NULL,
    to_team     TEXT NOT NULL,
    state       TEXT NOT NULL,
    state_seq   BIGINT NOT NULL,
    state_at    BIGINT NOT NULL,
    owner       TEXT,
    lease_until BIGINT NOT NULL,
    epoch       BIGINT NOT NULL,
    pid         BIGINT,
    running     TEXT,
    queued      BIGINT NOT NULL,
    next_number BIGINT NOT NULL,
    begun       BIGINT NOT NULL,
    created_at  BIGINT NOT NULL,
    used_at     BIGINT NOT NULL,
    UNIQUE (from_party, to_team)
) {{no hidden key}};
CREATE INDEX session_work ON session (to_team) WHERE queued > 0;

CREATE TABLE turn (
    id          TEXT PRIMARY KEY,
    session     TEXT NOT NULL,
    number      BIGINT NOT NULL,
    state       TEXT NOT NULL,
    body        TEXT NOT NULL,
    key         TEXT,
    attempts    BIGINT NOT NULL,
    place       BIGINT NOT NULL,
    accepted_at BIGINT NOT NULL,
    started_at  BIGINT,
    finished_at BIGINT,
    ending      TEXT,
    response    TEXT,
    usage       TEXT
) {{no hidden key}};
CREATE INDEX turn_of_session ON turn (session, number);
CREATE INDEX turn_waiting ON turn (session, place, number) WHERE state = 'queued';
CREATE UNIQUE INDEX turn_key ON turn (key) WHERE key IS NOT NULL;

-- An item of a lane that is due at a time.
CREATE TABLE timer (
    turn    TEXT PRIMARY KEY,
    session TEXT NOT NULL,
    run_at  BIGINT NOT NULL
);
CREATE INDEX timer_due ON timer (run_at);
