package dev.holdfast.http.session;

import dev.holdfast.access.Principal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Who drives which session: the device that last sent, apart from the turn that runs and the node that runs it. A seat outlives its driver's
 * connection, so that the same device, or whoever reconnects, gets it; of each tenant the newest {@link TransportLimits#MAX_VACANT_SEATS} vacant
 * ones are remembered. A device is one only for the principal that names it. Of one process. Thread-safe.
 */
final class Drivers {

    /** How a connection stands to a session's seat. */
    enum Standing {
        YOU,
        OTHER,
        NONE
    }

    private record Device(Principal principal, String name) {
        static Device of(Connection connection) {
            return new Device(connection.principal(), connection.device());
        }
    }

    /** Changed under this; read by anyone. */
    private final Map<SessionKey, Connection> taken = new ConcurrentHashMap<>();

    /** For each tenant the seats whose driver is gone, and the device it was; the longest vacant first. Guarded by this. */
    private final Map<String, Map<SessionKey, Device>> vacant = new HashMap<>();

    Standing standing(SessionKey session, Connection connection) {
        Connection driver = taken.get(session);
        if (driver == null) {
            return Standing.NONE;
        }
        return driver.is(connection) ? Standing.YOU : Standing.OTHER;
    }

    /**
     * The connection takes the seat, whoever had it. One that has ended meanwhile leaves it vacant for its device. Returns the sessions whose seats
     * have changed.
     */
    synchronized List<SessionKey> take(SessionKey session, Connection connection) {
        Connection before = taken.get(session);
        if (before != null && before.is(connection)) {
            return List.of();
        }
        if (before != null) {
            before.seats().remove(session);
        }
        if (connection.isClosed()) {
            Connection unused = taken.remove(session);
            vacate(session, Device.of(connection));
            return List.of(session);
        }
        forget(session);
        taken.put(session, connection);
        connection.seats().add(session);
        if (connection.seats().size() <= TransportLimits.MAX_SEATS) {
            return List.of(session);
        }
        SessionKey oldest = connection.seats().iterator().next();
        connection.seats().remove(oldest);
        Connection unused = taken.remove(oldest);
        vacate(oldest, Device.of(connection));
        return List.of(session, oldest);
    }

    /** The connection takes a seat whose driver is gone, or that its own device has on another connection. Returns what has changed. */
    synchronized List<SessionKey> takeBack(SessionKey session, Connection connection) {
        Connection driver = taken.get(session);
        boolean mayTake =
                driver == null ? vacantFor(session) != null : Device.of(driver).equals(Device.of(connection));
        return mayTake ? take(session, connection) : List.of();
    }

    /** The connection takes a seat that is still vacant since its own device left it. Returns what has changed. */
    synchronized List<SessionKey> takeOwnBack(SessionKey session, Connection connection) {
        boolean own = !taken.containsKey(session) && Device.of(connection).equals(vacantFor(session));
        return own ? take(session, connection) : List.of();
    }

    /** If the connection drives the session, nobody does any more, and nobody gets its seat by coming back. Returns whether it did. */
    synchronized boolean close(SessionKey session, Connection connection) {
        if (standing(session, connection) != Standing.YOU) {
            return false;
        }
        Connection unused = taken.remove(session);
        connection.seats().remove(session);
        forget(session);
        return true;
    }

    /** The connection leaves its seats. Returns which. */
    synchronized List<SessionKey> leave(Connection connection) {
        List<SessionKey> left = new ArrayList<>(connection.seats());
        connection.seats().clear();
        for (SessionKey session : left) {
            Connection unused = taken.remove(session);
            vacate(session, Device.of(connection));
        }
        return left;
    }

    private void vacate(SessionKey session, Device device) {
        Map<SessionKey, Device> ofTenant = vacant.computeIfAbsent(session.tenant(), tenant -> new LinkedHashMap<>());
        Device unused = ofTenant.remove(session); // behind the others
        ofTenant.put(session, device);
        if (ofTenant.size() > TransportLimits.MAX_VACANT_SEATS) {
            Iterator<SessionKey> oldest = ofTenant.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
    }

    private @Nullable Device vacantFor(SessionKey session) {
        Map<SessionKey, Device> ofTenant = vacant.get(session.tenant());
        return ofTenant == null ? null : ofTenant.get(session);
    }

    private void forget(SessionKey session) {
        Map<SessionKey, Device> ofTenant = vacant.get(session.tenant());
        if (ofTenant != null) {
            Device unused = ofTenant.remove(session);
        }
    }
}
