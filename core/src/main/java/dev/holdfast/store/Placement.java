package dev.holdfast.store;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * Says in which shard a stream or session lives. The answer never changes, or nothing would be found again.
 *
 * <p>It is a hash of the tenant and the name; of a name with a part in braces only that part counts, as in Redis Cluster: {@code {trip-7}/plan}
 * and {@code {trip-7}/log} share a shard, which a fork and its source, or a turn and those that it nests in other sessions, must. The stream of
 * a turn has its session's key in its name and lives with it. A key has the number of its shard above its lowest {@value #KEY_BITS} bits.
 */
public final class Placement {

    /** Bits of a key that count within its shard: a trillion, a thousand a second for 34 years. */
    public static final int KEY_BITS = 40;

    /** So that a key stays positive, with room to spare. */
    public static final int MAX_SHARDS = 1 << 16;

    /** Names of turns' streams: this, the session's key, and a slash. */
    public static final String TURN_PREFIX = "turn/";

    private final int shards;

    public Placement(int shards) {
        if (shards < 1 || shards > MAX_SHARDS) {
            throw new InvalidArgument("There are 1 to %d shards; got %d.".formatted(MAX_SHARDS, shards));
        }
        this.shards = shards;
    }

    /** The shard of a stream or session. */
    public int of(String tenant, String name) {
        if (shards == 1) {
            return 0;
        }
        long session = sessionOf(name);
        return session > 0 ? of(session) : hash(tenant, counted(name));
    }

    /** The shard that gave out a key; 0 for one that no shard of this store did. */
    public int of(long key) {
        long shard = key >>> KEY_BITS;
        return shard < shards ? (int) shard : 0;
    }

    /** The first key that a shard gives out is one more. */
    public static long firstKey(int shard) {
        return (long) shard << KEY_BITS;
    }

    private int hash(String tenant, String text) {
        CRC32C hash = new CRC32C();
        hash.update(tenant.getBytes(StandardCharsets.UTF_8));
        hash.update(0); // no tenant has it
        hash.update(text.getBytes(StandardCharsets.UTF_8));
        return (int) (hash.getValue() % shards);
    }

    private static String counted(String name) {
        int open = name.indexOf('{');
        int close = open < 0 ? -1 : name.indexOf('}', open);
        return close > open + 1 ? name.substring(open + 1, close) : name;
    }

    /** The key of the session whose turn writes the stream of this name, or 0. */
    private static long sessionOf(String name) {
        if (!name.startsWith(TURN_PREFIX)) {
            return 0;
        }
        long key = 0;
        int i = TURN_PREFIX.length();
        for (; i < name.length() && name.charAt(i) >= '0' && name.charAt(i) <= '9'; i++) {
            if (key > Long.MAX_VALUE / 10 - 1) {
                return 0;
            }
            key = 10 * key + name.charAt(i) - '0';
        }
        return i < name.length() && name.charAt(i) == '/' ? key : 0;
    }
}
