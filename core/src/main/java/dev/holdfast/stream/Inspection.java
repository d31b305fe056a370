package dev.holdfast.stream;

import java.util.List;

/** A look at the streams in memory, for comparing them with the disk and for counting who reads. */
public final class Inspection {

    private final StreamEngine engine;
    private final LoadedStreams streams;

    Inspection(StreamEngine engine, LoadedStreams streams) {
        this.engine = engine;
        this.streams = streams;
    }

    /**
     * Who reads at this moment.
     *
     * @param attached readers of all streams
     * @param waiting those of them who wait for a change
     */
    public record Audience(int attached, int waiting) {}

    /** Counts the readers of the streams in memory; those of a discarded stream are not among them. Any thread. */
    public Audience audience() {
        int attached = 0;
        int waiting = 0;
        for (StreamLog log : streams.all()) {
            attached += log.attached().count();
            waiting += log.attached().waiting();
        }
        return new Audience(attached, waiting);
    }

    /** Memory of all unsealed chunks, added up anew, for comparing with what upkeep counts. Only while the committer stands still. */
    public long heldBytes() {
        return streams.inOrder().stream()
                .mapToLong(log -> log.open().heldBytes())
                .sum();
    }

    /**
     * A stream without unsealed chunks, as it is in memory, and as it would be if it were loaded from its row at this moment. The two are the
     * same at any time, since such a stream may be forgotten at any time.
     */
    public record Twins(String inMemory, String loadedAnew) {}

    /** All such streams in memory. Only while the committer stands still. */
    public List<Twins> twins() {
        return streams.inOrder().stream()
                .filter(log -> log.open().isEmpty())
                .map(log -> new Twins(log.describe(), loadedAnew(log.key())))
                .toList();
    }

    private String loadedAnew(long key) {
        return engine.store()
                .read(reads -> reads.stream(key))
                .map(row -> new StreamLog(engine, row).describe())
                .orElse("no row");
    }
}
