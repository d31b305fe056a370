package dev.holdfast.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.cluster.Coordination.Listener;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

final class HintsTest {

    private static final long SHARD_ONE = 1L << 40;

    private final Cluster cluster = new Cluster();
    private final PostgresCoordination here = cluster.process(CoordinationSettings.DEFAULTS);
    private final PostgresCoordination there = cluster.process(CoordinationSettings.DEFAULTS);
    private final Heard heard = new Heard();

    @AfterEach
    void close() {
        cluster.close();
    }

    /** Remembers what it was told. */
    private static final class Heard implements Listener {
        final Set<Long> letters = ConcurrentHashMap.newKeySet();
        final Set<Long> keys = ConcurrentHashMap.newKeySet();
        final Set<Integer> any = ConcurrentHashMap.newKeySet();
        final AtomicInteger losses = new AtomicInteger();
        final AtomicInteger leases = new AtomicInteger();

        @Override
        public void letters(long node) {
            letters.add(node);
        }

        @Override
        public void changed(int shard, long[] changed) {
            if (changed.length == 0) {
                any.add(shard);
            }
            for (long key : changed) {
                keys.add(key);
            }
        }

        @Override
        public void leases() {
            leases.incrementAndGet();
        }

        @Override
        public void lost() {
            losses.incrementAndGet();
        }
    }

    /** Until the test ends. */
    private static void listen(PostgresCoordination process, Listener listener) {
        AutoCloseable listening = process.listen(listener);
        assertThat(listening).isNotNull();
    }

    private void listen() {
        listen(there, heard);
        await().until(() -> heard.losses.get() == 1);
    }

    @Test
    void what_a_commit_changed_is_heard_by_the_others_and_not_by_itself() throws Exception {
        Heard own = new Heard();
        listen();
        listen(here, own);
        await().until(() -> own.losses.get() == 1);
        here.hint(1, new long[] {SHARD_ONE + 5, SHARD_ONE + 1});
        there.hint(2, new long[] {7});
        await().until(() -> heard.keys.equals(Set.of(SHARD_ONE + 5, SHARD_ONE + 1)));
        await().until(() -> own.keys.equals(Set.of(7L)));
    }

    @Test
    void letters_are_announced_once_they_can_be_taken() throws Exception {
        long node = there.join("a");
        List<String> taken = new ArrayList<>();
        listen(there, new Listener() {
            @Override
            public void letters(long to) {
                there.take(to, 10).forEach(letter -> taken.add(Cluster.text(letter)));
            }

            @Override
            public void changed(int shard, long[] keys) {}

            @Override
            public void leases() {}

            @Override
            public void lost() {
                heard.lost();
            }
        });
        await().until(() -> heard.losses.get() == 1);
        here.send(List.of(Cluster.letter(node, 1, 2, "x")));
        await().until(() -> cluster.number("SELECT count(*) FROM @inbox") == 0);
        await().untilAsserted(() -> assertThat(taken).containsExactly("x"));
    }

    @Test
    void hints_that_gather_while_one_is_under_way_go_together() throws Exception {
        listen();
        AtomicInteger notifications = new AtomicInteger();
        try (Connection raw = cluster.connect();
                Statement statement = raw.createStatement()) {
            statement.execute("LISTEN \"" + cluster.channel() + "\"");
            int commits = 5_000;
            for (int i = 0; i < commits; i++) {
                here.hint(1, new long[] {SHARD_ONE + i % 500});
            }
            here.hint(3, new long[0]);
            await().until(() -> heard.any.contains(3));
            await().until(() -> {
                PGNotification[] some = raw.unwrap(PGConnection.class).getNotifications(100);
                notifications.addAndGet(some == null ? 0 : some.length);
                return some == null || some.length == 0;
            });
            assertThat(heard.keys)
                    .isEqualTo(
                            LongStream.range(SHARD_ONE, SHARD_ONE + 500).boxed().collect(Collectors.toSet()));
            assertThat(notifications.get()).isBetween(1, commits / 2);
        }
    }

    @Test
    void that_leases_changed_hands_is_said_by_itself_and_not_by_keys_that_did_not_fit() {
        listen();
        here.hint(2, LongStream.range(0, 100_000).toArray());
        here.hint(3, new long[0]);
        await().until(() -> heard.any.equals(Set.of(2, 3)));
        assertThat(heard.leases.get()).isZero();
        here.hintLeases();
        await().until(() -> heard.leases.get() == 1);
    }

    @Test
    void more_keys_than_fit_stand_for_the_whole_shard() {
        listen();
        here.hint(2, LongStream.range(0, 100_000).toArray());
        here.hint(1, new long[] {SHARD_ONE});
        await().until(() -> heard.any.contains(2));
        await().until(() -> heard.keys.contains(SHARD_ONE) || heard.any.contains(1));
        assertThat(heard.losses).hasValue(1);
    }

    @Test
    void a_listener_that_was_cut_off_hears_again_and_is_told_that_hints_were_lost() {
        listen();
        assertThat(cluster.cut("LISTEN \"" + cluster.channel())).isEqualTo(1);
        await().until(() -> heard.losses.get() == 2);
        here.hint(1, new long[] {SHARD_ONE + 9});
        await().until(() -> heard.keys.contains(SHARD_ONE + 9));
    }

    @Test
    void who_could_not_tell_others_says_later_that_hints_were_lost() {
        listen();
        here.hint(1, new long[] {SHARD_ONE + 1});
        await().until(() -> heard.keys.contains(SHARD_ONE + 1));
        assertThat(cluster.cut("pg_notify")).isEqualTo(1);
        here.hint(1, new long[] {SHARD_ONE + 2});
        await().until(() -> heard.losses.get() == 2);
        here.hint(1, new long[] {SHARD_ONE + 3});
        await().until(() -> heard.keys.contains(SHARD_ONE + 3));
    }

    @Test
    void a_listener_that_throws_is_called_again() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        listen(there, new Listener() {
            @Override
            public void letters(long node) {}

            @Override
            public void changed(int shard, long[] keys) {
                calls.incrementAndGet();
                throw new IllegalStateException("of the test");
            }

            @Override
            public void leases() {}

            @Override
            public void lost() {
                heard.lost();
                throw new IllegalStateException("of the test");
            }
        });
        await().until(() -> heard.losses.get() == 1);
        here.hint(1, new long[] {1});
        await().until(() -> calls.get() == 1);
        here.hint(1, new long[] {1});
        await().until(() -> calls.get() == 2);
        assertThat(heard.losses).hasValue(1);
    }

    @Test
    void what_others_say_on_the_channel_is_passed_over() {
        listen();
        cluster.number("SELECT 1 FROM pg_notify(?, 'good morning')", cluster.channel());
        cluster.number("SELECT 1 FROM pg_notify(?, '')", cluster.channel());
        here.hint(1, new long[] {4});
        await().until(() -> heard.keys.equals(Set.of(4L)));
        assertThat(heard.losses).hasValue(1);
    }

    @Test
    void nothing_listens_after_closing() throws Exception {
        AutoCloseable listening = there.listen(heard);
        await().until(() -> heard.losses.get() == 1);
        assertThat(cluster.connectionsAt("LISTEN \"" + cluster.channel())).isEqualTo(1);
        listening.close();
        await().until(() -> cluster.connectionsAt("LISTEN \"" + cluster.channel()) == 0);
        here.hint(1, new long[] {4});
        await().until(() -> cluster.connectionsAt("pg_notify") == 1);
        here.close();
        await().until(() -> cluster.connectionsAt("pg_notify") == 0);
        here.hint(1, new long[] {4});
    }

    @Test
    void with_hints_off_nobody_says_or_hears_anything() throws Exception {
        PostgresCoordination silent = cluster.process(Cluster.POLLING);
        listen();
        Heard nothing = new Heard();
        long node = there.join("a");
        listen(silent, nothing);
        silent.hint(1, new long[] {1});
        silent.send(List.of(Cluster.letter(node, 1, 2, "x")));
        // what comes later was heard, so that what came before would have been
        here.hint(2, new long[] {2});
        await().until(() -> heard.keys.contains(2L));
        assertThat(heard.keys).containsExactly(2L);
        assertThat(heard.letters).isEmpty();
        assertThat(nothing.losses).hasValue(0);
        assertThat(there.take(node, 10)).hasSize(1);
    }

    @Test
    void a_hint_is_the_same_after_its_way_as_text() {
        Random random = new Random(11);
        for (int round = 0; round < 300; round++) {
            Map<Integer, long[]> changes = new HashMap<>();
            for (int i = random.nextInt(5); i > 0; i--) {
                int shard = random.nextInt(PostgresLimits.MAX_SHARDS);
                long[] keys = random.longs(random.nextInt(50)).sorted().toArray();
                changes.put(shard, keys);
            }
            Hints hints = new Hints(
                    random.nextLong(), random.nextBoolean(), random.nextBoolean(), List.of(random.nextLong()), changes);
            String text = hints.encode();
            Hints decoded = Hints.decode(text).orElseThrow();
            assertThat(text).hasSizeLessThan(8_000);
            assertThat(decoded.origin()).isEqualTo(hints.origin());
            assertThat(decoded.everything()).isEqualTo(hints.everything());
            assertThat(decoded.leases()).isEqualTo(hints.leases());
            assertThat(decoded.letters()).isEqualTo(hints.letters());
            assertThat(decoded.changes()).usingRecursiveComparison().isEqualTo(changes);
        }
    }

    /** BOUNDED: less exact, never left out. */
    @Test
    void a_hint_that_is_too_long_says_less_but_not_less_than_happened() {
        Map<Integer, long[]> manyKeys = new HashMap<>();
        manyKeys.put(1, new Random(1).longs(2_000).toArray());
        manyKeys.put(2, new long[] {5});
        Hints decoded = roundTrip(new Hints(1, false, false, List.of(3L), manyKeys));
        assertThat(decoded.changes().get(1)).isEmpty();
        assertThat(decoded.changes().get(2)).containsExactly(5);
        assertThat(decoded.everything()).isFalse();

        Map<Integer, long[]> manyShards = new HashMap<>();
        for (int shard = 0; shard < 20_000; shard++) {
            manyShards.put(shard, new long[] {shard});
        }
        assertThat(roundTrip(new Hints(1, false, false, List.of(), manyShards)).everything())
                .isTrue();
        List<Long> manyLetters = new Random(2).longs(3_000).boxed().toList();
        assertThat(roundTrip(new Hints(1, false, false, manyLetters, Map.of())).everything())
                .isTrue();
    }

    @Test
    void text_that_is_no_hint_is_none() {
        Random random = new Random(5);
        String valid = new Hints(1, false, false, List.of(1L, 2L), Map.of(1, new long[] {1, 2, 3})).encode();
        for (int round = 0; round < 20_000; round++) {
            char[] text = valid.toCharArray();
            text[random.nextInt(text.length)] = (char) random.nextInt(128);
            String mutated = new String(text, 0, random.nextInt(text.length) + 1);
            Hints.decode(mutated)
                    .ifPresent(hints -> assertThat(
                                    hints.letters().size() + hints.changes().size())
                            .isLessThan(valid.length()));
        }
    }

    private static Hints roundTrip(Hints hints) {
        String text = hints.encode();
        assertThat(text).hasSizeLessThan(8_000);
        return Hints.decode(text).orElseThrow();
    }
}
