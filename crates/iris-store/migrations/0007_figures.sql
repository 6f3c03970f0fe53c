-- Figures are answered from what was written down, however long ago and however much was said since.

-- How turns ended, by when. The log keeps it when a conversation is deleted or forgotten, the table of turns does not.
CREATE INDEX event_turn_end ON event (at, seq) WHERE kind = 'turn.finished';
-- What was decided, newest first.
CREATE INDEX question_closed ON question (closed_at, id) WHERE closed_at IS NOT NULL;
-- Why it was withdrawn.
ALTER TABLE question ADD COLUMN closed_why TEXT;
-- When the process was started that serves the session.
ALTER TABLE session ADD COLUMN process_at BIGINT;
