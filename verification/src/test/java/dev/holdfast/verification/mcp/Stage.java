package dev.holdfast.verification.mcp;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** Servers that programs have started, killed and started again, each with a folder of its own. Thread-safe. */
final class Stage implements AutoCloseable {

    private final Path scratch;
    private final HttpServer control;
    private final Map<String, Part> parts = new ConcurrentHashMap<>();

    Stage(Path scratch) throws IOException {
        this.scratch = scratch;
        this.control = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        control.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        control.createContext(
                "/start/", exchange -> answer(exchange, part(exchange).start()));
        control.createContext("/kill/", exchange -> {
            part(exchange).kill();
            answer(exchange, "killed");
        });
        control.start();
    }

    /** Where programs ask for it. */
    String address() {
        return "http://127.0.0.1:" + control.getAddress().getPort();
    }

    private Part part(HttpExchange exchange) {
        String path = exchange.getRequestURI().getPath();
        String name = path.substring(path.lastIndexOf('/') + 1);
        return parts.computeIfAbsent(name, Part::new);
    }

    private static void answer(HttpExchange exchange, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, bytes.length);
        try (var body = exchange.getResponseBody()) {
            body.write(bytes);
        }
    }

    @Override
    public void close() {
        control.stop(0);
        parts.values().forEach(Part::close);
    }

    /** One server. */
    private final class Part {
        private final Path folder;
        private @Nullable FixtureProcess running; // guarded by this

        Part(String name) {
            folder = scratch.resolve("data-" + name);
        }

        /** Its address; that of the one that runs, if one does. */
        synchronized String start() {
            if (running == null) {
                running = FixtureProcess.start(scratch, folder, 0);
            }
            return running.uri().toString();
        }

        synchronized void kill() {
            FixtureProcess killed = running;
            if (killed != null) {
                running = null;
                killed.kill();
                killed.close();
            }
        }

        synchronized void close() {
            if (running != null) {
                running.close();
            }
        }
    }
}
