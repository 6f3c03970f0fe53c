-- Before this number there is no event of the job. Of jobs from before it is not known.
ALTER TABLE job ADD COLUMN first_seq BIGINT NOT NULL DEFAULT 0;
