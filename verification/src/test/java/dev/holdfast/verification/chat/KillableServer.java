package dev.holdfast.verification.chat;

import dev.holdfast.http.Answers;
import dev.holdfast.http.Call;
import dev.holdfast.http.Headers;
import dev.holdfast.http.Router;
import dev.holdfast.verification.rig.LastingPort;
import dev.holdfast.verification.rig.ServerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A server process that clients have started, killed and started again, on the same folder and at the same address. Thread-safe. */
public final class KillableServer implements AutoCloseable {

    private final Path scratch;
    private final Supplier<List<String>> options;
    private @Nullable ServerProcess running; // guarded by this
    private final int port = LastingPort.find();

    /**
     * @param options of {@code serve}, asked for at each start
     */
    public KillableServer(Path scratch, Supplier<List<String>> options) {
        this.scratch = scratch;
        this.options = options;
    }

    public void addTo(Router.Builder routes) {
        routes.add("POST", "/test/server/start", this::start);
        routes.add("POST", "/test/server/kill", call -> {
            kill();
            Answers.empty(call.exchange(), 204, new Headers());
        });
    }

    private synchronized void start(Call call) throws IOException {
        ServerProcess started = ServerProcess.start(
                scratch, scratch.resolve("server"), port, options.get().toArray(String[]::new));
        running = started;
        byte[] uri = started.uri().toString().getBytes(StandardCharsets.UTF_8);
        call.exchange().answer(200, new Headers().set("Content-Type", "text/plain"), uri);
    }

    private synchronized void kill() {
        ServerProcess killed = running;
        if (killed != null) {
            killed.kill();
            killed.close();
            running = null;
        }
    }

    @Override
    public synchronized void close() {
        if (running != null) {
            running.close();
        }
    }
}
