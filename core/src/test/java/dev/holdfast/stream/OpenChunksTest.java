package dev.holdfast.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.BlockFormat;
import dev.holdfast.store.BlockRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class OpenChunksTest {

    private static final int STEPS = 2_000;

    /** What a reader was shown: chunks up to a tail, and the list of what they are. */
    private record Shown(OpenChunks open, long from, List<byte[]> chunks) {}

    @ParameterizedTest
    @ValueSource(ints = {1, 30, 700, 50_000})
    void chunks_stay_what_they_are_for_whoever_was_shown_them_while_others_are_added_and_sealed(int maxBytes) {
        Random random = new Random(maxBytes);
        OpenChunks open = OpenChunks.NONE;
        List<byte[]> model = new ArrayList<>();
        long from = 7;
        List<Shown> shown = new ArrayList<>();
        for (int step = 0; step < STEPS; step++) {
            long to = from + model.size();
            if (model.isEmpty() || random.nextInt(100) > 0) {
                byte[] chunk = new byte[random.nextInt(maxBytes + 1)];
                random.nextBytes(chunk);
                open = open.with(to, chunk);
                model.add(chunk);
            } else {
                int sealed = 1 + random.nextInt(model.size());
                assertBlock(open, from, model.subList(0, sealed));
                open = open.from(from + sealed);
                model = new ArrayList<>(model.subList(sealed, model.size()));
                from += sealed;
            }
            if (random.nextInt(50) == 0) {
                shown.add(new Shown(open, from, List.copyOf(model)));
            }
        }
        shown.add(new Shown(open, from, List.copyOf(model)));
        shown.forEach(OpenChunksTest::assertShown);
    }

    private static void assertShown(Shown shown) {
        OpenChunks.Sizes sizes = shown.open().sizes(shown.from());
        for (int i = 0; i < shown.chunks().size(); i++) {
            byte[] expected = shown.chunks().get(i);
            Chunk chunk = shown.open().chunk(shown.from() + i);
            assertThat(chunk.seq()).isEqualTo(shown.from() + i);
            assertThat(chunk.toByteArray()).isEqualTo(expected);
            assertThat(sizes.next()).isEqualTo(expected.length);
        }
        long to = shown.from() + shown.chunks().size();
        assertThat(shown.open().copies(shown.from(), to)).containsExactlyElementsOf(shown.chunks());
    }

    private static void assertBlock(OpenChunks open, long from, List<byte[]> expected) {
        BlockRow row = new BlockRow(1, from, from + expected.size(), 0, 0, open.block(from, from + expected.size()));
        assertThat(row.body()).isEqualTo(BlockFormat.encode(expected));
        assertThat(BlockFormat.index(row)).hasSize(2 * expected.size());
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 100, 1_000})
    void the_memory_they_hold_is_at_most_about_twice_what_is_in_them(int bytes) {
        OpenChunks open = OpenChunks.NONE;
        long payload = 0;
        for (int i = 0; payload < StreamLimits.MAX_BLOCK_BYTES; i++) {
            open = open.with(i, new byte[bytes]);
            payload += bytes + 1L + Integer.BYTES;
            assertThat(open.heldBytes()).isGreaterThanOrEqualTo(payload).isLessThan(2 * payload + 2_000);
        }
    }
}
