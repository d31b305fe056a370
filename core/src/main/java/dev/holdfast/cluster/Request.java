package dev.holdfast.cluster;

/**
 * A call of the API as data, so that the node that holds the shard's lease can make it for another node. Implemented by records; these and
 * the answer are what {@link RecordCodec} can write.
 *
 * @param <E> the engine that it is made on
 * @param <R> the answer
 */
public interface Request<E, R> {

    /** Makes the call, on the node that holds the lease. */
    R on(E engine);
}
