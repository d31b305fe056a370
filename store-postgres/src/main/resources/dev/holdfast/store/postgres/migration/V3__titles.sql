-- What lists show of a session: set, or made of its first message.
ALTER TABLE "${flyway:defaultSchema}".holdfast_sessions ADD COLUMN title text;
