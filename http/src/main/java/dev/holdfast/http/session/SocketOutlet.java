package dev.holdfast.http.session;

import dev.holdfast.http.WebSocket;
import java.io.IOException;

/** Messages as text frames of a WebSocket. */
final class SocketOutlet implements Outlet {

    private final WebSocket socket;
    private boolean some;

    SocketOutlet(WebSocket socket) {
        this.socket = socket;
    }

    @Override
    public void add(byte[] json) throws IOException {
        socket.sendText(json);
        some = true;
    }

    @Override
    public boolean flush() {
        boolean sent = some;
        some = false;
        return sent;
    }
}
