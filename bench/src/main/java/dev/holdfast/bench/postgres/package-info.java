/** Nodes on PostgreSQL: throughput beside a naive writer, what it costs the server, and what one node sees of another. */
@NullMarked
package dev.holdfast.bench.postgres;

import org.jspecify.annotations.NullMarked;
