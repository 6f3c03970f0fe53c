-- A conversation is kept by the agent's program on the machine where it ran, so a session is at home on one node.

-- The node that has its conversation.
ALTER TABLE session ADD COLUMN lives_on TEXT;
-- Which nodes there are, and until when each is taken to be alive. Only where there can be more than one.
CREATE TABLE node (id TEXT NOT NULL PRIMARY KEY, alive_until BIGINT NOT NULL);
