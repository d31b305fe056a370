package dev.holdfast.verification.mcp;

import dev.holdfast.examples.mcp.FixtureMain;
import dev.holdfast.verification.rig.Child;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code holdfast mcp-fixture} in a process of its own, on a folder that outlives it. */
final class FixtureProcess implements AutoCloseable {

    private static final Pattern READY = Pattern.compile("mcp-fixture listening on (http://\\S+)");

    /** The program's own logging, to standard error, and not that of the tests. */
    private static final List<String> LOGGING = List.of("-Dlogback.configurationFile=logback.xml");

    private final Child child;
    private final URI uri;

    private FixtureProcess(Child child, URI uri) {
        this.child = child;
        this.uri = uri;
    }

    /**
     * Starts one and waits until it listens.
     *
     * @param scratch for the process's own files
     * @param port the port, or 0 for any
     */
    static FixtureProcess start(Path scratch, Path data, int port) {
        return with(scratch, "--port", Integer.toString(port), "--data", data.toString());
    }

    /** The same tools on the SDK's own transport. */
    static FixtureProcess stock(Path scratch) {
        return with(scratch, "--stock");
    }

    private static FixtureProcess with(Path scratch, String... arguments) {
        Child child = Child.start(scratch, List.of(), LOGGING, FixtureMain.class, arguments);
        List<String> said = new ArrayList<>();
        AtomicReference<String> uri = new AtomicReference<>("");
        child.readUntil(
                line -> {
                    Matcher ready = READY.matcher(line);
                    if (ready.matches()) {
                        uri.set(ready.group(1));
                    }
                    return ready.matches();
                },
                said::add);
        return new FixtureProcess(child, URI.create(uri.get()));
    }

    /** The endpoint. */
    URI uri() {
        return uri;
    }

    /** SIGKILL. */
    void kill() {
        child.kill(line -> {});
    }

    /** What it wrote to its standard error. */
    String log() {
        return child.complaints();
    }

    @Override
    public void close() {
        child.close();
    }
}
