-- Every table leads with the shard: one writer per shard, and a shard can be moved or counted by its key alone.
-- Names carry a prefix and the schema, so that a schema may be shared with tables of the application, and so that
-- nothing depends on a search path.

CREATE TABLE "${flyway:defaultSchema}".holdfast_meta (
  name text COLLATE "C" PRIMARY KEY,
  value bigint NOT NULL
);

-- The lease of each shard. Whoever writes locks its row until the commit (FOR SHARE), so a change of the epoch comes
-- before or after a transaction of the holder and never in between. `writer` is drawn anew by each open store and after
-- each commit of unknown fate: what an abandoned connection still delivers then finds another writer and changes nothing.
CREATE TABLE "${flyway:defaultSchema}".holdfast_shards (
  shard int PRIMARY KEY,
  epoch bigint NOT NULL,
  writer bigint NOT NULL,
  node bigint
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Counters that are updated in the transactions that hold the lease FOR SHARE. They are no columns of the lease: such an
-- update would turn the shared lock into an exclusive one, and two holders who both tried would wait for each other.
CREATE TABLE "${flyway:defaultSchema}".holdfast_keys (
  shard int PRIMARY KEY,
  next bigint NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- `released`: no entry at or below this position is needed. `known`: the log once went up to here.
CREATE TABLE "${flyway:defaultSchema}".holdfast_log (
  shard int PRIMARY KEY,
  released bigint NOT NULL,
  known bigint NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- One row for each stream of each group commit. The only index leads with the stream, for whoever follows a stream and for
-- the deletions behind a seal; the order of positions is needed once, when a writer starts, and is sorted then.
CREATE TABLE "${flyway:defaultSchema}".holdfast_segments (
  shard int NOT NULL,
  ordinal int NOT NULL,
  stream bigint NOT NULL,
  position bigint NOT NULL,
  first_seq bigint NOT NULL,
  next_seq bigint NOT NULL,
  at bigint NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (shard, stream, position)
) WITH (
  -- A segment up to nearly a page stays in its row: out of line it would cost an entry in a second table and index.
  toast_tuple_target = 8160,
  -- Rows live for minutes. Their room is to be found again before the table has grown by much; to visit rows only because
  -- they were inserted would be in vain, as they are gone before they could be frozen.
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 2,
  autovacuum_vacuum_insert_threshold = 1000000,
  autovacuum_analyze_scale_factor = 0.2,
  autovacuum_analyze_threshold = 5000
);
-- Never compressed: a segment is written once, read seldom, and gone soon.
ALTER TABLE "${flyway:defaultSchema}".holdfast_segments ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE "${flyway:defaultSchema}".holdfast_blocks (
  shard int NOT NULL,
  stream bigint NOT NULL,
  from_seq bigint NOT NULL,
  to_seq bigint NOT NULL,
  last_at bigint NOT NULL,
  bytes_to bigint NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (shard, stream, from_seq)
) WITH (
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_insert_scale_factor = 0.2,
  toast.autovacuum_vacuum_scale_factor = 0.05
);
-- Compressing 256 KiB takes several milliseconds of the one connection that commits for all streams.
ALTER TABLE "${flyway:defaultSchema}".holdfast_blocks ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE "${flyway:defaultSchema}".holdfast_streams (
  shard int NOT NULL,
  key bigint NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  incarnation bigint NOT NULL,
  owner bigint NOT NULL,
  state smallint NOT NULL,
  gone smallint NOT NULL,
  error text,
  tag text COLLATE "C",
  content_type text NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  closed_at bigint NOT NULL,
  epoch bigint NOT NULL,
  first_seq bigint NOT NULL,
  sealed_to bigint NOT NULL,
  tail bigint NOT NULL,
  last_append_at bigint NOT NULL,
  ttl bigint NOT NULL,
  expires_at bigint NOT NULL,
  source bigint NOT NULL,
  forks bigint NOT NULL,
  max_age bigint NOT NULL,
  max_bytes bigint NOT NULL,
  sealed_bytes bigint NOT NULL,
  trim_at bigint NOT NULL,
  metadata bytea NOT NULL,
  marks bytea NOT NULL,
  lineage bytea NOT NULL,
  PRIMARY KEY (shard, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
-- `gone` is 1 for a discarded stream, 2 for one that is deleted but for its forks, 0 otherwise. An update of a row that
-- changes no column named by an index, in its key or in its condition, stays on its page and touches no index.
CREATE UNIQUE INDEX holdfast_streams_name ON "${flyway:defaultSchema}".holdfast_streams (shard, tenant, name) WHERE gone <> 1;
CREATE INDEX holdfast_streams_recent ON "${flyway:defaultSchema}".holdfast_streams (shard, tenant, created_at, key) WHERE gone = 0;
CREATE INDEX holdfast_streams_tag ON "${flyway:defaultSchema}".holdfast_streams (shard, tenant, tag, created_at, key)
  WHERE tag IS NOT NULL AND gone = 0;
CREATE INDEX holdfast_streams_owner ON "${flyway:defaultSchema}".holdfast_streams (shard, owner, key) WHERE owner > 0 AND gone = 0;
CREATE INDEX holdfast_streams_expiry ON "${flyway:defaultSchema}".holdfast_streams (shard, expires_at) WHERE expires_at > 0 AND gone = 0;
CREATE INDEX holdfast_streams_trim ON "${flyway:defaultSchema}".holdfast_streams (shard, trim_at) WHERE trim_at > 0 AND gone = 0;
CREATE INDEX holdfast_streams_discarded ON "${flyway:defaultSchema}".holdfast_streams (shard, key) WHERE gone = 1;

CREATE TABLE "${flyway:defaultSchema}".holdfast_sessions (
  shard int NOT NULL,
  key bigint NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  deleted boolean NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  epoch bigint NOT NULL,
  PRIMARY KEY (shard, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
CREATE UNIQUE INDEX holdfast_sessions_id ON "${flyway:defaultSchema}".holdfast_sessions (shard, tenant, id) WHERE NOT deleted;
CREATE INDEX holdfast_sessions_recent ON "${flyway:defaultSchema}".holdfast_sessions (shard, tenant, updated_at, key) WHERE NOT deleted;
CREATE INDEX holdfast_sessions_deleted ON "${flyway:defaultSchema}".holdfast_sessions (shard, key) WHERE deleted;

CREATE TABLE "${flyway:defaultSchema}".holdfast_feed (
  shard int NOT NULL,
  kind smallint NOT NULL,
  session bigint NOT NULL,
  seq bigint NOT NULL,
  at bigint NOT NULL,
  message text,
  turn text,
  detail text,
  PRIMARY KEY (shard, session, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.05);

-- A content of more than a mebibyte goes on in holdfast_pieces; the row holds its beginning, its size and its checksum.
CREATE TABLE "${flyway:defaultSchema}".holdfast_messages (
  shard int NOT NULL,
  session bigint NOT NULL,
  seq bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  parent bigint NOT NULL,
  role text NOT NULL,
  bytes bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  checksum bigint NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (shard, session, seq)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);
CREATE UNIQUE INDEX holdfast_messages_id ON "${flyway:defaultSchema}".holdfast_messages (shard, session, id);
CREATE INDEX holdfast_messages_parent ON "${flyway:defaultSchema}".holdfast_messages (shard, session, parent, seq);

CREATE TABLE "${flyway:defaultSchema}".holdfast_pieces (
  shard int NOT NULL,
  piece int NOT NULL,
  session bigint NOT NULL,
  owner text COLLATE "C" NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (shard, session, owner, piece)
) WITH (autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE "${flyway:defaultSchema}".holdfast_pieces ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE "${flyway:defaultSchema}".holdfast_turns (
  shard int NOT NULL,
  state smallint NOT NULL,
  kind smallint NOT NULL,
  session bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  live boolean NOT NULL,
  stop_requested boolean NOT NULL,
  attempts int NOT NULL,
  agent text NOT NULL,
  fingerprint bytea NOT NULL,
  user_message text,
  message text NOT NULL,
  stream bigint NOT NULL,
  stream_name text,
  parent text,
  epoch bigint NOT NULL,
  progress bigint NOT NULL,
  error text,
  created_at bigint NOT NULL,
  progress_at bigint NOT NULL,
  ended_at bigint NOT NULL,
  starts_at bigint NOT NULL,
  slot bigint NOT NULL,
  input_bytes bigint NOT NULL,
  input_hash bytea NOT NULL,
  input bytea NOT NULL,
  PRIMARY KEY (shard, session, id)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX holdfast_turns_recent ON "${flyway:defaultSchema}".holdfast_turns (shard, session, created_at, id);
CREATE INDEX holdfast_turns_live ON "${flyway:defaultSchema}".holdfast_turns (shard, session, id) WHERE live;

CREATE TABLE "${flyway:defaultSchema}".holdfast_properties (
  shard int NOT NULL,
  owner text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  value bytea NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (shard, owner, name)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX holdfast_properties_expiry ON "${flyway:defaultSchema}".holdfast_properties (shard, expires_at) WHERE expires_at > 0;
