package dev.holdfast.http.session;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The two transports, each to a server in this process and to one in another. */
enum Way {
    EVENTS(Where.IN_PROCESS),
    SOCKET(Where.IN_PROCESS),
    EVENTS_FORKED(Where.FORKED),
    SOCKET_FORKED(Where.FORKED);

    private final Where where;

    Way(Where where) {
        this.where = where;
    }

    /** Where its server lives. */
    Where where() {
        return where;
    }

    /** Opens a connection and reads its welcome. */
    Line connect(Wire wire, @Nullable String device) throws IOException, InterruptedException {
        return switch (this) {
            case EVENTS, EVENTS_FORKED -> SseLine.open(wire, device);
            case SOCKET, SOCKET_FORKED -> SocketLine.open(wire, device);
        };
    }
}
