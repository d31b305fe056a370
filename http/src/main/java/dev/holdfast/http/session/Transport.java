package dev.holdfast.http.session;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Authorizer;
import dev.holdfast.http.Deadlines;
import dev.holdfast.http.api.Access;

/** What all connections of a process share. Thread-safe. */
final class Transport {

    private final TransportSettings settings;
    private final Access access;
    private final Connections connections = new Connections();
    private final ChunkJson json = new ChunkJson();
    private final Boot boot;
    private final Deadlines deadlines;

    Transport(Holdfast holdfast, Authorizer authorizer, TransportSettings settings) {
        this.settings = settings;
        this.access = new Access(holdfast, authorizer);
        this.boot = new Boot(settings.boot());
        this.deadlines = new Deadlines(settings.events().time(), settings.timers());
    }

    TransportSettings settings() {
        return settings;
    }

    Access access() {
        return access;
    }

    Connections connections() {
        return connections;
    }

    ChunkJson json() {
        return json;
    }

    Boot boot() {
        return boot;
    }

    Deadlines deadlines() {
        return deadlines;
    }
}
