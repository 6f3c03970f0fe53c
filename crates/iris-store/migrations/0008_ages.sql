-- Since when something is as it is, in Iris's own time: the wall clock may have been set since. Nothing where it was so before
-- this step.
ALTER TABLE session ADD COLUMN state_mark BIGINT;
ALTER TABLE job ADD COLUMN state_mark BIGINT;
