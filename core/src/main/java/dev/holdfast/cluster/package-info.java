/** Several processes on one database: who may write which shard, and how a call reaches the process that may. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.cluster;
