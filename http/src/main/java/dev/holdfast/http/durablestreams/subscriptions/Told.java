package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.stream.StreamListener;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What streams did that another node is to be told, in order; what one stream did several times is told as one. What finds no room is not kept: then the
 * other node has to look at all of them. Thread-safe.
 */
final class Told {

    /** A stream, and whether it is gone. */
    private record Key(String name, long incarnation, boolean gone) {}

    private final int max;
    private Map<Key, StreamListener.Change> waiting = new LinkedHashMap<>(); // guarded by this
    private boolean overflowed; // guarded by this

    /**
     * What is to be told next.
     *
     * @param all whether some of it was not kept
     */
    record Batch(List<StreamListener.Change> changes, boolean all) {

        boolean isEmpty() {
            return changes.isEmpty() && !all;
        }
    }

    Told(int max) {
        this.max = max;
    }

    synchronized void add(StreamListener.Change change) {
        boolean gone = change.kind() == StreamListener.Kind.GONE;
        Key key = new Key(change.name(), change.incarnation(), gone);
        StreamListener.Change known = waiting.get(key);
        if (known != null) { // one that was created stays so, with the tail that it has now
            waiting.put(key, new StreamListener.Change(known.kind(), known.name(), known.incarnation(), change.tail()));
        } else if (waiting.size() < max) {
            waiting.put(key, change);
        } else {
            overflowed = true;
        }
    }

    /** All has to be looked at. */
    synchronized void all() {
        overflowed = true;
    }

    synchronized Batch take(int most) {
        List<StreamListener.Change> changes = new ArrayList<>();
        Map<Key, StreamListener.Change> rest = new LinkedHashMap<>();
        waiting.forEach((key, change) -> {
            if (changes.size() < most) {
                changes.add(change);
            } else {
                rest.put(key, change);
            }
        });
        Batch batch = new Batch(changes, overflowed);
        waiting = rest;
        overflowed = false;
        return batch;
    }

    /** The other node could not be told. What came meanwhile goes behind it. */
    synchronized void putBack(Batch batch) {
        Map<Key, StreamListener.Change> later = waiting;
        waiting = new LinkedHashMap<>();
        overflowed |= batch.all();
        batch.changes().forEach(this::add);
        later.values().forEach(this::add);
    }
}
