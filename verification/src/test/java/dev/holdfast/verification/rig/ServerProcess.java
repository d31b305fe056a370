package dev.holdfast.verification.rig;

import static dev.holdfast.verification.rig.Patience.await;

import dev.holdfast.server.Main;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code holdfast serve} in a process of its own, on a folder that outlives it. */
public final class ServerProcess implements AutoCloseable {

    /** What the server says once it can be used: its first line, and its only one. */
    private static final Pattern READY = Pattern.compile("Holdfast listening on (http://\\S+)");

    /** The server's own logging, to standard error, and not that of the tests. */
    private static final List<String> LOGGING = List.of("-Dlogback.configurationFile=logback.xml");

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
        return start(scratch, List.of(), data, port, options);
    }

    /** As above, behind a command that starts it. */
    public static ServerProcess start(Path scratch, List<String> launcher, Path data, int port, String... options) {
        List<String> command = new ArrayList<>(launcher);
        command.addAll(Signals.interruptible());
        List<String> arguments = new ArrayList<>(
                List.of("serve", "--port", Integer.toString(port), "--data", data.toString(), "--log-level", "WARN"));
        arguments.addAll(List.of(options));
        Child child = Child.start(scratch, command, LOGGING, Main.class, arguments.toArray(String[]::new));
        AtomicReference<String> first = new AtomicReference<>("");
        child.readUntil(line -> true, first::set);
        Matcher ready = READY.matcher(first.get());
        if (!ready.matches()) {
            child.close();
            throw new AssertionError("the server's first line was: " + first.get());
        }
        return new ServerProcess(child, URI.create(ready.group(1)));
    }

    public URI uri() {
        return uri;
    }

    /** SIGKILL. */
    public void kill() {
        child.kill(line -> {});
    }

    /** Sends a signal, such as {@code TERM}, and does not wait for what comes of it. */
    public void signal(String name) {
        Signals.send(name, child.pid());
    }

    /** SIGSTOP, and waits until none of its threads runs any more. */
    public void freeze() {
        signal("STOP");
        await().until(() -> Signals.isStopped(child.pid()));
    }

    /** SIGTERM, and waits until it has ended by itself. Returns its exit code. */
    public int terminate() {
        signal("TERM");
        return end();
    }

    /** Waits until it ends by itself, having said nothing after its ready line, and returns its exit code. */
    public int end() {
        return child.end(line -> {
            throw new AssertionError("the server also said: " + line);
        });
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
