package dev.holdfast.store;

import java.util.List;
import java.util.Optional;

/** Reading properties. An expired one that was not deleted yet is still returned; the caller checks the deadline. */
public interface PropertyReads {

    Optional<PropertyRow> property(String owner, String name);

    /** Properties whose name starts with {@code prefix} and sorts after {@code afterName} (start with the empty string), by name. */
    List<PropertyRow> properties(String owner, String prefix, String afterName, int limit);

    /** Properties with {@code 0 < expiresAt <= now}, earliest first. */
    List<PropertyRow> expiredProperties(long now, int limit);

    /** The earliest deadline of all properties, or 0 if none expires. */
    long nextPropertyExpiry();
}
