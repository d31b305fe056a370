package dev.holdfast.stream;

import dev.holdfast.cluster.Far;
import java.util.function.BiPredicate;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What the engine of a shard knows of other shards and nodes.
 *
 * @param home whether the shard is that of a tenant's stream or session of this name
 * @param listeners told of changes; all shards of an instance share them
 * @param changed told, on the committer's thread, of the key of each stream and session that a commit changed; must not block or throw
 * @param followed whether other nodes read the shard: what they may still be reading is deleted only after a while
 * @param far the way to the node that may write the shard, or null if this one may
 */
public record Neighbours(
        BiPredicate<String, String> home,
        Listeners listeners,
        LongConsumer changed,
        boolean followed,
        @Nullable Far far) {

    /** Decoded blocks that one shard keeps for readers that fell behind, in bytes: fewer where there are many. */
    long blockCacheBytes() {
        return followed ? StreamLimits.BLOCK_CACHE_BYTES / 8 : StreamLimits.BLOCK_CACHE_BYTES;
    }

    /** A store that is not divided, and that one process has open. */
    public static Neighbours none() {
        return new Neighbours((tenant, name) -> true, new Listeners(), key -> {}, false, null);
    }
}
