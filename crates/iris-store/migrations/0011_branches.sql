-- A node that a conversation has left, and when (by the clock on the wall): what its agent's program has of it ends there.
CREATE TABLE branch (session TEXT NOT NULL, node TEXT NOT NULL, left_at BIGINT NOT NULL, PRIMARY KEY (session, node));
