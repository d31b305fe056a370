package dev.holdfast.http.session;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.http.Json;
import dev.holdfast.session.Property;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionLimits;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** What clients of a session are told first: computed by the host, or stored. A value that is no JSON is logged and left out. Thread-safe. */
final class Boot {

    private static final Logger LOG = LoggerFactory.getLogger(Boot.class);

    static final String PROPERTY = "live.boot";

    private final BootContext context;

    Boot(BootContext context) {
        this.context = context;
    }

    Optional<JsonNode> of(Session session) {
        Optional<String> stored = session.properties().get(PROPERTY).map(Property::text);
        Optional<String> text = computed(session);
        if (text.isEmpty() || isTooLarge(session, text.get())) {
            return stored.flatMap(value -> parsed(session, value));
        }
        Optional<JsonNode> value = parsed(session, text.get());
        if (value.isPresent() && !text.equals(stored)) {
            store(session, text.get());
        }
        return value;
    }

    private Optional<String> computed(Session session) {
        try {
            return context.of(session);
        } catch (RuntimeException e) { // the application's own failure; its session goes on
            LOG.warn("The boot context of session \"{}\" could not be computed", session.id(), e);
            return Optional.empty();
        }
    }

    private static boolean isTooLarge(Session session, String text) {
        boolean tooLarge = text.getBytes(StandardCharsets.UTF_8).length > SessionLimits.MAX_PROPERTY_BYTES;
        if (tooLarge) {
            LOG.warn(
                    "The boot context of session \"{}\" has more than {} bytes and is left out",
                    session.id(),
                    SessionLimits.MAX_PROPERTY_BYTES);
        }
        return tooLarge;
    }

    private static Optional<JsonNode> parsed(Session session, String text) {
        try {
            return Optional.of(Json.MAPPER.readTree(text)).filter(node -> !node.isMissingNode());
        } catch (JacksonException e) {
            LOG.warn("The boot context of session \"{}\" is no JSON and is left out", session.id());
            return Optional.empty();
        }
    }

    private static void store(Session session, String text) {
        try {
            session.properties().put(PROPERTY, text);
        } catch (HoldfastException e) {
            LOG.warn("The boot context of session \"{}\" could not be stored: {}", session.id(), e.getMessage());
        }
    }
}
