package dev.holdfast.store.postgres;

import static dev.holdfast.store.postgres.Cluster.letter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.cluster.Coordination.Letter;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class InboxTest {

    private final Cluster cluster = new Cluster();
    private final PostgresCoordination coordination = cluster.process(Cluster.POLLING);
    private final long a = coordination.join("a");
    private final long b = coordination.join("b");

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void letters_are_taken_once_and_in_the_order_in_which_they_were_sent() {
        coordination.send(List.of(letter(a, 9, b, "first"), letter(b, 8, a, "other"), letter(a, 7, b, "")));
        coordination.send(List.of(letter(a, 1, b, "third")));
        coordination.send(List.of());
        List<Letter> two = coordination.take(a, 2);
        assertThat(two).extracting(Cluster::text).containsExactly("first", "");
        assertThat(two.getFirst().id()).isEqualTo(9);
        assertThat(two.getFirst().from()).isEqualTo(b);
        assertThat(two.getFirst().to()).isEqualTo(a);
        assertThat(coordination.take(a, 2)).extracting(Cluster::text).containsExactly("third");
        assertThat(coordination.take(a, 2)).isEmpty();
        assertThat(coordination.take(b, 2)).extracting(Cluster::text).containsExactly("other");
    }

    @Test
    void many_letters_sent_at_once_keep_their_order() {
        List<Letter> letters = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            letters.add(letter(i % 3 == 0 ? b : a, 10_000 - i, b, "l" + i));
        }
        coordination.send(letters);
        List<String> taken = new ArrayList<>();
        for (List<Letter> some = coordination.take(a, 700); !some.isEmpty(); some = coordination.take(a, 700)) {
            some.forEach(letter -> taken.add(Cluster.text(letter)));
        }
        assertThat(taken)
                .isEqualTo(letters.stream()
                        .filter(letter -> letter.to() == a)
                        .map(Cluster::text)
                        .toList());
    }

    @Test
    void bytes_arrive_as_they_were() {
        byte[] bytes = new byte[3 << 20];
        new Random(3).nextBytes(bytes);
        coordination.send(List.of(new Letter(a, 1, b, bytes)));
        assertThat(coordination.take(a, 1).getFirst().body()).isEqualTo(bytes);
    }

    /** BOUNDED. */
    @Test
    void not_more_is_taken_at_once_than_fits_into_memory() {
        byte[] most = new byte[(int) (CoordinationLimits.MAX_TAKEN_BYTES * 2 / 3)];
        byte[] tooMuch = new byte[(int) CoordinationLimits.MAX_TAKEN_BYTES + 1];
        for (byte[] body : List.of(most, most, tooMuch, new byte[1], new byte[1])) {
            coordination.send(List.of(new Letter(a, cluster.number("SELECT count(*) FROM @inbox"), b, body)));
        }
        List<Integer> sizes = new ArrayList<>();
        for (List<Letter> some = coordination.take(a, 10); !some.isEmpty(); some = coordination.take(a, 10)) {
            sizes.add(some.size());
        }
        assertThat(sizes).containsExactly(1, 1, 1, 2);
    }

    @Test
    void a_letter_that_is_too_large_is_refused_with_all_that_go_with_it() {
        List<Letter> letters = List.of(letter(a, 1, b, "x"), new Letter(a, 2, b, new byte[Letter.MAX_BODY_BYTES + 1]));
        assertThatThrownBy(() -> coordination.send(letters))
                .isInstanceOf(LimitExceeded.class)
                .hasMessageContaining("MAX_BODY_BYTES");
        byte[] large = new byte[(int) (CoordinationLimits.MAX_SENT_BYTES / 3) + 1];
        List<Letter> three =
                List.of(new Letter(a, 1, b, large), new Letter(a, 2, b, large), new Letter(a, 3, b, large));
        assertThatThrownBy(() -> coordination.send(three))
                .isInstanceOf(LimitExceeded.class)
                .hasMessageContaining("MAX_SENT_BYTES");
        assertThat(coordination.take(a, 10)).isEmpty();
        assertThatThrownBy(() -> coordination.take(a, 0)).isInstanceOf(InvalidArgument.class);
    }

    @Test
    void a_letter_is_taken_back_only_while_nobody_has_taken_it() {
        Letter first = letter(a, 1, b, "x");
        Letter second = letter(a, 2, b, "y");
        coordination.send(List.of(first, second));
        assertThat(coordination.retract(first)).isTrue();
        assertThat(coordination.retract(first)).isFalse();
        assertThat(coordination.retract(letter(a, 2, a, "of another sender"))).isFalse();
        assertThat(coordination.take(a, 10)).extracting(Cluster::text).containsExactly("y");
        assertThat(coordination.retract(second)).isFalse();
    }

    @Test
    void a_letter_that_is_sent_again_is_not_doubled_while_it_lies_there() {
        coordination.send(List.of(letter(a, 1, b, "x")));
        coordination.send(List.of(letter(a, 1, b, "x"), letter(a, 1, a, "of another sender")));
        assertThat(coordination.take(a, 10)).extracting(Cluster::text).containsExactly("x", "of another sender");
    }

    @Test
    void letters_to_a_node_that_is_gone_are_dropped() {
        cluster.update("DELETE FROM @nodes WHERE id = ?", a);
        coordination.send(List.of(letter(a, 1, b, "x"), letter(b, 2, b, "y")));
        assertThat(cluster.number("SELECT count(*) FROM @inbox")).isEqualTo(1);
    }

    @Test
    void no_letter_waits_for_a_disk() {
        assertThat(cluster.number(
                        "SELECT count(*) FROM pg_class WHERE oid = '@inbox'::regclass AND relpersistence = 'u'"))
                .isEqualTo(1);
    }

    @Test
    void each_letter_is_either_taken_once_or_taken_back() throws Exception {
        int senders = 2;
        int each = 1_000;
        AtomicInteger sending = new AtomicInteger(senders);
        List<List<Letter>> taken = new ArrayList<>();
        Set<String> retracted = ConcurrentHashMap.newKeySet();
        List<Callable<Void>> workers = new ArrayList<>();
        for (int i = 0; i < senders; i++) {
            long sender = coordination.join("s" + i);
            Random random = new Random(i);
            workers.add(() -> {
                for (int id = 0; id < each; id++) {
                    Letter letter = letter(a, id, sender, sender + "/" + id);
                    coordination.send(List.of(letter));
                    if (random.nextInt(3) == 0 && coordination.retract(letter)) {
                        retracted.add(Cluster.text(letter));
                    }
                }
                sending.decrementAndGet();
                return null;
            });
        }
        for (int taker = 0; taker < 2; taker++) {
            List<Letter> mine = new ArrayList<>();
            taken.add(mine);
            workers.add(() -> {
                boolean last;
                List<Letter> some;
                do {
                    last = sending.get() == 0;
                    some = coordination.take(a, 5);
                    mine.addAll(some);
                } while (!last || !some.isEmpty());
                return null;
            });
        }
        try (ExecutorService pool = Executors.newFixedThreadPool(workers.size())) {
            for (Future<Void> done : pool.invokeAll(workers)) {
                done.get();
            }
        }
        Set<String> all = new HashSet<>(retracted);
        for (List<Letter> letters : taken) {
            Map<Long, Long> newest = new HashMap<>();
            for (Letter letter : letters) {
                assertThat(all.add(Cluster.text(letter)))
                        .as(Cluster.text(letter))
                        .isTrue();
                Long before = newest.put(letter.from(), letter.id());
                assertThat(before == null || before < letter.id()).isTrue();
            }
        }
        assertThat(all).hasSize(senders * each);
        assertThat(retracted).isNotEmpty();
    }
}
