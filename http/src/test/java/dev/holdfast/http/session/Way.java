package dev.holdfast.http.session;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The two transports. */
enum Way {
    EVENTS {
        @Override
        Line connect(Wire wire, @Nullable String device) throws IOException, InterruptedException {
            return device == null ? wire.connect() : wire.connectAs(device);
        }
    },
    SOCKET {
        @Override
        Line connect(Wire wire, @Nullable String device) throws IOException, InterruptedException {
            return SocketLine.open(wire, device);
        }
    };

    /** Opens a connection and reads its welcome. */
    abstract Line connect(Wire wire, @Nullable String device) throws IOException, InterruptedException;
}
