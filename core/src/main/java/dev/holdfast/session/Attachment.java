package dev.holdfast.session;

import dev.holdfast.store.BlobRow;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A binary of a session that its messages may name.
 *
 * @param id made of its media type and its bytes: the same twice is the same attachment
 * @param mediaType such as {@code image/png}
 * @param filename as its uploader named it first, or null
 * @param bytes its size
 * @param createdAt when it was stored
 */
public record Attachment(
        String id, String mediaType, @Nullable String filename, long bytes, Instant createdAt) {

    static Attachment of(BlobRow row) {
        return new Attachment(
                row.id(), row.mediaType(), row.filename(), row.bytes(), Instant.ofEpochMilli(row.createdAt()));
    }
}
