package dev.holdfast.cluster;

import java.util.Optional;

/**
 * The nodes of the cluster as a wire sees them: what belongs to one node alone, such as an open connection, is reached from any other. A
 * process that is alone has no peers. Thread-safe.
 */
public interface Peers {

    /** This node's number, not 0 in a cluster; it is another one after the node had to join anew. */
    long self();

    /**
     * Answers the questions of other nodes on a topic. The handler may block; what it throws of Holdfast's errors is raised for the one who
     * asked. At most one handler for each topic.
     */
    void answer(String topic, Handler handler);

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
            public void answer(String topic, Handler handler) {}

            @Override
            public Optional<byte[]> ask(long node, String topic, byte[] question) {
                return Optional.empty();
            }
        };
    }
}
