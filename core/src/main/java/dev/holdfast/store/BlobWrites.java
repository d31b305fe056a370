package dev.holdfast.store;

import java.util.Set;

/** Writing the binaries that messages name. The names of a message are taken away with it. */
public interface BlobWrites {

    void insertBlob(BlobRow row);

    /** Replaces a binary's row; its pieces stay. */
    void updateBlob(BlobRow row);

    /**
     * Adds a piece of a binary.
     *
     * @param piece from 0, without a gap
     * @param bytes at most 1 MiB
     */
    void insertBlobPiece(long key, int piece, byte[] bytes);

    /** Deletes a binary, its row and all its pieces. */
    void deleteBlob(long key);

    /**
     * Sets which binaries of its session a message names, instead of those of before, and counts the references of each: what is named has no
     * deadline; what was, and is no more by any message, is {@linkplain BlobRow#EXPIRED expired}.
     *
     * @param ids of binaries that the session has
     */
    void nameBlobs(long sessionKey, long seq, Set<String> ids);
}
