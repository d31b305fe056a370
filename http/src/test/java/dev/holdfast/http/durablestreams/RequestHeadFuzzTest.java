package dev.holdfast.http.durablestreams;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests as no socket would bring them: whatever their path, query and headers are, none finds a defect, none is answered twice or not at
 * all, and none makes a stream whose name could be read in two ways.
 */
final class RequestHeadFuzzTest {

    private static final int REQUESTS = "nightly".equals(System.getProperty("holdfast.profile")) ? 100_000 : 4000;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void every_head_is_understood_or_refused(long seed) throws Exception {
        Random random = new Random(seed);
        try (FuzzedWire wire = new FuzzedWire(folder)) {
            for (int i = 0; i < REQUESTS; i++) {
                wire.roll(new Chance(random));
            }
            assertThat(wire.statuses())
                    .as("answers of every kind")
                    .containsKeys(200, 201, 204, 400, 403, 404, 405, 409);
        }
    }

    private record Chance(Random random) implements FuzzedWire.Dice {
        @Override
        public int below(int bound) {
            return random.nextInt(bound);
        }

        @Override
        public String text(int maxChars) {
            int length = random.nextInt(maxChars + 1);
            StringBuilder text = new StringBuilder();
            while (text.length() < length) {
                text.append((char) (random.nextInt(6) == 0 ? random.nextInt(0x10000) : random.nextInt(0x80)));
            }
            return text.toString();
        }
    }
}
