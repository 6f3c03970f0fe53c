-- Real agents: work that goes on between turns, turns that agents start, tells made in turns, limits, questions, trust.

-- What an agent does between turns: how many tasks. Idle means that there is none.
ALTER TABLE session ADD COLUMN background BIGINT NOT NULL DEFAULT 0;
-- The conversation this one began as a copy of.
ALTER TABLE session ADD COLUMN fork_of TEXT;
-- A limit was reached: nothing is started before this, in Iris's own time; and until when by the clock on the wall.
ALTER TABLE session ADD COLUMN held_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN held_at BIGINT;
ALTER TABLE session ADD COLUMN held_why TEXT;
CREATE INDEX session_held ON session (held_until) WHERE held_until > 0;

-- The turn in which an agent made this tell, and how long the chain of such tells is.
ALTER TABLE turn ADD COLUMN cause TEXT;
ALTER TABLE turn ADD COLUMN depth BIGINT NOT NULL DEFAULT 0;
-- Why the agent started the turn by itself, if it did.
ALTER TABLE turn ADD COLUMN origin TEXT;

CREATE TABLE question (
    id        TEXT PRIMARY KEY,
    kind      TEXT NOT NULL,
    state     TEXT NOT NULL,
    team      TEXT NOT NULL,
    session   TEXT NOT NULL,
    turn      TEXT,
    -- The agent's own name for its request, and the process that made it.
    request   TEXT NOT NULL,
    epoch     BIGINT NOT NULL,
    text      TEXT NOT NULL,
    -- JSON: the exact action, or the questions with their options.
    detail    TEXT NOT NULL,
    -- The party it is put to; nobody in particular if empty.
    asked_of  TEXT,
    opened_at BIGINT NOT NULL,
    closed_at BIGINT,
    closed_by TEXT,
    answer    TEXT
) {{no hidden key}};
CREATE INDEX question_open ON question (session) WHERE state = 'open';

-- Folders whose own settings the user has looked at, by what is in them.
CREATE TABLE trust (
    folder     TEXT PRIMARY KEY,
    digest     TEXT NOT NULL,
    trusted_at BIGINT NOT NULL
);
