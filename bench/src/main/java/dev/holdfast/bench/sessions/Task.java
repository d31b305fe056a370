package dev.holdfast.bench.sessions;

import java.io.IOException;
import java.nio.channels.SelectionKey;

/** Who is behind a key of the crowd's selector. */
interface Task {

    void ready(SelectionKey key, Room room) throws IOException;

    /** It failed; nothing more of it is selected. */
    void broken(IOException e);
}
