package dev.holdfast.bench.sessions;

import java.io.IOException;
import java.nio.channels.SelectionKey;

/** One connection of a watcher, over one of the transports. Made anew each time it comes back. One thread. */
interface Link {

    /** How a watcher connects. */
    @FunctionalInterface
    interface Opening {
        Link open(Watcher watcher) throws IOException;
    }

    /** The selector found something to do for this key. */
    void ready(SelectionKey key, Room room) throws IOException;

    /** Sends a command on the connection of this id, soon. */
    void command(String connection, byte[] json) throws IOException;

    /** Cuts it at once, as a network would. */
    void cut() throws IOException;
}
