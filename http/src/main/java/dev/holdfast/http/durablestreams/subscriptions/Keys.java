package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.error.HoldfastException.PreconditionFailed;
import dev.holdfast.session.Properties;
import dev.holdfast.session.PropertyWrite;
import dev.holdfast.store.Time;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * The server's own secrets, kept as properties of the tenant.
 *
 * @param signing signs webhooks
 * @param tokens makes the tokens of wakes
 */
record Keys(SigningKeys signing, WakeTokens tokens) {

    private static final String TOKENS = "ds/secret/token-key";

    /**
     * Those that are kept, or new ones.
     *
     * @param maxAge when a key that signs is replaced; zero for never
     */
    static Keys of(Properties properties, Time time, Duration maxAge) {
        byte[] tokens = kept(properties, TOKENS, () -> random(time));
        return new Keys(new SigningKeys(properties, time, maxAge), new WakeTokens(tokens, time));
    }

    private static byte[] kept(Properties properties, String name, Supplier<byte[]> made) {
        return properties
                .get(name)
                .map(property -> property.value())
                .orElseGet(() -> keep(properties, name, made.get()));
    }

    private static byte[] keep(Properties properties, String name, byte[] made) {
        try {
            properties.put(PropertyWrite.of(name, made).ifAbsent());
            return made;
        } catch (PreconditionFailed e) { // another instance was quicker
            return properties
                    .get(name)
                    .orElseThrow(() -> new IllegalStateException("The property " + name + " vanished"))
                    .value();
        }
    }

    private static byte[] random(Time time) {
        ByteBuffer bytes = ByteBuffer.allocate(WakeTokens.SECRET_BYTES);
        while (bytes.hasRemaining()) {
            bytes.putLong(time.randomLong());
        }
        return bytes.array();
    }
}
