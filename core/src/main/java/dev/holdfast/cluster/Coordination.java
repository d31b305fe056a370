package dev.holdfast.cluster;

import dev.holdfast.store.Store;
import java.util.List;
import java.util.OptionalLong;

/**
 * The port to what the nodes of a cluster share: the shards with their data, who may write each of them, and the nodes' inboxes.
 *
 * <p>Every stream and session lives in one of a fixed number of <i>shards</i>. A shard is written by the one node that holds its <i>lease</i>,
 * with an epoch that grows each time the lease changes hands (ONE-WRITER); any node may read it. A node is alive as long as it beats; all
 * deadlines are of the database's clock, so that the nodes' clocks do not matter.
 *
 * <p><b>Threads.</b> All methods may be called by any thread; they wait for the database. <b>Errors.</b> {@code StoreBusy} when the database
 * cannot be reached or refuses for the moment: nothing was changed, unless said otherwise.
 */
public interface Coordination extends AutoCloseable {

    /** How many shards there are; the same for the life of the database. */
    int shards();

    /** A name for logs and error messages; no secrets. */
    String description();

    /**
     * Makes this process a node. It counts as alive until it misses its beats for the lease's time.
     *
     * @param name for people, such as host and port
     * @return the node's id, never used before
     */
    long join(String name);

    /**
     * Renews the life of a node and tells how the cluster stands. Nodes that are dead are removed with their inboxes, some time after.
     *
     * @throws dev.holdfast.error.HoldfastException.StaleEpoch if the node was given up: it must join anew, and its leases are gone
     */
    Standing beat(long node);

    /** Tells how the cluster stands, and changes nothing: nobody's life is renewed, and nobody is removed. */
    Standing standing();

    /**
     * The node is about to leave: it takes no more leases, and the others do not count on it. It lives on and keeps what it has. Nothing happens
     * if it is gone.
     */
    void retire(long node);

    /**
     * Ends a node: it counts as dead and its leases are free at once. Its inbox stays a while, so that senders can take back what it did not
     * take. Harmless when it is gone already.
     */
    void leave(long node);

    /**
     * Takes the lease of a shard that no other node that is alive holds. A node that has it already, or had and does not know, gets it anew.
     *
     * @return the new epoch, or empty if a node that is alive holds it
     */
    OptionalLong acquire(int shard, long node);

    /** Gives a lease back; nothing happens if it is not held in this epoch any more. */
    void release(int shard, long node, long epoch);

    /** The shard's store for the holder of its lease: each transaction checks the epoch. Closing it does not release the lease. */
    Store store(int shard, long epoch);

    /** The shard's store for any other node: it reads and never writes. */
    Store follower(int shard);

    /**
     * Puts messages into inboxes, all or none. They are not kept over a crash of the database: whoever waits for an answer must have a
     * deadline.
     */
    void send(List<Letter> letters);

    /** Takes the oldest letters out of a node's inbox, at most so many. A letter is taken once. */
    List<Letter> take(long node, int limit);

    /**
     * Takes a letter back that nobody has taken yet.
     *
     * @return whether it was still there: then nobody has seen it, or ever will
     */
    boolean retract(Letter letter);

    /**
     * Listens for hints until the result is closed. Hints may be lost, doubled and late; everything works without them, at the pace of
     * polling. One call to the listener at a time, on a thread of the store's; it must be short.
     */
    AutoCloseable listen(Listener listener);

    /**
     * Tells the other nodes what a commit changed, soon, and together with what other commits of this node changed meanwhile. Returns at once
     * and never fails: a hint may be lost.
     *
     * @param keys keys of streams and sessions that were changed; none stands for any
     */
    void hint(int shard, long[] keys);

    /** Tells the other nodes, as {@link #hint} does, that leases changed hands or that nodes came or left. */
    void hintLeases();

    @Override
    void close();

    /**
     * How the cluster stands.
     *
     * @param databaseMillis the database's clock, ms since 1970, at the time of the answer
     * @param nodes the nodes that are alive, by id
     * @param holders for each shard, in order, who holds it
     */
    record Standing(long databaseMillis, List<Node> nodes, List<Holder> holders) {

        /** Whether a node is alive. */
        public boolean isAlive(long node) {
            return nodes.stream().anyMatch(each -> each.id() == node);
        }
    }

    /**
     * A node that is alive.
     *
     * @param retiring whether it is about to leave and takes no more leases
     */
    record Node(long id, String name, boolean retiring) {

        /** One that goes on. */
        public Node(long id, String name) {
            this(id, name, false);
        }
    }

    /**
     * Who holds a shard.
     *
     * @param node the node, or 0 if nobody does; it may be dead
     * @param epoch the epoch of that lease, from 1; of the last one if nobody holds it
     */
    record Holder(long node, long epoch) {}

    /**
     * A message from one node to another.
     *
     * @param to whose inbox
     * @param id unique among the letters of its sender
     * @param from the sender
     * @param body at most {@link #MAX_BODY_BYTES}
     */
    @SuppressWarnings("ArrayRecordComponent") // opaque bytes, handed through
    record Letter(long to, long id, long from, byte[] body) {

        /** A request carries at most one append, which is smaller; or one message, which may be larger: that goes by its own node only. */
        public static final int MAX_BODY_BYTES = 64 << 20;
    }

    /** Is told that something may have happened. */
    interface Listener {

        /** There may be letters for this node. */
        void letters(long node);

        /** These streams and sessions of a shard may have changed; an empty list stands for any. */
        void changed(int shard, long[] keys);

        /** Leases may have changed hands; nodes may have come or left. */
        void leases();

        /** Hints may have been lost: look at everything. */
        void lost();
    }
}
