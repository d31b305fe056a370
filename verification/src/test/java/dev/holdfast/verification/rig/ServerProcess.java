package dev.holdfast.verification.rig;

import dev.holdfast.server.Main;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** {@code holdfast serve} in a process of its own, on a folder that outlives it. */
public final class ServerProcess implements AutoCloseable {

    private static final String READY = "listening on ";

    private final Child child;
    private final URI uri;

    private ServerProcess(Child child, URI uri) {
        this.child = child;
        this.uri = uri;
    }

    /**
     * Starts one and waits until it can be used.
     *
     * @param scratch for the process's own files
     * @param port the port, or 0 for any
     */
    public static ServerProcess start(Path scratch, Path data, int port, String... options) {
        List<String> arguments = new ArrayList<>(
                List.of("serve", "--port", Integer.toString(port), "--data", data.toString(), "--log-level", "WARN"));
        arguments.addAll(List.of(options));
        Child child = Child.start(scratch, Main.class, arguments.toArray(String[]::new));
        AtomicReference<String> ready = new AtomicReference<>("");
        child.readUntil(line -> line.contains(READY), ready::set);
        String line = ready.get();
        return new ServerProcess(
                child,
                URI.create(line.substring(line.indexOf(READY) + READY.length()).strip()));
    }

    public URI uri() {
        return uri;
    }

    /** SIGKILL. */
    public void kill() {
        child.kill(line -> {});
    }

    /** What it wrote to its standard error. */
    public String log() {
        return child.complaints();
    }

    @Override
    public void close() {
        child.close();
    }
}
