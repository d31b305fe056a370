package dev.holdfast.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class KeyNumbersTest {

    @Test
    void keys_are_numbered_in_the_order_in_which_they_first_appear_and_keep_their_number() {
        KeyNumbers numbers = new KeyNumbers();
        Map<Long, Integer> expected = new HashMap<>();
        List<Long> order = new ArrayList<>();
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            long key = i % 3 == 0 ? random.nextLong() : random.nextInt(4_000);
            if (expected.putIfAbsent(key, order.size()) == null) {
                order.add(key);
            }
            assertThat(numbers.of(key)).isEqualTo(expected.get(key));
        }
        assertThat(numbers.keys(0)).isEqualTo(order);
        assertThat(numbers.keys(order.size() - 2)).isEqualTo(order.subList(order.size() - 2, order.size()));
        assertThat(numbers.keys(order.size())).isEmpty();
    }
}
