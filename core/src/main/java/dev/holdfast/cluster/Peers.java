package dev.holdfast.cluster;

import java.util.Optional;
import java.util.Set;

/**
 * The nodes of the cluster as a wire sees them: what belongs to one node alone, such as an open connection, is reached from any other. A
 * process that is alone has no peers. Thread-safe.
 */
public interface Peers {

    /** This node's number, not 0 in a cluster; it is another one after the node had to join anew. */
    long self();

    /** Whether this process may have others beside it. */
    default boolean isCluster() {
        return self() != 0;
    }

    /** The other nodes that are alive, as this one was told last; empty for a process that is alone. One that has just joined may be missing. */
    Set<Long> others();

    /** The other nodes that are alive. Waits for the database; while that is away, as {@link #others}. */
    Set<Long> othersNow();

    /**
     * Whether a node is alive, this one or another, as this one was told last. Of one that joined since, which its number tells, the database is
     * asked.
     */
    boolean isAlive(long node);

    /** The node that writes the shard of a tenant's stream or session of this name, or 0 if none does at the moment. */
    long holder(String tenant, String name);

    /**
     * Tells of each change of who is alive and who holds what, some time after it, on a thread that may block. Several may be told as one. What
     * is so already is not told: listen first, then look.
     *
     * @return what ends it; harmless when run again
     */
    Runnable onChange(Runnable told);

    /**
     * Answers the questions of other nodes on a topic. The handler may block; what it throws of Holdfast's errors is raised for the one who
     * asked. At most one handler for each topic.
     *
     * @return what ends it: questions find no one then
     */
    Runnable answer(String topic, Handler handler);

    /**
     * Asks a node and waits for its answer. The question is put at most once.
     *
     * @return the answer, or empty if there is no such node, or it was gone before it took the question
     * @throws dev.holdfast.error.HoldfastException what the handler threw; {@code OutcomeUnknown} if the node was lost, or is late, with the
     *     question
     */
    Optional<byte[]> ask(long node, String topic, byte[] question);

    /** Answers questions. */
    interface Handler {
        byte[] answer(byte[] question);
    }

    /** Those of a process that is alone. */
    static Peers none() {
        return new Peers() {
            @Override
            public long self() {
                return 0;
            }

            @Override
            public Set<Long> others() {
                return Set.of();
            }

            @Override
            public Set<Long> othersNow() {
                return Set.of();
            }

            @Override
            public boolean isAlive(long node) {
                return node == 0;
            }

            @Override
            public long holder(String tenant, String name) {
                return 0;
            }

            @Override
            public Runnable onChange(Runnable told) {
                return () -> {};
            }

            @Override
            public Runnable answer(String topic, Handler handler) {
                return () -> {};
            }

            @Override
            public Optional<byte[]> ask(long node, String topic, byte[] question) {
                return Optional.empty();
            }
        };
    }
}
