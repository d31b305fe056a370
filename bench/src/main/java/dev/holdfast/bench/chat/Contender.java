package dev.holdfast.bench.chat;

import java.io.IOException;
import java.util.Locale;

/** Who runs the turns. */
enum Contender {
    /** Agents and readers in the process of the store: Holdfast embedded. */
    LIBRARY("Holdfast, library"),
    /** A server process; its readers are chat clients in this process. */
    WIRE("Holdfast, chat wire"),
    /** Redis; writers and readers are its clients in this process. */
    REDIS("Redis Streams");

    private final String title;

    Contender(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** A running one. */
    interface Running extends AutoCloseable {

        /** Runs turns, so many at once and so many in a row. */
        TurnSample run(int turns, int inARow) throws IOException, InterruptedException;

        @Override
        void close() throws IOException;
    }
}
