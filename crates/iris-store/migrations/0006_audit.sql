-- Who closed a question is a party; this says through what it came: the credential that was shown, and where. JSON.
ALTER TABLE question ADD COLUMN closed_through TEXT;
