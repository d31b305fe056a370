package dev.holdfast.http.session;

import dev.holdfast.http.session.Drivers.Standing;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * The connections that are open, by their ids, and who of them watches which session. What concerns several of them is told by a wake-up only:
 * each looks for itself, so none can hold up or break another. Thread-safe.
 */
final class Connections {

    private final Map<String, Connection> byId = new ConcurrentHashMap<>();
    private final Map<SessionKey, Set<Watch>> watches = new ConcurrentHashMap<>();
    private final Drivers drivers = new Drivers();
    private volatile boolean draining;

    void enter(Connection connection) {
        byId.put(connection.id(), connection);
        if (draining) {
            connection.drain();
        }
    }

    /** Forgets this very connection; one that has its id by now, were there any, stays. */
    void leave(Connection connection) {
        boolean unused = byId.remove(connection.id(), connection);
        List<SessionKey> unusedSeats = vacate(connection);
        if (draining && byId.isEmpty()) {
            synchronized (this) {
                notifyAll();
            }
        }
    }

    /** The connection's seats become vacant. Returns which. */
    List<SessionKey> vacate(Connection connection) {
        List<SessionKey> left = drivers.leave(connection);
        left.forEach(this::tellDriver);
        return left;
    }

    Optional<Connection> find(String id) {
        return Optional.ofNullable(byId.get(id));
    }

    int count() {
        return byId.size();
    }

    void watches(SessionKey session, Watch watch) {
        watches.compute(session, (key, known) -> {
            Set<Watch> all = known == null ? ConcurrentHashMap.newKeySet() : known;
            all.add(watch);
            return all;
        });
    }

    void unwatches(SessionKey session, Watch watch) {
        watches.computeIfPresent(session, (key, all) -> {
            all.remove(watch);
            return all.isEmpty() ? null : all;
        });
    }

    int watchedSessions() {
        return watches.size();
    }

    Standing standing(SessionKey session, Connection connection) {
        return drivers.standing(session, connection);
    }

    /** The connection drives the session from now on. */
    void drive(SessionKey session, Connection connection) {
        drivers.take(session, connection).forEach(this::tellDriver);
    }

    /** The connection drives the session if its driver is gone, or is its own device. */
    void driveAgain(SessionKey session, Connection connection) {
        drivers.takeBack(session, connection).forEach(this::tellDriver);
    }

    /** The connection gets back the seats that it has left, as far as they are vacant. */
    void driveOwnAgain(List<SessionKey> left, Connection connection) {
        left.forEach(session -> drivers.takeOwnBack(session, connection).forEach(this::tellDriver));
    }

    /** If the connection drives the session, nobody does from now on. Returns whether it did. */
    boolean closeSeat(SessionKey session, Connection connection) {
        boolean was = drivers.close(session, connection);
        if (was) {
            tellDriver(session);
        }
        return was;
    }

    private void tellDriver(SessionKey session) {
        watches.getOrDefault(session, Set.of()).forEach(Watch::wake);
    }

    /** The connections of these ids tell their clients to come back, and end. */
    void endThose(Predicate<String> ids) {
        byId.values().stream().filter(connection -> ids.test(connection.id())).forEach(Connection::drain);
    }

    /** Every connection tells its client to come back, and ends; so do those that still come. Returns once all have, or after this time. */
    synchronized void drain(Duration patience) throws InterruptedException {
        draining = true;
        byId.values().forEach(Connection::drain);
        long deadline = System.nanoTime() + patience.toNanos();
        while (!byId.isEmpty()) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return;
            }
            wait(left);
        }
    }
}
