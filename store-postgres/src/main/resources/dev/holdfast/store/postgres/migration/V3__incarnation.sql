-- One row that tells a server from itself before a crash, and from the standby that took its place: a table that is not logged
-- is empty after either. Numbers of transactions mean the same only as long as its mark stays.
CREATE UNLOGGED TABLE "${flyway:defaultSchema}".holdfast_incarnation (
  id smallint PRIMARY KEY CHECK (id = 1),
  mark bigint NOT NULL
);
