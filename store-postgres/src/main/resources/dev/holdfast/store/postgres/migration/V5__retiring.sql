-- A node that is about to leave takes no more leases; the others share out the shards among themselves.
ALTER TABLE "${flyway:defaultSchema}".holdfast_nodes ADD COLUMN retiring boolean NOT NULL DEFAULT false;
