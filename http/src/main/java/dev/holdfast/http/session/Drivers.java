package dev.holdfast.http.session;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who drives which session: the device that last sent, apart from the turn that runs and the node that runs it. A seat outlives its driver's
 * connection, so that the same device, or whoever reconnects, gets it; the newest {@link TransportLimits#MAX_VACANT_SEATS} vacant ones are
 * remembered. Of one process. Thread-safe.
 */
final class Drivers {

    /** How a connection stands to a session's seat. */
    enum Standing {
        YOU,
        OTHER,
        NONE
    }

    private record Seat(String device, Connection connection) {}

    private final Map<SessionKey, Seat> taken = new HashMap<>();

    /** Seats whose driver is gone, and the device it was; the longest vacant first. */
    private final Map<SessionKey, String> vacant = new LinkedHashMap<>();

    synchronized Standing standing(SessionKey session, Connection connection) {
        Seat seat = taken.get(session);
        if (seat == null) {
            return Standing.NONE;
        }
        return seat.connection().is(connection) ? Standing.YOU : Standing.OTHER;
    }

    /** The connection takes the seat, whoever had it. Returns whether that changes anything. */
    synchronized boolean take(SessionKey session, Connection connection) {
        if (connection.isClosed()) {
            return false;
        }
        Seat before = taken.put(session, new Seat(connection.device(), connection));
        String unused = vacant.remove(session);
        connection.seats().add(session);
        if (before != null && !before.connection().is(connection)) {
            before.connection().seats().remove(session);
        }
        return before == null || !before.connection().is(connection);
    }

    /** The connection takes a seat whose driver is gone, or that its own device has on another connection. Returns whether it did. */
    synchronized boolean takeBack(SessionKey session, Connection connection) {
        Seat seat = taken.get(session);
        boolean mayTake =
                seat == null ? vacant.containsKey(session) : seat.device().equals(connection.device());
        return mayTake && take(session, connection);
    }

    /** Nobody drives the session any more, and nobody gets its seat by coming back. */
    synchronized void close(SessionKey session) {
        Seat seat = taken.remove(session);
        if (seat != null) {
            seat.connection().seats().remove(session);
        }
        String unused = vacant.remove(session);
    }

    /** The connection leaves its seats. Returns which. */
    synchronized Iterable<SessionKey> leave(Connection connection) {
        Map<SessionKey, @Nullable Void> left = new HashMap<>();
        for (Iterator<SessionKey> each = connection.seats().iterator(); each.hasNext(); ) {
            SessionKey session = each.next();
            each.remove();
            Seat seat = taken.get(session);
            if (seat != null && seat.connection().is(connection)) {
                taken.remove(session);
                String unused = vacant.remove(session);
                vacant.put(session, seat.device());
                left.put(session, null);
            }
        }
        while (vacant.size() > TransportLimits.MAX_VACANT_SEATS) {
            Iterator<SessionKey> oldest = vacant.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
        return left.keySet();
    }
}
