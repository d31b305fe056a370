package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.error.HoldfastException.PreconditionFailed;
import dev.holdfast.http.Json;
import dev.holdfast.session.Properties;
import dev.holdfast.session.Property;
import dev.holdfast.session.PropertyChange;
import dev.holdfast.session.PropertyDeletion;
import dev.holdfast.session.PropertyPage;
import dev.holdfast.session.PropertyWrite;
import dev.holdfast.session.SessionLimits;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Subscriptions on disk, as properties of the tenant:
 *
 * <pre>
 * ds/subscription/ID   what it was created as, and where clients reach the server
 * ds/state/ID          the {@link WakeState}; each write is conditional on its version, which fences
 * ds/link/KEY/HASH     one link; HASH is of the stream's name, which can be longer than there is room for
 * </pre>
 *
 * <p>A subscription exists from the commit that writes its first two properties; its first links are written before. Links of a key that no
 * subscription has are what a crash left of one, and are deleted at the next start. Thread-safe.
 */
final class SubscriptionTable {

    private static final String DEFINITIONS = "ds/subscription/";
    private static final String STATES = "ds/state/";
    private static final String LINKS = "ds/link/";

    /** 144 bits, so that no two streams of a subscription share it. */
    private static final int HASH_BYTES = 18;

    /**
     * A subscription as it was found.
     *
     * @param stateVersion of the state's property
     */
    record Found(Definition definition, String base, WakeState state, long stateVersion) {}

    private final Properties properties;

    SubscriptionTable(Properties properties) {
        this.properties = properties;
    }

    /** Whether there is one. */
    boolean any() {
        return !properties.list(DEFINITIONS, 1).properties().isEmpty();
    }

    /** All of them. */
    List<Found> all() {
        List<Found> found = new ArrayList<>();
        each(DEFINITIONS, property -> {
            JsonNode node = node(property);
            Definition definition = SubscriptionCodec.definition(node);
            properties
                    .get(STATES + definition.id())
                    .ifPresent(state -> found.add(new Found(
                            definition,
                            SubscriptionCodec.base(node),
                            SubscriptionCodec.state(node(state)),
                            state.version())));
        });
        return found;
    }

    /** The state and its version, or empty if the subscription was deleted. */
    Optional<Map.Entry<WakeState, Long>> state(String id) {
        return properties.get(STATES + id).map(p -> Map.entry(SubscriptionCodec.state(node(p)), p.version()));
    }

    /** The links of all subscriptions, by their keys. */
    Map<String, List<Link.Saved>> links() {
        Map<String, List<Link.Saved>> found = new HashMap<>();
        each(
                LINKS,
                property -> found.computeIfAbsent(keyOf(property.name()), key -> new ArrayList<>())
                        .add(SubscriptionCodec.link(node(property))));
        return found;
    }

    /** The links of one. */
    List<Link.Saved> links(String key) {
        List<Link.Saved> found = new ArrayList<>();
        each(LINKS + key + "/", property -> found.add(SubscriptionCodec.link(node(property))));
        return found;
    }

    /**
     * Makes a subscription be there. Its links were saved before, except for those given.
     *
     * @return the version of its state
     * @throws PreconditionFailed if the id is taken
     */
    long create(Definition definition, String base, WakeState state) {
        return properties
                .change(List.of(
                        PropertyWrite.of(DEFINITIONS + definition.id(), SubscriptionCodec.bytes(definition, base))
                                .ifAbsent(),
                        PropertyWrite.of(STATES + definition.id(), SubscriptionCodec.bytes(state))))
                .getLast();
    }

    /** The server is reached elsewhere now. */
    void rebase(Definition definition, String base) {
        properties.put(DEFINITIONS + definition.id(), SubscriptionCodec.bytes(definition, base));
    }

    /**
     * Writes a state and links in one commit.
     *
     * @param version the state's version that is replaced
     * @param links by stream, null where there is none any more; at most {@link #MAX_LINKS_PER_WRITE}
     * @return the state's version now
     * @throws PreconditionFailed if the state has another version; nothing was written
     */
    long save(Definition definition, WakeState state, long version, Map<String, Link.@Nullable Saved> links) {
        List<PropertyChange> changes = new ArrayList<>();
        changes.add(PropertyWrite.of(STATES + definition.id(), SubscriptionCodec.bytes(state))
                .ifVersion(version));
        addLinks(changes, definition.key(), links);
        return properties.change(changes).getFirst();
    }

    /** Links that fit into one write beside a state. */
    static final int MAX_LINKS_PER_WRITE = SessionLimits.MAX_PROPERTY_CHANGES - 1;

    /** Writes links alone, at most {@link #MAX_LINKS_PER_WRITE}. */
    void saveLinks(String key, Map<String, Link.@Nullable Saved> links) {
        List<PropertyChange> changes = new ArrayList<>();
        addLinks(changes, key, links);
        properties.change(changes);
    }

    private static void addLinks(List<PropertyChange> changes, String key, Map<String, Link.@Nullable Saved> links) {
        links.forEach((stream, link) -> {
            String name = LINKS + key + "/" + hash(stream);
            changes.add(
                    link == null ? PropertyDeletion.of(name) : PropertyWrite.of(name, SubscriptionCodec.bytes(link)));
        });
    }

    /** Deletes a subscription. Once this returns it is gone for good; its links follow by {@link #deleteLinks}. */
    void delete(String id) {
        properties.change(List.of(PropertyDeletion.of(DEFINITIONS + id), PropertyDeletion.of(STATES + id)));
    }

    /** Deletes all links of a key, in bounded steps. */
    void deleteLinks(String key) {
        while (true) {
            PropertyPage page = properties.list(LINKS + key + "/", SessionLimits.MAX_PROPERTY_CHANGES);
            if (page.properties().isEmpty()) {
                return;
            }
            properties.change(page.properties().stream()
                    .map(property -> PropertyDeletion.of(property.name()))
                    .toList());
        }
    }

    private void each(String prefix, Consumer<Property> action) {
        PropertyPage page = properties.list(prefix, SessionLimits.MAX_PAGE);
        while (true) {
            page.properties().forEach(action);
            Optional<String> next = page.nextPage();
            if (next.isEmpty()) {
                return;
            }
            page = properties.list(prefix, next.get(), SessionLimits.MAX_PAGE);
        }
    }

    private static JsonNode node(Property property) {
        return Json.MAPPER.readTree(property.value());
    }

    private static String keyOf(String name) {
        return name.substring(LINKS.length(), name.indexOf('/', LINKS.length()));
    }

    private static String hash(String stream) {
        byte[] digest = sha256().digest(stream.getBytes(StandardCharsets.UTF_8));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(digest, HASH_BYTES));
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java runtime has SHA-256", e);
        }
    }
}
