package dev.holdfast.client.transport;

import dev.holdfast.client.message.ClientMessage;
import dev.holdfast.client.message.ServerMessage;
import java.util.concurrent.CompletableFuture;

/** Makes connections to one server. Thread-safe. */
public interface Transport extends AutoCloseable {

    /** A connection that is not open yet. Each is opened once; a connection that was lost is replaced by another, never opened again. */
    Connection connection(Receiver receiver);

    /** Lets go of what connections share. They are closed before. */
    @Override
    void close();

    /** One connection. Thread-safe. */
    interface Connection {

        /** Begins to open it and does not wait; what comes of it the receiver is told. */
        void open();

        /**
         * Sends a command and does not wait. The answer has whatever status the server gave it; without an answer the future fails. Cancelling it gives up
         * waiting. On a connection without a welcome it fails.
         */
        CompletableFuture<ServerMessage.Reply> send(ClientMessage command);

        /** Cuts it. Once this has returned, the receiver is told nothing new, though a call that had begun may still run. */
        void close();
    }

    /** What a connection tells. It calls one method at a time, from a thread of its own. */
    interface Receiver {

        /** A message came. While this runs the connection reads no further, so a slow receiver slows its own connection. */
        void received(ServerMessage message);

        /** The connection could not be opened, or is lost. The last call. */
        void lost(Loss loss);
    }
}
