package dev.holdfast.store;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reading the binaries that messages name. */
public interface BlobReads {

    Optional<BlobRow> blob(long sessionKey, String id);

    Optional<BlobRow> blob(long key);

    /** A piece of a binary, from 0; empty behind the last one, and once the binary is deleted. */
    Optional<byte[]> blobPiece(long key, int piece);

    /** Ids of the binaries that a message names. */
    Set<String> blobsOf(long sessionKey, long seq);

    /** Keys of binaries that no message names and whose deadline is not after {@code now}. */
    List<Long> expiredBlobs(long now, int limit);

    /** The earliest deadline of all, or 0 if there is none. */
    long nextBlobExpiry();
}
