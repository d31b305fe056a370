package dev.holdfast.http.durablestreams;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;

/**
 * The fuzz target of whole requests, one after the other on one store. As {@link ParserFuzzTarget} not part of the build:
 *
 * <p>{@code JAZZER_FUZZ=1 ./mvnw -pl http -am test -Dtest=RequestFuzzTarget}
 */
final class RequestFuzzTarget {

    private static final int MAX_REQUESTS = 20;

    @TempDir
    private static Path folder;

    private static @Nullable FuzzedWire wire;

    /** Opened late: the fuzzer must see every class as it is loaded. */
    private static FuzzedWire wire() {
        if (wire == null) {
            wire = new FuzzedWire(folder);
        }
        return wire;
    }

    @AfterAll
    static void close() {
        if (wire != null) {
            wire.close();
        }
    }

    @FuzzTest(maxDuration = "120s")
    void requests_are_understood_or_refused(FuzzedDataProvider data) throws IOException {
        for (int i = 0; i < MAX_REQUESTS && data.remainingBytes() > 0; i++) {
            wire().roll(new Provided(data));
        }
    }

    private record Provided(FuzzedDataProvider data) implements FuzzedWire.Dice {
        @Override
        public int below(int bound) {
            return data.consumeInt(0, bound - 1);
        }

        @Override
        public String text(int maxChars) {
            return data.consumeString(maxChars);
        }
    }
}
