package dev.holdfast.verification.session;

import dev.holdfast.http.Answers;
import dev.holdfast.http.Call;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Router;
import dev.holdfast.verification.rig.LastingPort;
import dev.holdfast.verification.rig.ServerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Server processes by name, which clients of the test have started with options of their own, killed, and started again on the same folder and at the
 * same address. Thread-safe.
 */
final class ServerProcesses implements AutoCloseable {

    private final Path scratch;
    private final List<String> options;
    private final Map<String, Integer> ports = new HashMap<>(); // guarded by this
    private final Map<String, ServerProcess> running = new HashMap<>(); // guarded by this

    /**
     * @param options of {@code serve} that all have
     */
    ServerProcesses(Path scratch, List<String> options) {
        this.scratch = scratch;
        this.options = options;
    }

    void addTo(Router.Builder routes) {
        routes.add("POST", "/test/servers/{name}/start", this::start);
        routes.add("POST", "/test/servers/{name}/kill", call -> {
            kill(call.path("name"));
            Answers.empty(call.exchange(), 204, new Headers());
        });
    }

    /** {@code ?options=} are its own ones, separated by spaces. The answer is its address. */
    private synchronized void start(Call call) throws IOException {
        String name = call.path("name");
        if (running.containsKey(name)) {
            throw HttpProblem.badRequest("The server \"%s\" runs already. Kill it first.".formatted(name));
        }
        List<String> all = new ArrayList<>(options);
        call.query().text("options").ifPresent(own -> all.addAll(Arrays.asList(own.split(" ", -1))));
        int port = ports.computeIfAbsent(name, fresh -> LastingPort.find());
        ServerProcess started =
                ServerProcess.start(scratch, scratch.resolve("server-" + name), port, all.toArray(String[]::new));
        running.put(name, started);
        byte[] uri = started.uri().toString().getBytes(StandardCharsets.UTF_8);
        call.exchange().answer(200, new Headers().set("Content-Type", "text/plain"), uri);
    }

    private synchronized void kill(String name) {
        ServerProcess killed = running.remove(name);
        if (killed != null) {
            killed.kill();
            killed.close();
        }
    }

    @Override
    public synchronized void close() {
        running.values().forEach(ServerProcess::close);
    }
}
