/** What one process runs: the engines of the shards, and, as a node of a cluster, the leases and the way to the other nodes. */
@NullMarked
package dev.holdfast.node;

import org.jspecify.annotations.NullMarked;
