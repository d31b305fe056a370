package dev.holdfast.stream;

import dev.holdfast.stream.StreamListener.Change;
import dev.holdfast.stream.StreamListener.Kind;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Those who hear of all streams of a tenant. While there are none, a change costs one look at an empty list. Thread-safe. */
public final class Listeners {

    private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);

    private record Registered(String tenant, StreamListener listener) {}

    private final List<Registered> all = new CopyOnWriteArrayList<>();

    /** Returns what ends it. */
    Runnable add(String tenant, StreamListener listener) {
        Registered registered = new Registered(tenant, listener);
        all.add(registered);
        return () -> all.remove(registered);
    }

    boolean none() {
        return all.isEmpty();
    }

    /** Tells what a commit made of a stream. Committer's thread. */
    void changed(StreamLog log, View before, boolean created) {
        View now = log.view();
        if (now.gone()) {
            if (!before.gone() && !created) {
                tell(log, Kind.GONE);
            }
        } else if (created) {
            tell(log, Kind.CREATED);
        } else if (now.state() != before.state()) {
            tell(log, Kind.SETTLED);
        } else if (now.tail() > before.tail()) {
            tell(log, Kind.APPENDED);
        }
    }

    private void tell(StreamLog log, Kind kind) {
        Change change =
                new Change(kind, log.name(), log.incarnation(), log.view().tail());
        for (Registered each : all) {
            if (each.tenant().equals(log.tenant())) {
                try {
                    each.listener().changed(change);
                } catch (RuntimeException e) {
                    LOG.error("A listener failed at {}", change, e);
                }
            }
        }
    }
}
