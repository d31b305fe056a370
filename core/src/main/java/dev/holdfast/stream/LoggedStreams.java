package dev.holdfast.stream;

import dev.holdfast.store.LogEntry;
import dev.holdfast.store.StreamRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Loads the streams that the log names, at start. */
final class LoggedStreams implements Recovery.Streams {

    private final StreamEngine engine;
    private final LoadedStreams streams;
    private final Upkeep upkeep;

    LoggedStreams(StreamEngine engine, LoadedStreams streams, Upkeep upkeep) {
        this.engine = engine;
        this.streams = streams;
        this.upkeep = upkeep;
    }

    @Override
    public List<@Nullable StreamLog> load(List<Long> keys) {
        List<Optional<StreamRow>> rows = keys.isEmpty()
                ? List.of()
                : engine.store().read(reads -> keys.stream().map(reads::stream).toList());
        List<@Nullable StreamLog> logs = new ArrayList<>();
        for (Optional<StreamRow> row : rows) {
            logs.add(row.filter(r -> !r.state().isGone())
                    .map(r -> streams.register(new StreamLog(engine, r)))
                    .orElse(null));
        }
        return logs;
    }

    @Override
    public void logged(LogEntry entry) {
        upkeep.logged(entry.position(), entry.bytes());
    }
}
