package dev.holdfast.session;

import dev.holdfast.store.PropertyRow;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A small named value.
 *
 * @param name unique for its owner
 * @param version grows with each change while the property exists, from 1
 * @param value the bytes; do not change them
 * @param expiry when it expires, or null
 */
@SuppressWarnings("ArrayRecordComponent") // opaque bytes, handed through
public record Property(
        String name, long version, byte[] value, @Nullable Instant expiry) {

    /** The value as UTF-8 text. */
    public String text() {
        return new String(value, StandardCharsets.UTF_8);
    }

    public Optional<Instant> expiresAt() {
        return Optional.ofNullable(expiry);
    }

    static Property of(PropertyRow row) {
        return new Property(
                row.name(),
                row.version(),
                row.value(),
                row.expiresAt() == 0 ? null : Instant.ofEpochMilli(row.expiresAt()));
    }
}
