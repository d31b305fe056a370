package dev.holdfast.mcp.events;

import dev.holdfast.error.HoldfastException.PreconditionFailed;
import dev.holdfast.session.Properties;
import dev.holdfast.session.Property;
import dev.holdfast.session.PropertyWrite;
import java.security.SecureRandom;
import java.util.Optional;

/** A random key that is made once and kept in the store, so that what one process signed the next one knows. */
public final class StoredKey {

    private static final int BYTES = 32;

    private StoredKey() {}

    /**
     * The key of this name; made if there is none. However many ask at once get the same.
     *
     * @param properties whose key
     * @param name the property that it is
     */
    public static byte[] of(Properties properties, String name) {
        Optional<Property> known = properties.get(name);
        if (known.isPresent()) {
            return known.get().value();
        }
        byte[] fresh = new byte[BYTES];
        new SecureRandom().nextBytes(fresh);
        try {
            long unused = properties.put(PropertyWrite.of(name, fresh).ifAbsent());
            return fresh;
        } catch (PreconditionFailed e) { // another one came first
            return properties.get(name).orElseThrow().value();
        }
    }
}
