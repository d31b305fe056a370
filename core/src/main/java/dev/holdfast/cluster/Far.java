package dev.holdfast.cluster;

/**
 * The way to the node that holds the lease of a shard which this node only follows. Safe for any thread.
 */
public interface Far {

    /**
     * Has a call made by the holder and waits for its answer. It is made at most once.
     *
     * @throws dev.holdfast.error.HoldfastException as the call itself; {@code StoreBusy} if nobody made the call, so that it can be repeated;
     *     {@code OutcomeUnknown} if the holder was lost with the call
     */
    <E, R> R ask(Request<E, R> request);
}
