package dev.holdfast.session;

import dev.holdfast.store.CommitScope;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreReads;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Where the overlays of a session are: properties of Holdfast's own, which are deleted with their session. */
final class OverlayTable {

    static final String PREFIX = PropertyEngine.RESERVED + "overlays/";

    private OverlayTable() {}

    private static String owner(SessionRow session) {
        return new PropertyRow.Owner.Session(session.key()).encoded();
    }

    private static String name(long number) {
        return PREFIX + String.format(Locale.ROOT, "%012d", number);
    }

    /** The name under which an overlay lies; none has the name of an id that is no number. */
    private static String name(String id) {
        try {
            return name(Long.parseLong(id));
        } catch (NumberFormatException e) {
            return PREFIX;
        }
    }

    private static long number(PropertyRow row) {
        return Long.parseLong(row.name().substring(PREFIX.length()));
    }

    private static List<PropertyRow> rows(StoreReads reads, SessionRow session) {
        return reads.properties(owner(session), PREFIX, "", SessionLimits.MAX_OVERLAYS + 1);
    }

    static List<Overlay> newestFirst(StoreReads reads, SessionRow session) {
        List<Overlay> overlays = new ArrayList<>();
        for (PropertyRow row : rows(reads, session)) {
            overlays.add(Overlay.decoded(Long.toString(number(row)), row.value()));
        }
        return List.copyOf(overlays.reversed());
    }

    /** Writes an overlay under the next number. Where there are as many as there may be, the oldest one goes. */
    static Overlay put(
            CommitScope scope, PropertyEngine properties, SessionRow session, String from, String to, String summary) {
        List<PropertyRow> rows = rows(scope.reads(), session);
        PropertyRow.Owner owner = new PropertyRow.Owner.Session(session.key());
        long number = rows.isEmpty() ? 1 : number(rows.getLast()) + 1;
        Overlay overlay = new Overlay(Long.toString(number), from, to, summary, Instant.ofEpochMilli(scope.now()));
        PropertyWrite write = PropertyWrite.of(name(number), overlay.encoded()).inFeed();
        properties.put(scope, owner, write);
        if (rows.size() >= SessionLimits.MAX_OVERLAYS) {
            scope.writes().deleteProperty(owner(session), rows.getFirst().name());
        }
        return overlay;
    }

    static boolean delete(CommitScope scope, PropertyEngine properties, SessionRow session, String id) {
        return properties.delete(
                scope,
                new PropertyRow.Owner.Session(session.key()),
                name(id),
                new PropertyWrite.Condition.Always(),
                PropertyWrite.Notice.IN_FEED);
    }

    static void clear(CommitScope scope, SessionRow session) {
        rows(scope.reads(), session).forEach(row -> scope.writes().deleteProperty(owner(session), row.name()));
    }
}
