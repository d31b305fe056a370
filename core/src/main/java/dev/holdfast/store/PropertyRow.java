package dev.holdfast.store;

/**
 * A small named value of a tenant, session or stream.
 *
 * @param owner whose it is, as {@link Owner#encoded()} spells it
 * @param name unique for its owner
 * @param version grows with each change, from 1; never reused while the property exists
 * @param value opaque
 * @param expiresAt wall clock deadline, ms, or 0
 */
public record PropertyRow(String owner, String name, long version, byte[] value, long expiresAt) {

    /** Whose a property is. */
    public sealed interface Owner {
        record Tenant(String tenant) implements Owner {}

        record Session(long key) implements Owner {}

        record Stream(long key) implements Owner {}

        /** A spelling that no two owners share. */
        default String encoded() {
            return switch (this) {
                case Tenant t -> "t:" + t.tenant();
                case Session s -> "s:" + s.key();
                case Stream s -> "x:" + s.key();
            };
        }
    }
}
