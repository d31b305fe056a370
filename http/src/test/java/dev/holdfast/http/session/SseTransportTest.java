package dev.holdfast.http.session;

import org.jspecify.annotations.Nullable;

/** The transport over server-sent events and POSTs. */
final class SseTransportTest extends TransportContract {

    @Override
    Line connect(Wire to, @Nullable String device) throws Exception {
        return device == null ? to.connect() : to.connectAs(device);
    }
}
