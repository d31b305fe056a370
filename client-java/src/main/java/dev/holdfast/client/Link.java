package dev.holdfast.client;

import dev.holdfast.client.message.ClientMessage;
import dev.holdfast.client.message.ServerMessage;
import dev.holdfast.client.transport.Loss;
import dev.holdfast.client.transport.Transport;
import java.util.concurrent.CompletableFuture;

/**
 * One connection as its client sees it. What comes from a link is compared with the client's present one by identity: an older link has no say (G6).
 */
final class Link implements Transport.Receiver {

    /** Who is told. */
    interface Owner {
        void received(Link link, ServerMessage message);

        void lost(Link link, Loss loss);
    }

    private final Owner owner;
    private final Transport.Connection connection;

    /** When it was last heard of. Guarded by the client's monitor. */
    long heardAt;

    /** How many messages of it are being taken. Guarded by the client's monitor. */
    int busy;

    Link(Owner owner, Transport transport) {
        this.owner = owner;
        this.connection = transport.connection(this);
    }

    void open() {
        connection.open();
    }

    CompletableFuture<ServerMessage.Reply> send(ClientMessage command) {
        return connection.send(command);
    }

    void close() {
        connection.close();
    }

    @Override
    public void received(ServerMessage message) {
        owner.received(this, message);
    }

    @Override
    public void lost(Loss loss) {
        owner.lost(this, loss);
    }
}
