package dev.holdfast.bench.sessions;

import dev.holdfast.bench.http.wire.Connection;
import dev.holdfast.bench.http.wire.Requests;
import dev.holdfast.http.session.SessionTransport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/** A WebSocket, on which commands go up. */
final class WebSocketLink implements Link {

    private static final byte[] UPGRADE = Requests.upgrade(SessionTransport.PATH, SessionTransport.SUBPROTOCOL);

    private final Watcher watcher;
    private final Connection connection;
    private boolean cut;
    private boolean closed;

    private WebSocketLink(InetSocketAddress server, Selector selector, Watcher watcher) throws IOException {
        this.watcher = watcher;
        this.connection = Connection.begin(
                server, new WebSocketMessages(this::message, () -> closed = true), selector, watcher, UPGRADE);
    }

    static Link.Opening to(InetSocketAddress server, Selector selector) {
        return watcher -> new WebSocketLink(server, selector, watcher);
    }

    private void message(byte[] in, int from, int to) {
        if (!cut) {
            watcher.message(in, from, to);
        }
    }

    @Override
    public void ready(SelectionKey key, Room room) throws IOException {
        if (key.isConnectable()) {
            connection.connected(key);
        } else if (connection.read(room.in(), room.view())) {
            throw new IOException("connect was answered with " + connection.status());
        } else if (closed) {
            throw new IOException("the server closed the WebSocket");
        }
    }

    @Override
    public void command(String id, byte[] json) throws IOException {
        connection.send(ByteBuffer.wrap(WebSocketMessages.frame(json)));
    }

    @Override
    public void cut() throws IOException {
        cut = true;
        connection.cut();
    }
}
