-- Questions outlive the process that asked; jobs; rules made from answers.

-- How it came in.
ALTER TABLE question ADD COLUMN way TEXT NOT NULL DEFAULT 'permission';
ALTER TABLE question ADD COLUMN job TEXT;
ALTER TABLE question ADD COLUMN context TEXT;
-- 1: an agent waits for it.
ALTER TABLE question ADD COLUMN blocks BIGINT NOT NULL DEFAULT 1;
ALTER TABLE question ADD COLUMN default_answer TEXT;
ALTER TABLE question ADD COLUMN on_deadline TEXT NOT NULL DEFAULT 'wait';
-- When it is too late, in Iris's own time; and by the clock on the wall, for people.
ALTER TABLE question ADD COLUMN due BIGINT;
ALTER TABLE question ADD COLUMN deadline_at BIGINT;
-- When it was asked, and from when on people see it, in Iris's own time.
ALTER TABLE question ADD COLUMN asked BIGINT NOT NULL DEFAULT 0;
ALTER TABLE question ADD COLUMN shown BIGINT NOT NULL DEFAULT 0;
ALTER TABLE question ADD COLUMN risk TEXT;
ALTER TABLE question ADD COLUMN risk_why TEXT;
-- Of the exact action; and of what it comes to, however it is worded.
ALTER TABLE question ADD COLUMN digest TEXT;
ALTER TABLE question ADD COLUMN deed TEXT NOT NULL DEFAULT '';
ALTER TABLE question ADD COLUMN key TEXT;
-- The outbox. Empty: nobody waits for the answer. due: it has to reach the agent. handed: it was written to the agent's
-- pipe, and the agent has not gone on yet. done: the agent has it.
ALTER TABLE question ADD COLUMN resume TEXT;
-- The turn by which it was told, if not on the pipe.
ALTER TABLE question ADD COLUMN resume_turn TEXT;
-- 1: it was handed over to a process that ended, which may have had it.
ALTER TABLE question ADD COLUMN doubt BIGINT NOT NULL DEFAULT 0;
-- 1: it was told by a turn, and holds once for the very same request.
ALTER TABLE question ADD COLUMN unused BIGINT NOT NULL DEFAULT 0;
ALTER TABLE question ADD COLUMN rule TEXT;
ALTER TABLE question ADD COLUMN replaced_by TEXT;
CREATE INDEX question_due ON question (due) WHERE state = 'open' AND due IS NOT NULL;
CREATE INDEX question_resume ON question (resume) WHERE resume = 'due';
CREATE INDEX question_asked ON question (session, asked);
CREATE INDEX question_deed ON question (team, deed);
CREATE INDEX question_job ON question (job) WHERE job IS NOT NULL;
CREATE UNIQUE INDEX question_key ON question (session, key) WHERE key IS NOT NULL;

-- What the agent waits for a person to say: input or approval.
ALTER TABLE session ADD COLUMN waiting TEXT;
ALTER TABLE session ADD COLUMN job TEXT;
-- How many questions were found in its replies, less what was forgotten since; and when the last was, in Iris's time.
ALTER TABLE session ADD COLUMN found BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN found_at BIGINT NOT NULL DEFAULT 0;
-- 1: whoever told it does not wait for the reply.
ALTER TABLE turn ADD COLUMN detached BIGINT NOT NULL DEFAULT 0;

CREATE TABLE job (
    id         TEXT PRIMARY KEY,
    team       TEXT NOT NULL,
    session    TEXT NOT NULL,
    started_by TEXT NOT NULL,
    goal       TEXT NOT NULL,
    state      TEXT NOT NULL,
    -- The event this state came from, and when that was.
    state_seq  BIGINT NOT NULL,
    state_at   BIGINT NOT NULL,
    key        TEXT,
    -- The job whose work this one does again.
    again_of   TEXT,
    created_at BIGINT NOT NULL,
    ended_at   BIGINT,
    result     TEXT,
    error      TEXT
) {{no hidden key}};
CREATE INDEX job_going ON job (state) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX job_key ON job (key) WHERE key IS NOT NULL;

-- Decisions that hold for a while.
CREATE TABLE rule (
    id         TEXT PRIMARY KEY,
    team       TEXT NOT NULL,
    scope      TEXT NOT NULL,
    tool       TEXT,
    deed       TEXT NOT NULL,
    risk       TEXT,
    answer     TEXT NOT NULL,
    -- For people: what it was made from.
    about      TEXT NOT NULL,
    question   TEXT NOT NULL,
    made_by    TEXT NOT NULL,
    made_at    BIGINT NOT NULL,
    -- In Iris's own time, and by the clock on the wall.
    until      BIGINT NOT NULL,
    until_at   BIGINT NOT NULL,
    revoked_at BIGINT,
    revoked_by TEXT,
    uses       BIGINT NOT NULL
) {{no hidden key}};
CREATE INDEX rule_holding ON rule (team) WHERE revoked_at IS NULL;
