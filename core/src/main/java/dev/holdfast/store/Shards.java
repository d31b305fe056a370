package dev.holdfast.store;

import java.util.List;
import java.util.function.Function;

/**
 * Finds the engine for a stream or session: each lives in one shard, for good, and each shard has an engine of its own. No commit spans two.
 * Safe for any thread; the same shard may have another engine at the next call, when its lease changed hands.
 *
 * @param <E> the engine
 */
public interface Shards<E> {

    /** The engine of the shard in which a stream or session of this name lives. */
    E of(String tenant, String name);

    /** The engine of the shard that gave out this key. */
    E of(long key);

    /** One for each shard, in order. */
    List<E> all();

    /** A store that is not divided. */
    static <E> Shards<E> only(E engine) {
        List<E> all = List.of(engine);
        return new Shards<>() {
            @Override
            public E of(String tenant, String name) {
                return engine;
            }

            @Override
            public E of(long key) {
                return engine;
            }

            @Override
            public List<E> all() {
                return all;
            }
        };
    }

    /** The same shards, seen through a part of their engines. */
    default <F> Shards<F> map(Function<? super E, F> part) {
        Shards<E> whole = this;
        return new Shards<>() {
            @Override
            public F of(String tenant, String name) {
                return part.apply(whole.of(tenant, name));
            }

            @Override
            public F of(long key) {
                return part.apply(whole.of(key));
            }

            @Override
            public List<F> all() {
                return whole.all().stream().map(part).toList();
            }
        };
    }
}
