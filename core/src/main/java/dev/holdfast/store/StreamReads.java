package dev.holdfast.store;

import java.util.List;
import java.util.Optional;

/** Reading streams and their blocks. */
public interface StreamReads {

    /** The stream that has this name now; a discarded stream has none, one that is deleted but for its forks still has its own. */
    Optional<StreamRow> stream(String tenant, String name);

    /** The stream of this key in any state, a discarded one too. */
    Optional<StreamRow> stream(long key);

    /** Streams, newest first. */
    List<StreamRow> streams(StreamQuery query);

    /** Keys of discarded streams whose rows wait for deletion, in key order. */
    List<Long> discardedStreams(int limit);

    /** Keys of live and settled streams with {@code 0 < expiresAt <= now}, earliest first. */
    List<Long> expiredStreams(long now, int limit);

    /** The earliest {@code expiresAt > 0} of all live and settled streams, or 0 if none expires. */
    long nextStreamExpiry();

    /** Keys of live and settled streams with {@code 0 < trimAt <= now}, earliest first. */
    List<Long> trimmableStreams(long now, int limit);

    /** The earliest {@code trimAt > 0} of all live and settled streams, or 0. */
    long nextStreamTrim();

    /** Keys of the live and settled streams owned by a session. */
    List<Long> streamsOwnedBy(long sessionKey, int limit);

    /** The block that holds {@code seq}, if it is sealed and not deleted. */
    Optional<BlockRow> block(long streamKey, long seq);

    /** The blocks that end above {@code seq}, oldest first, without their chunks. */
    List<BlockInfo> blocks(long streamKey, long seq, int limit);

    /**
     * The log's entries that hold chunks of this stream at or above {@code fromSeq} which are not sealed, oldest first, each reduced to this
     * stream's appends. For nodes that read along while another one writes. The first entry may begin below {@code fromSeq}.
     *
     * @param maxBytes no entry follows once those before it hold so many bytes; a single larger one is returned alone
     * @throws UnsupportedOperationException if no other node ever reads this store
     */
    default List<LogEntry> log(long streamKey, long fromSeq, int maxBytes) {
        throw new UnsupportedOperationException(
                "This store is read by the process that writes it; no other node follows its log.");
    }
}
