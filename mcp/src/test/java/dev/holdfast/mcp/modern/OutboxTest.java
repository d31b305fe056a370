package dev.holdfast.mcp.modern;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.mcp.Apart;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class OutboxTest {

    private static byte[] bytes(int length) {
        return new byte[length];
    }

    @Test
    void what_fits_is_taken_in_order() {
        Outbox outbox = new Outbox(10);
        assertThat(outbox.offer(new byte[] {1})).isTrue();
        assertThat(outbox.offer(new byte[] {2})).isTrue();
        assertThat(outbox.drained()).isEqualTo(Outbox.State.OPEN);
        assertThat(outbox.take()).containsExactly(new byte[] {1}, new byte[] {2});
        assertThat(outbox.take()).isEmpty();
    }

    @Test
    void what_does_not_fit_is_refused_unless_it_is_alone() {
        Outbox outbox = new Outbox(10);
        assertThat(outbox.offer(bytes(100))).isTrue();
        assertThat(outbox.offer(bytes(1))).isFalse();
        assertThat(outbox.take()).hasSize(1);
        assertThat(outbox.offer(bytes(6))).isTrue();
        assertThat(outbox.offer(bytes(5))).isFalse();
        assertThat(outbox.offer(bytes(4))).isTrue();
    }

    @Test
    void who_puts_more_in_waits_until_it_is_taken() {
        Outbox outbox = new Outbox(100);
        CompletableFuture<Void> putting = Apart.run(() -> {
            for (int i = 0; i < 1000; i++) {
                put(outbox, bytes(10));
            }
            return null;
        });
        List<byte[]> taken = new ArrayList<>();
        while (taken.size() < 1000) {
            List<byte[]> some = outbox.take();
            assertThat(some).hasSizeLessThanOrEqualTo(10);
            taken.addAll(some);
        }
        putting.join();
    }

    private static void put(Outbox outbox, byte[] frame) {
        try {
            outbox.put(frame);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void an_end_lets_go_of_who_waits_and_the_first_end_counts() {
        Outbox outbox = new Outbox(1);
        put(outbox, bytes(1));
        CompletableFuture<Void> putting = Apart.run(() -> {
            put(outbox, bytes(1));
            return null;
        });
        outbox.end(Outbox.State.BROKEN);
        outbox.end(Outbox.State.COMPLETE);
        putting.join();
        assertThat(outbox.drained()).isEqualTo(Outbox.State.OPEN);
        assertThat(outbox.take()).hasSizeBetween(1, 2);
        assertThat(outbox.drained()).isEqualTo(Outbox.State.BROKEN);
        assertThat(outbox.offer(bytes(1))).isTrue();
        assertThat(outbox.take()).isEmpty();
    }
}
