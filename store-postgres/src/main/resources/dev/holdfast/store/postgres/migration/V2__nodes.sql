-- The nodes that share the shards. A node is alive while its deadline lies ahead of the database's clock; whose row is gone
-- was given up. Numbers are never used twice, as the leases and letters of a node outlive its row for a moment.
CREATE TABLE "${flyway:defaultSchema}".holdfast_nodes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  expires_at timestamptz NOT NULL,
  has_left boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Letters between nodes. Whoever waits for an answer has a deadline, so that nothing is lost with them that is not given up
-- anyway: the table needs no log, is empty after a crash of the server, and no commit of a letter waits for a disk.
-- (Databases that speak this language without unlogged tables take the word and log the table.)
CREATE UNLOGGED TABLE "${flyway:defaultSchema}".holdfast_inbox (
  node bigint NOT NULL,
  arrival bigint GENERATED ALWAYS AS IDENTITY,
  sender bigint NOT NULL,
  id bigint NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (node, arrival)
) WITH (
  -- Rows live for milliseconds: their room is to be found again before the table has grown by much.
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_scale_factor = 2,
  autovacuum_vacuum_insert_threshold = 1000000,
  autovacuum_analyze_scale_factor = 2,
  autovacuum_analyze_threshold = 100000
);
CREATE UNIQUE INDEX holdfast_inbox_letter ON "${flyway:defaultSchema}".holdfast_inbox (node, sender, id);
-- A letter is written once and read once: to compress it would cost more than it saves.
ALTER TABLE "${flyway:defaultSchema}".holdfast_inbox ALTER COLUMN body SET STORAGE EXTERNAL;
