package dev.holdfast.access;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Keys that stand for principals. Only digests are kept, so that neither a heap dump nor a log line shows a key, and every comparison looks at
 * all digests in constant time, so that the time an answer takes tells nothing about a key. Immutable.
 */
public final class ApiKeys {

    public static final int MIN_KEY_CHARS = 8;
    public static final int MAX_KEY_CHARS = 512;
    public static final int MAX_KEYS = 1000;

    private record Entry(byte[] digest, Principal principal) {}

    private final List<Entry> entries;

    private ApiKeys(List<Entry> entries) {
        this.entries = entries;
    }

    /** No keys: nobody is recognised by one. */
    public static ApiKeys none() {
        return new ApiKeys(List.of());
    }

    /**
     * Keys that all stand for the same tenant; the principals are named {@code key-1}, {@code key-2} and so on.
     *
     * @throws InvalidArgument if a key is too short, too long, or has anything but visible ASCII
     */
    public static ApiKeys of(String tenant, Collection<String> keys) {
        if (keys.size() > MAX_KEYS) {
            throw new LimitExceeded("MAX_KEYS", MAX_KEYS, keys.size(), "give fewer API keys");
        }
        List<Entry> entries = new ArrayList<>(keys.size());
        for (String key : keys) {
            int number = entries.size() + 1;
            check(number, key);
            entries.add(new Entry(digest(key), new Principal(tenant, "key-" + number)));
        }
        return new ApiKeys(List.copyOf(entries));
    }

    private static void check(int number, String key) {
        if (key.length() < MIN_KEY_CHARS || key.length() > MAX_KEY_CHARS) {
            throw new InvalidArgument("API key %d has %d characters; a key has %d to %d."
                    .formatted(number, key.length(), MIN_KEY_CHARS, MAX_KEY_CHARS));
        }
        if (!key.chars().allMatch(c -> c > 0x20 && c < 0x7f)) {
            throw new InvalidArgument("API key %d has a space or a character that is no visible ASCII. Choose another."
                    .formatted(number));
        }
    }

    public boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Whom the key stands for, or empty if it is none. */
    public Optional<Principal> identify(String key) {
        if (key.length() > MAX_KEY_CHARS) {
            return Optional.empty();
        }
        byte[] given = digest(key);
        Principal found = null;
        for (Entry entry : entries) {
            if (MessageDigest.isEqual(entry.digest(), given)) {
                found = entry.principal(); // and go on: the time must not tell which one it was
            }
        }
        return Optional.ofNullable(found);
    }

    private static byte[] digest(String key) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return "ApiKeys[" + entries.size() + "]";
    }
}
