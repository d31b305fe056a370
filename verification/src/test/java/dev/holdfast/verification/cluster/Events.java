package dev.holdfast.verification.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Server-sent events, one after the other. */
final class Events implements AutoCloseable {

    private final BufferedReader lines;

    Events(InputStream body) {
        this.lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
    }

    /**
     * One event.
     *
     * @param name empty if it has none
     * @param id empty if it has none
     */
    record Event(String name, String data, String id) {}

    /** The next one; null after a clean end. What a cut leaves of one is nothing. */
    @Nullable
    Event next() throws IOException {
        String name = "";
        String id = "";
        StringBuilder data = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.isEmpty()) {
                if (!name.isEmpty() || !data.isEmpty()) {
                    return new Event(name, data.toString(), id);
                }
                id = "";
            } else if (line.startsWith("event:")) {
                name = value(line);
            } else if (line.startsWith("id:")) {
                id = value(line);
            } else if (line.startsWith("data:")) {
                data.append(data.isEmpty() ? "" : "\n").append(value(line));
            }
        }
        return null;
    }

    private static String value(String line) {
        return line.substring(line.indexOf(':') + 1).stripLeading();
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
