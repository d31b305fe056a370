package dev.holdfast.http.session;

import dev.holdfast.session.Session;
import java.util.Optional;

/**
 * What the host wants each client of a session to know before anything else: one JSON value, the same for all who may read the session, sent with every
 * attach. Must be thread-safe and quick: it runs on the connection's thread.
 */
@FunctionalInterface
public interface BootContext {

    /**
     * The value as JSON text of at most {@link dev.holdfast.session.SessionLimits#MAX_PROPERTY_BYTES} bytes, which is stored as the session's property
     * {@value Boot#PROPERTY} where it differs from what is there; or empty for what is stored.
     */
    Optional<String> of(Session session);

    /** What is stored with the session. */
    static BootContext stored() {
        return session -> Optional.empty();
    }
}
