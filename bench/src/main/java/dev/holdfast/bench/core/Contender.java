package dev.holdfast.bench.core;

import dev.holdfast.bench.floor.Floor;
import dev.holdfast.bench.load.HoldfastTarget;
import dev.holdfast.bench.load.Target;
import dev.holdfast.stream.StreamLimits;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;

/** What runs beside each other in the append part. */
enum Contender {
    /** Holdfast with short streams, which are discarded before they fill a block. */
    HOLDFAST("Holdfast, no seals"),
    /** A bare SQLite table, one row per group commit. */
    FLOOR_ROW_PER_COMMIT("floor: row per commit"),
    /** Holdfast with every byte sealed and trimmed. */
    HOLDFAST_SEALING("Holdfast, all sealed"),
    /** A bare SQLite table, one row per append. */
    FLOOR_ROW_PER_APPEND("floor: row per append");

    /** Payload that is certain to reach the limit on unsealed chunks in memory. */
    private static final long STEADY_BYTES = StreamLimits.defaults().maxOpenBytes();

    /** Payload that is certain to fill a block. */
    private static final long FULL_BLOCK_BYTES = 300L << 10;

    /** More than any machine of today does; only sizes a list of prepared streams. */
    private static final long MOST_APPENDS_PER_SECOND = 1_500_000;

    private final String title;

    Contender(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /** Makes it ready for one run, in an empty folder. */
    Target prepare(Path folder, int streams, int payloadBytes, Duration run) throws InterruptedException, SQLException {
        return switch (this) {
            case FLOOR_ROW_PER_COMMIT -> Floor.rowPerCommit(folder);
            case FLOOR_ROW_PER_APPEND -> Floor.rowPerAppend(folder);
            case HOLDFAST ->
                HoldfastTarget.withoutSeals(folder, streams, MOST_APPENDS_PER_SECOND * run.toMillis() / 1000);
            case HOLDFAST_SEALING -> {
                HoldfastTarget target = HoldfastTarget.withSeals(folder, streams);
                target.fill(Math.min(STEADY_BYTES, streams * FULL_BLOCK_BYTES), payloadBytes);
                yield target;
            }
        };
    }
}
