-- 1: whoever asked is not an agent of ours and waits where it asked, so the answer is told nowhere else.
ALTER TABLE question ADD COLUMN outside BIGINT NOT NULL DEFAULT 0;
UPDATE question SET outside = 1 WHERE way = 'api' AND job IS NULL;
-- When it was closed, in Iris's own time: the wall clock may have been set while it was open.
ALTER TABLE question ADD COLUMN closed BIGINT;
