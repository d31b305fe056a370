package dev.holdfast.store;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.OutcomeUnknown;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

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

    /**
     * Whether what an engine said until now still held when this was called. Not on a node that slept through its lease: others may have
     * written since, and what its engines remember is old.
     */
    default boolean isCurrent() {
        return true;
    }

    /**
     * Makes a call on the engine of a stream or session of this name. Engines that are closed refuse what they did not do with {@code Closed};
     * if that is because the shard changed hands meanwhile, the call is made on the engine that it has now. A refusal of one that may not be
     * current is not passed on (VISIBLE-IS-DURABLE); nor is that of one that was replaced meanwhile, as what is current then is not its word.
     *
     * @throws StoreBusy instead of that refusal
     */
    default <R> R on(String tenant, String name, Function<? super E, R> call) {
        return on(of(tenant, name), () -> of(tenant, name), call);
    }

    /** As {@link #on(String, String, Function)}, for the shard that gave out this key. */
    default <R> R on(long key, Function<? super E, R> call) {
        return on(of(key), () -> of(key), call);
    }

    /** As {@link #on(String, String, Function)}, for each shard; the answers in their order. */
    default <R> List<R> onEach(Function<? super E, R> call) {
        List<E> engines = all();
        List<R> answers = new ArrayList<>(engines.size());
        for (int i = 0; i < engines.size(); i++) {
            int shard = i;
            answers.add(on(engines.get(shard), () -> all().get(shard), call));
        }
        return answers;
    }

    @SuppressWarnings("ReferenceEquality") // whether it is that very engine is the question
    private <R> R on(E first, Supplier<E> present, Function<? super E, R> call) {
        E engine = first;
        while (true) {
            try {
                return call.apply(engine);
            } catch (Closed e) {
                E now = present.get();
                if (now == engine) {
                    throw e;
                }
                engine = now;
            } catch (HoldfastException e) {
                boolean current = isCurrent(); // asked before the engine: it is current again once that was replaced
                E now = present.get();
                if (e instanceof OutcomeUnknown || e instanceof StorePoisoned || (current && now == engine)) {
                    throw e;
                }
                if (!current) {
                    throw new StoreBusy(
                            "This node was not heard of for its lease's time, so another one may have its work. Nothing was done. Try again in a moment.",
                            e);
                }
                engine = now;
            }
        }
    }

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

            @Override
            public boolean isCurrent() {
                return whole.isCurrent();
            }
        };
    }
}
