package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import java.util.List;
import org.junit.jupiter.api.Test;

/** VISIBLE-IS-DURABLE: what an engine refuses is passed on only if it still stood when it was said. */
final class ShardsTest {

    /** One shard, whose engine a test replaces. */
    private static final class One implements Shards<String> {
        private String engine = "old";
        private boolean current = true;

        @Override
        public String of(String tenant, String name) {
            return engine;
        }

        @Override
        public String of(long key) {
            return engine;
        }

        @Override
        public List<String> all() {
            return List.of(engine);
        }

        @Override
        public boolean isCurrent() {
            return current;
        }
    }

    private final One shards = new One();

    @Test
    void a_refusal_of_the_engine_that_the_shard_has_is_passed_on() {
        assertThatThrownBy(() -> shards.on("t", "s", engine -> {
                    throw new StreamNotFound("s");
                }))
                .isInstanceOf(StreamNotFound.class);
    }

    @Test
    void a_refusal_of_an_engine_that_may_be_old_is_not_passed_on() {
        shards.current = false;
        assertThatThrownBy(() -> shards.on("t", "s", engine -> {
                    throw new StreamNotFound("s");
                }))
                .isInstanceOf(StoreBusy.class);
    }

    @Test
    void an_engine_that_was_replaced_meanwhile_has_no_say_although_the_node_is_current_again() {
        String answer = shards.on("t", "s", engine -> {
            if (engine.equals("old")) {
                shards.engine = "new"; // the node woke, learned that it had lost the shard, and closed it
                throw new StreamNotFound("s");
            }
            return "from " + engine;
        });
        assertThat(answer).isEqualTo("from new");
    }
}
