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

-- The binaries that messages name: per session, so that they are counted in the transaction of the message.
CREATE TABLE "${flyway:defaultSchema}".holdfast_blobs (
  shard int NOT NULL,
  key bigint NOT NULL,
  session bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  media_type text NOT NULL,
  filename text,
  bytes bigint NOT NULL,
  refs bigint NOT NULL,
  expires_at bigint NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (shard, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
CREATE UNIQUE INDEX holdfast_blobs_id ON "${flyway:defaultSchema}".holdfast_blobs (shard, session, id);
CREATE INDEX holdfast_blobs_expiry ON "${flyway:defaultSchema}".holdfast_blobs (shard, expires_at) WHERE expires_at > 0;

CREATE TABLE "${flyway:defaultSchema}".holdfast_blob_pieces (
  shard int NOT NULL,
  piece int NOT NULL,
  blob bigint NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (shard, blob, piece)
) WITH (autovacuum_vacuum_scale_factor = 0.05);
-- Images and the like are compressed already.
ALTER TABLE "${flyway:defaultSchema}".holdfast_blob_pieces ALTER COLUMN body SET STORAGE EXTERNAL;

-- Which message names which binary of its session.
CREATE TABLE "${flyway:defaultSchema}".holdfast_names (
  shard int NOT NULL,
  session bigint NOT NULL,
  seq bigint NOT NULL,
  blob text COLLATE "C" NOT NULL,
  PRIMARY KEY (shard, session, seq, blob)
) WITH (autovacuum_vacuum_scale_factor = 0.05);
