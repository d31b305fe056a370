package dev.holdfast.verification.faults;

import static dev.holdfast.verification.rig.Reading.allTexts;
import static dev.holdfast.verification.rig.Reading.chunks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.StoreFull;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.AppendResult;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.stream.Streams;
import dev.holdfast.verification.rig.Instance;
import dev.holdfast.verification.rig.Instance.Setup;
import dev.holdfast.verification.rig.StoreTap;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What one group of a batch meets is not the fate of the others. */
final class SharedBatchTest {

    @TempDir
    Path folder;

    /** Finds no room at some appends, counted once it is armed. */
    private static final class NoRoom implements StoreTap.Observer {
        private final AtomicInteger appends = new AtomicInteger();
        private volatile Set<Integer> strikesAt = Set.of();

        void at(Set<Integer> numbers) {
            appends.set(0);
            strikesAt = numbers;
        }

        @Override
        public void before(String verb, List<String> earlier) {
            if (verb.equals("append") && strikesAt.contains(appends.getAndIncrement())) {
                throw new StoreFull("injected: no room for this one", new IOException("injected"));
            }
        }
    }

    @Test
    void an_append_for_which_there_is_no_room_spares_the_others_of_its_batch() {
        NoRoom disk = new NoRoom();
        try (Instance instance = new Instance(folder, Setup.defaults().withObserver(disk))) {
            Streams streams = instance.streams();
            StreamWriter before = streams.open("before");
            StreamWriter large = streams.open("large");
            StreamWriter after = streams.open("after");
            // the second of the batch; and, once each runs alone, the second again
            disk.at(Set.of(1, 3));
            CountDownLatch batch = instance.hold();
            CompletableFuture<AppendResult> first = before.appendAsync(AppendRequest.of(chunks("kept")));
            CompletableFuture<AppendResult> second = large.appendAsync(AppendRequest.of(chunks("refused")));
            CompletableFuture<AppendResult> third = after.appendAsync(AppendRequest.of(chunks("kept as well")));
            batch.countDown();

            assertThat(first.join().nextSeq()).isEqualTo(1);
            assertThatThrownBy(second::join)
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(StoreFull.class);
            assertThat(third.join().nextSeq()).isEqualTo(1);

            instance.restart();
            assertThat(allTexts(instance.streams(), "before")).containsExactly("kept");
            assertThat(allTexts(instance.streams(), "large")).isEmpty();
            assertThat(allTexts(instance.streams(), "after")).containsExactly("kept as well");
        }
    }
}
