-- What lists show of a session: set, or made of its first message.
ALTER TABLE "${flyway:defaultSchema}".holdfast_sessions ADD COLUMN title text;

-- The words of messages. `doc` is the position in the order in which messages are found: the time of the message and a number.
CREATE TABLE "${flyway:defaultSchema}".holdfast_words (
  shard int NOT NULL,
  session bigint NOT NULL,
  seq bigint NOT NULL,
  doc bigint NOT NULL,
  words tsvector NOT NULL,
  PRIMARY KEY (shard, session, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE UNIQUE INDEX holdfast_words_doc ON "${flyway:defaultSchema}".holdfast_words (shard, doc);
CREATE INDEX holdfast_words_words ON "${flyway:defaultSchema}".holdfast_words USING gin (words);

-- Messages of earlier versions are taken up after the start, from here down; one row for each shard that has such.
CREATE TABLE "${flyway:defaultSchema}".holdfast_unsearched (
  shard int PRIMARY KEY,
  session bigint NOT NULL,
  seq bigint NOT NULL
);
INSERT INTO "${flyway:defaultSchema}".holdfast_unsearched (shard, session, seq)
  SELECT shard, 9223372036854775807, 0 FROM "${flyway:defaultSchema}".holdfast_shards;
