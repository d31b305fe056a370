package dev.holdfast.verification.crash;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.sqlite.SqliteStore;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.Fork;
import dev.holdfast.stream.StreamCreation;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.stream.Streams;
import dev.holdfast.verification.rig.Reading;
import dev.holdfast.verification.rig.StoreTap;
import java.nio.file.Path;
import java.util.List;

/**
 * The child that is killed while it forks, or while the end of the last fork ends the chain above it: {@code leaf} of {@code mid} of
 * {@code base}, of which the upper two are gone already but for their forks.
 */
final class ForkMain {

    private ForkMain() {}

    public static void main(String[] arguments) {
        Report report = Report.onStandardOutput();
        Point point = Point.valueOf(arguments[1]);
        Point.Stop stop = new Point.Stop(point, report);
        Holdfast holdfast = Holdfast.open(
                new StoreTap(SqliteStore.open(Path.of(arguments[0]), StoreSettings.defaults()), stop),
                HoldfastSettings.defaults());
        Streams streams = holdfast.streams();
        streams.create("base", StreamCreation.of(StreamOptions.DEFAULTS).with(List.of(block(1), block(2))));
        look(streams, "base");
        streams.append("base", AppendRequest.of(Reading.chunks("base")));
        fork(streams, "mid", "base");
        streams.append("mid", AppendRequest.of(List.of(block(3))));
        look(streams, "mid");
        fork(streams, "leaf", "mid");
        streams.delete("base");
        streams.delete("mid");
        report.line("READY");
        stop.arm();
        switch (point) {
            case BEFORE_FORK_COMMIT, AFTER_FORK_COMMIT -> fork(streams, "late", "leaf");
            default -> {
                streams.delete("leaf");
                report.line("DELETED");
                look(streams, "other");
            }
        }
        report.line("MISSED", point);
    }

    private static byte[] block(int first) {
        byte[] chunk = new byte[StreamLimits.MAX_BLOCK_BYTES];
        chunk[0] = (byte) first;
        return chunk;
    }

    private static void fork(Streams streams, String name, String source) {
        streams.create(
                name,
                StreamCreation.of(StreamOptions.DEFAULTS).from(Fork.of(source)).with(Reading.chunks(name)));
    }

    /** The upkeep comes with one of the next batches; each look is one. */
    private static void look(Streams streams, String name) {
        StreamWriter writer = streams.open(name);
        for (int i = 0; i < 3; i++) {
            writer.checkpoint("none");
        }
    }
}
