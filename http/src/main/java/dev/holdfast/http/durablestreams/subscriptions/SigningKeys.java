package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.PreconditionFailed;
import dev.holdfast.http.Json;
import dev.holdfast.http.durablestreams.subscriptions.SubscriptionProblem.Code;
import dev.holdfast.session.Properties;
import dev.holdfast.session.Property;
import dev.holdfast.session.PropertyWrite;
import dev.holdfast.store.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The keys that webhooks are signed with, over time. A new key is published {@link SubscriptionLimits#KEY_PUBLISHED_BEFORE} before it signs, longer
 * than caches keep the key set, and the one it replaces stays published {@link SubscriptionLimits#KEY_PUBLISHED_AFTER} after it signed last: whoever checks
 * with the published keys never misses one. A revocation waits for neither.
 *
 * <p>Keys are replaced on request, and by age when somebody signs or asks for them; there is no timer. They are one property of the tenant, written on condition
 * of its version and read again at each use, so that instances on one store agree at once. Thread-safe.
 */
final class SigningKeys {

    private static final String PROPERTY = "ds/secret/signing-keys";

    private static final Logger LOG = LoggerFactory.getLogger(SigningKeys.class);

    /**
     * One of them.
     *
     * @param signsFrom ms since 1970; until then the one before it signs
     */
    record Held(SigningKey key, long madeAt, long signsFrom) {}

    /**
     * All that are kept, the oldest first.
     *
     * @param version of the property
     */
    private record Ring(List<Held> keys, long version) {}

    private final Properties properties;
    private final Time time;
    private final Duration maxAge;
    private final ReentrantLock replacing = new ReentrantLock();
    private volatile Ring ring;

    /** Wall clock, ms: when an attempt that failed may be made again. */
    private volatile long notReplacedBefore;

    /**
     * Takes those that are kept, or makes the first.
     *
     * @param maxAge when a key is replaced; zero for never
     */
    SigningKeys(Properties properties, Time time, Duration maxAge) {
        this.properties = properties;
        this.time = time;
        this.maxAge = maxAge;
        this.ring = kept().orElseGet(this::first);
    }

    private Optional<Ring> kept() {
        return properties.get(PROPERTY).map(SigningKeys::decoded);
    }

    /** As it is in the store: another instance may have replaced or revoked a key. */
    private Ring latest() {
        kept().ifPresent(found -> ring = found);
        return ring;
    }

    private Ring first() {
        List<Held> one = List.of(new Held(SigningKey.generate(), time.wallMillis(), 0));
        try {
            return new Ring(
                    one, properties.put(PropertyWrite.of(PROPERTY, encoded(one)).ifAbsent()));
        } catch (PreconditionFailed e) { // another instance was quicker
            return kept().orElseThrow(() -> new IllegalStateException("The property " + PROPERTY + " vanished"));
        }
    }

    /** The key that signs now. */
    SigningKey current() {
        replaceAged(latest());
        List<Held> keys = ring.keys();
        return keys.get(signing(keys, time.wallMillis())).key();
    }

    /** The JWK Set of all that may have signed what a receiver has, and of what will sign soon. */
    ObjectNode jwks() {
        replaceAged(latest());
        ObjectNode set = Json.MAPPER.createObjectNode();
        ArrayNode keys = set.putArray("keys");
        published(ring.keys(), time.wallMillis())
                .forEach(held -> keys.add(held.key().jwk()));
        return set;
    }

    /**
     * Replaces the key that signs. If one waits already for its time to sign, that is the replacement.
     *
     * @throws SubscriptionProblem if so many were replaced lately that one more would be too many to publish
     */
    Held replace() {
        return alone(() -> {
            Held newest = ring.keys().getLast();
            long now = time.wallMillis();
            if (newest.signsFrom() > now) {
                return newest;
            }
            List<Held> kept = published(ring.keys(), now);
            if (kept.size() >= SubscriptionLimits.MAX_SIGNING_KEYS) {
                throw new SubscriptionProblem(
                        Code.LIMIT_EXCEEDED,
                        "%d keys are published already. Wait until the oldest is not needed any more, or revoke them."
                                .formatted(kept.size()));
            }
            return add(kept, now, now + SubscriptionLimits.KEY_PUBLISHED_BEFORE.toMillis());
        });
    }

    /** Replaces all keys at once: from now on a new one signs, and no other is published. */
    Held revoke() {
        return alone(() -> add(List.of(), time.wallMillis(), 0));
    }

    private void replaceAged(Ring known) {
        long now = time.wallMillis();
        boolean aged = !maxAge.isZero() && known.keys().getLast().madeAt() + maxAge.toMillis() <= now;
        if (!aged || now < notReplacedBefore) {
            return;
        }
        try {
            Held next = replace();
            LOG.info("Webhooks will be signed by key {}, which is published from now on", next.key());
        } catch (HoldfastException | SubscriptionProblem e) {
            notReplacedBefore = now + SubscriptionLimits.KEY_REPLACED_AGAIN.toMillis();
            LOG.warn("The aged key of webhooks could not be replaced; it goes on until it can be", e);
        }
    }

    /** Runs a change alone, once more if another instance was quicker. */
    private Held alone(Supplier<Held> change) {
        replacing.lock();
        try {
            return change.get();
        } catch (PreconditionFailed e) {
            ring = kept().orElseThrow(() -> e);
            return change.get();
        } finally {
            replacing.unlock();
        }
    }

    private Held add(List<Held> kept, long now, long signsFrom) {
        Held added = new Held(SigningKey.generate(), now, signsFrom);
        List<Held> keys = new ArrayList<>(kept);
        keys.add(added);
        long version = properties.put(PropertyWrite.of(PROPERTY, encoded(keys)).ifVersion(ring.version()));
        ring = new Ring(List.copyOf(keys), version);
        return added;
    }

    /** The last one whose time has come. */
    private static int signing(List<Held> keys, long now) {
        int signing = 0;
        for (int i = 1; i < keys.size(); i++) {
            if (keys.get(i).signsFrom() <= now) {
                signing = i;
            }
        }
        return signing;
    }

    private static List<Held> published(List<Held> keys, long now) {
        List<Held> published = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            boolean last = i == keys.size() - 1;
            if (last || keys.get(i + 1).signsFrom() + SubscriptionLimits.KEY_PUBLISHED_AFTER.toMillis() > now) {
                published.add(keys.get(i));
            }
        }
        return published;
    }

    private static byte[] encoded(List<Held> keys) {
        ArrayNode array = Json.MAPPER.createArrayNode();
        for (Held held : keys) {
            array.addObject()
                    .put("key", held.key().encoded())
                    .put("madeAt", held.madeAt())
                    .put("signsFrom", held.signsFrom());
        }
        return Json.MAPPER.writeValueAsBytes(array);
    }

    private static Ring decoded(Property property) {
        List<Held> keys = new ArrayList<>();
        for (JsonNode node : Json.MAPPER.readTree(property.value())) {
            keys.add(new Held(
                    SigningKey.decoded(node.path("key").binaryValue()),
                    node.path("madeAt").longValue(),
                    node.path("signsFrom").longValue()));
        }
        if (keys.isEmpty()) {
            throw new IllegalStateException("The property " + PROPERTY + " has no key");
        }
        return new Ring(List.copyOf(keys), property.version());
    }
}
