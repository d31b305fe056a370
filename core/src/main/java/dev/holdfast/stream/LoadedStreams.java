package dev.holdfast.stream;

import dev.holdfast.error.HoldfastException.StreamGone;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.StreamRow;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The streams in memory, by name and by key, with those that the running batch creates. Any thread may look one up by name; everything else
 * is confined to the committer's thread.
 *
 * <p>A stream is in memory while it has unsealed chunks, readers, or was used lately; any other is loaded from its row on demand, which is
 * exact because a stream without unsealed chunks is wholly described by its row and blocks.
 */
final class LoadedStreams {

    record Name(String tenant, String name) {}

    private final Function<StreamRow, StreamLog> load;
    private final ConcurrentHashMap<Name, StreamLog> byName = new ConcurrentHashMap<>();
    private final Map<Long, StreamLog> byKey = new HashMap<>();

    /** Created by the running batch. */
    private final Map<Name, StreamLog> opening = new HashMap<>();

    /**
     * @param load makes a stream of its row, and tells whoever must know of it
     */
    LoadedStreams(Function<StreamRow, StreamLog> load) {
        this.load = load;
    }

    /** The stream in memory, if it is there. Any thread. */
    Optional<StreamLog> named(String tenant, String name) {
        return Optional.ofNullable(byName.get(new Name(tenant, name)));
    }

    /** All of them. Any thread. */
    Collection<StreamLog> all() {
        return byName.values();
    }

    StreamLog register(StreamLog log) {
        byKey.put(log.key(), log);
        byName.put(nameOf(log), log);
        return log;
    }

    private static Name nameOf(StreamLog log) {
        return new Name(log.tenant(), log.name());
    }

    /**
     * The stream that has this name as this batch sees it, or null.
     *
     * @throws StreamGone if it is gone, but its name is taken
     */
    @Nullable
    StreamLog find(CommitScope scope, String tenant, String name) {
        Name id = new Name(tenant, name);
        StreamLog log = opening.get(id);
        if (log == null) {
            log = byName.get(id);
        }
        if (log == null) {
            log = scope.reads().stream(tenant, name).map(this::nameKept).orElse(null);
        }
        if (log != null
                && log.leavesName()
                && scope.reads().stream(tenant, name).isPresent()) {
            throw new StreamGone(name); // unless its last fork ended later in this batch
        }
        return log == null || log.currentlyGone() ? null : log;
    }

    private StreamLog nameKept(StreamRow row) {
        if (row.state() == StreamRow.State.DELETED) {
            throw new StreamGone(row.name());
        }
        return keyedOrLoaded(row);
    }

    /** The stream of this key as this batch sees it, or null. */
    @Nullable
    StreamLog find(CommitScope scope, long key) {
        StreamLog log = byKey.get(key);
        if (log == null) {
            log = opening.values().stream()
                    .filter(created -> created.key() == key)
                    .findFirst()
                    .orElse(null);
        }
        if (log == null) {
            log = scope.reads().stream(key)
                    .filter(row -> !row.state().isGone())
                    .map(this::keyedOrLoaded)
                    .orElse(null);
        }
        return log == null || log.currentlyGone() ? null : log;
    }

    private StreamLog keyedOrLoaded(StreamRow row) {
        StreamLog known = byKey.get(row.key());
        return known != null ? known : register(load.apply(row));
    }

    /** The running batch creates this stream. */
    void creating(StreamLog log) {
        opening.put(nameOf(log), log);
    }

    /** The batch that created this stream was committed. */
    void created(StreamLog log) {
        opening.remove(nameOf(log), log);
        register(log);
    }

    /** The batch that created this stream was rolled back, or ended it as well. */
    void notCreated(StreamLog log) {
        opening.remove(nameOf(log), log);
    }

    void forget(StreamLog log) {
        byKey.remove(log.key(), log);
        byName.remove(nameOf(log), log);
    }

    int count() {
        return byKey.size();
    }

    /** In the order of their keys. */
    List<StreamLog> inOrder() {
        return byKey.values().stream()
                .sorted(Comparator.comparingLong(StreamLog::key))
                .toList();
    }
}
