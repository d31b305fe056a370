package dev.holdfast.client;

import dev.holdfast.client.message.ServerMessage.Attached;
import dev.holdfast.client.message.ServerMessage.Driver;
import dev.holdfast.client.message.SessionEvent;
import java.util.ArrayList;
import java.util.List;

/** What a listener was told: the events that it took, by their names, and everything else as it came. */
final class Seen implements SessionListener {

    final List<String> events = new ArrayList<>();
    final List<Attached> attaches = new ArrayList<>();
    final List<Driver> drivers = new ArrayList<>();
    final List<WatchEnd> ends = new ArrayList<>();

    /** How many of the calls to come throw. */
    int refuses;

    int calls;

    private void maybeRefuse() {
        calls++;
        if (refuses > 0) {
            refuses--;
            throw new IllegalStateException("not now");
        }
    }

    @Override
    public void attached(Attached attached) {
        maybeRefuse();
        attaches.add(attached);
        if (attached.answer() == Attached.Answer.SNAPSHOT) {
            events.clear();
        }
    }

    @Override
    public void events(List<SessionEvent> frame, String cursor) {
        maybeRefuse();
        frame.forEach(event -> events.add(Frames.name(event)));
    }

    @Override
    public void driver(Driver driver) {
        drivers.add(driver);
    }

    @Override
    public void ended(WatchEnd end) {
        ends.add(end);
    }
}
