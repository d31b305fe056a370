package dev.holdfast.stream;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.store.Shards;
import dev.holdfast.store.StreamQuery;
import dev.holdfast.store.StreamRow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Pages of a tenant's streams, from the store, each stream as it stands in memory where it is there. */
final class StreamLists {

    private static final Comparator<StreamStatus> NEWEST_FIRST = Comparator.comparing(
                    StreamStatus::position,
                    Comparator.comparingLong(StreamStatus.Position::createdAt)
                            .thenComparingLong(StreamStatus.Position::key))
            .reversed();

    private StreamLists() {}

    static List<StreamStatus> page(Shards<StreamEngine> shards, String tenant, StreamListing listing) {
        if (listing.limit() < 1 || listing.limit() > StreamLimits.MAX_PAGE) {
            throw new InvalidArgument(
                    "A page holds 1 to %d streams; got %d.".formatted(StreamLimits.MAX_PAGE, listing.limit()));
        }
        StreamStatus.Position after = listing.after();
        StreamQuery query = new StreamQuery(
                tenant,
                states(listing.states()),
                listing.tag(),
                after == null ? null : new StreamQuery.Position(after.createdAt(), after.key()),
                listing.limit());
        List<List<StreamStatus>> pages = shards.onEach(engine -> page(engine, query));
        if (pages.size() == 1) {
            return pages.getFirst();
        }
        return pages.stream() // each gave its newest; the newest of all are among them
                .flatMap(List::stream)
                .sorted(NEWEST_FIRST)
                .limit(listing.limit())
                .toList();
    }

    private static List<StreamStatus> page(StreamEngine engine, StreamQuery query) {
        String tenant = query.tenant();
        List<StreamStatus> page = new ArrayList<>();
        List<StreamRow> rows = engine.store().read(reads -> reads.streams(query));
        for (StreamRow row : rows) {
            StreamLog log = engine.loaded(tenant, row.name())
                    .filter(l -> l.key() == row.key())
                    .orElse(null);
            page.add(log != null ? log.status() : statusOf(row));
        }
        return page;
    }

    private static StreamStatus statusOf(StreamRow row) {
        return Rows.status(row, Rows.stateOf(row), row.tail(), row.lastAppendAt(), row.expiresAt());
    }

    private static Set<StreamRow.State> states(Set<StreamState> wanted) {
        Set<StreamRow.State> states = EnumSet.noneOf(StreamRow.State.class);
        for (StreamState state : StreamState.values()) {
            if (wanted.isEmpty() || wanted.contains(state)) {
                states.add(
                        switch (state) {
                            case LIVE -> StreamRow.State.LIVE;
                            case COMPLETED -> StreamRow.State.COMPLETED;
                            case ERRORED -> StreamRow.State.ERRORED;
                        });
            }
        }
        return states;
    }
}
