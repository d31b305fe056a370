/** The store on PostgreSQL, of which each node writes the shards whose leases it holds. */
@NullMarked
package dev.holdfast.store.postgres;

import org.jspecify.annotations.NullMarked;
