package dev.holdfast.store;

import org.jspecify.annotations.Nullable;

/**
 * A binary that messages of a session name, as its table keeps it; its bytes lie in pieces.
 *
 * @param key integer key, never reused in the life of a store
 * @param sessionKey the session it belongs to
 * @param id unique within the session; made of what it holds
 * @param mediaType such as {@code image/png}
 * @param filename as its uploader named it, or null
 * @param bytes its size, over all pieces
 * @param references how many messages name it
 * @param expiresAt wall clock, ms: it is deleted then, unless a message names it; 0 while one does
 * @param createdAt wall clock, ms
 */
public record BlobRow(
        long key,
        long sessionKey,
        String id,
        String mediaType,
        @Nullable String filename,
        long bytes,
        long references,
        long expiresAt,
        long createdAt) {

    /** The deadline of what no message names any more: it has passed. */
    public static final long EXPIRED = 1;

    /** The same with another deadline. */
    public BlobRow expiring(long at) {
        return new BlobRow(key, sessionKey, id, mediaType, filename, bytes, references, at, createdAt);
    }

    /** The same, now that all of it is there. */
    public BlobRow complete(String newId, long size) {
        return new BlobRow(key, sessionKey, newId, mediaType, filename, size, references, expiresAt, createdAt);
    }
}
