package dev.holdfast.session;

import dev.holdfast.session.CompactedHistory.Entry;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreReads;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Puts overlays in the place of what they fold on one path. An overlay counts only where both of its ends lie on the path, so one that was made on a
 * branch hides nothing of another. Where two overlap, the newer one counts alone.
 *
 * <p>Walks the path twice, without contents, and keeps nothing of it but the places of the overlays' ends.
 */
final class CompactedPath {

    private final StoreReads reads;
    private final SessionRow session;

    /** What is folded, by the place of its newest message; places count from the path's end. */
    private final Map<Long, Fold> folds = new HashMap<>();

    private record Fold(Overlay overlay, long to, long from) {
        boolean overlaps(Fold other) {
            return to <= other.from && other.to <= from;
        }
    }

    /** An entry before its content is read. */
    private sealed interface Place {
        long bytes();

        record Whole(MessageRow row, @Nullable String parent) implements Place {
            @Override
            public long bytes() {
                return row.bytes();
            }
        }

        record Folded(Fold fold, long bytes) implements Place {
            static Folded of(Fold fold) {
                return new Folded(fold, fold.overlay().summary().getBytes(StandardCharsets.UTF_8).length);
            }
        }
    }

    private CompactedPath(StoreReads reads, SessionRow session) {
        this.reads = reads;
        this.session = session;
    }

    /** The newest entries of the path that ends with this message whose contents fit, at least one. */
    static CompactedHistory of(StoreReads reads, SessionRow session, MessageRow last, long maxBytes) {
        CompactedPath path = new CompactedPath(reads, session);
        List<Overlay> overlays = OverlayTable.newestFirst(reads, session);
        if (!overlays.isEmpty()) {
            path.choose(overlays, last);
        }
        return path.read(last, maxBytes);
    }

    private void choose(List<Overlay> overlays, MessageRow last) {
        Map<String, Long> places = places(overlays, last);
        List<Fold> chosen = new ArrayList<>();
        for (Overlay overlay : overlays) {
            Long from = places.get(overlay.from());
            Long to = places.get(overlay.to());
            if (from == null || to == null || to > from) {
                continue;
            }
            Fold fold = new Fold(overlay, to, from);
            if (chosen.stream().noneMatch(fold::overlaps)) {
                chosen.add(fold);
                folds.put(to, fold);
            }
        }
    }

    private Map<String, Long> places(List<Overlay> overlays, MessageRow last) {
        Set<String> wanted = new HashSet<>();
        overlays.forEach(overlay -> {
            wanted.add(overlay.from());
            wanted.add(overlay.to());
        });
        Map<String, Long> places = new HashMap<>();
        MessagePath.Walk walk = MessagePath.Walk.far(reads, session, last.seq());
        long place = 0;
        for (MessageRow row = walk.next(); row != null && !wanted.isEmpty(); row = walk.next()) {
            if (wanted.remove(row.id())) {
                places.put(row.id(), place);
            }
            place++;
        }
        return places;
    }

    private CompactedHistory read(MessageRow last, long maxBytes) {
        List<Place> places = new ArrayList<>();
        long bytes = 0;
        MessagePath.Walk walk = new MessagePath.Walk(reads, session, last.seq());
        long at = 0;
        boolean truncated = false;
        for (MessageRow row = walk.next(); row != null; row = walk.next()) {
            Fold fold = folds.get(at);
            MessageRow parent = walk.peek();
            Place place =
                    fold == null ? new Place.Whole(row, parent == null ? null : parent.id()) : Place.Folded.of(fold);
            truncated = !places.isEmpty()
                    && (bytes + place.bytes() > maxBytes || places.size() == SessionLimits.MAX_RECENT_MESSAGES);
            if (truncated) {
                break;
            }
            places.add(place);
            bytes += place.bytes();
            long next = fold == null ? at + 1 : fold.from() + 1;
            for (at++; at < next; at++) {
                walk.next();
            }
        }
        return new CompactedHistory(places.reversed().stream().map(this::entry).toList(), truncated, bytes);
    }

    private Entry entry(Place place) {
        return switch (place) {
            case Place.Whole whole -> new Entry.Stored(MessagePath.message(reads, whole.row(), whole.parent()));
            case Place.Folded(Fold fold, long bytes) -> new Entry.Folded(fold.overlay(), fold.from() - fold.to() + 1);
        };
    }
}
