package dev.holdfast.stream;

import dev.holdfast.store.LogEntry;
import dev.holdfast.store.Store;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes the log's entries at start and gives each stream its chunks.
 *
 * <p>An entry holds a little of many streams. Handed out one by one, each of millions of appends would touch the memory of another stream,
 * all of it cold. So entries are gathered up to {@link #MAX_GATHERED_BYTES}; then the appends are ordered by stream, and each stream takes
 * all of its own at once, into room of exactly the right size.
 */
final class Recovery implements Store.RecoverySink {

    /** Entries that wait to be handed out; a single larger one is handed out alone. */
    private static final int MAX_GATHERED_BYTES = 16 << 20;

    private static final int INITIAL_APPENDS = 1 << 14;

    /** Loads streams for the log. */
    interface Streams {

        /** The stream of each key; null where there is none any more, or it is discarded. */
        List<@Nullable StreamLog> load(List<Long> keys);

        /** The log has an entry. */
        void logged(LogEntry entry);
    }

    private final Streams streams;

    /** By a stream's number: the order in which the log first names them. */
    private final List<@Nullable StreamLog> logs = new ArrayList<>();

    private final KeyNumbers numbers = new KeyNumbers();

    private final List<LogEntry> gathered = new ArrayList<>();
    private long gatheredBytes;

    // By append, in the order of the log: the number of its stream and of its entry, and where it lies there.
    private int appends;
    private int[] stream = new int[INITIAL_APPENDS];
    private int[] entry = new int[INITIAL_APPENDS];
    private int[] start = new int[INITIAL_APPENDS];
    private int[] end = new int[INITIAL_APPENDS];

    private final LogEntry.Cursor append = new LogEntry.Cursor();

    Recovery(Streams streams) {
        this.streams = streams;
    }

    @Override
    public void entry(LogEntry next) {
        streams.logged(next);
        if (gatheredBytes + next.bytes() > MAX_GATHERED_BYTES) {
            handOut();
        }
        gather(next);
    }

    /** Hands out what is left. Call after the last entry. */
    void finish() {
        handOut();
    }

    private void gather(LogEntry next) {
        append.enter(next);
        while (append.next()) {
            if (appends == stream.length) {
                makeRoom();
            }
            stream[appends] = numbers.of(append.streamKey());
            entry[appends] = gathered.size();
            start[appends] = append.start();
            end[appends] = append.end();
            appends++;
        }
        gathered.add(next);
        gatheredBytes += next.bytes();
    }

    private void makeRoom() {
        int length = 2 * appends;
        stream = Arrays.copyOf(stream, length);
        entry = Arrays.copyOf(entry, length);
        start = Arrays.copyOf(start, length);
        end = Arrays.copyOf(end, length);
    }

    private void handOut() {
        logs.addAll(streams.load(numbers.keys(logs.size())));
        int[] first = new int[logs.size() + 1];
        int[] order = order(first);
        for (int s = 0; s < logs.size(); s++) {
            StreamLog log = logs.get(s);
            if (log != null && first[s] < first[s + 1]) {
                handOut(log, order, first[s], first[s + 1]);
            }
        }
        gathered.clear();
        gatheredBytes = 0;
        appends = 0;
    }

    /** The appends ordered by stream, those of one stream in the order of the log; {@code first} takes where each stream's begin. */
    private int[] order(int[] first) {
        for (int i = 0; i < appends; i++) {
            first[stream[i] + 1]++;
        }
        for (int s = 1; s < first.length; s++) {
            first[s] += first[s - 1];
        }
        int[] next = first.clone();
        int[] order = new int[appends];
        for (int i = 0; i < appends; i++) {
            order[next[stream[i]]++] = i;
        }
        return order;
    }

    private void handOut(StreamLog log, int[] order, int from, int to) {
        int chunks = 0;
        int bytes = 0;
        for (int n = from; n < to; n++) {
            moveTo(order[n]);
            long missing = Math.min(append.nextSeq() - log.currentTail(), append.nextSeq() - append.firstSeq());
            if (missing > 0) {
                chunks += (int) missing;
                bytes += append.encodedBytes();
            }
        }
        if (chunks > 0) {
            log.open().reserve(chunks, bytes);
        }
        for (int n = from; n < to; n++) {
            moveTo(order[n]);
            log.recovered(append);
        }
    }

    private void moveTo(int i) {
        append.moveTo(gathered.get(entry[i]), start[i], end[i]);
    }
}
