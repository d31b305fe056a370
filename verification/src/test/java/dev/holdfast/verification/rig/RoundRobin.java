package dev.holdfast.verification.rig;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A proxy that gives each request to the next of several servers: nothing sticks to any of them. A response that breaks off breaks off here. */
public final class RoundRobin implements AutoCloseable {

    private static final Set<String> OF_THE_CONNECTION = Set.of(
            "connection",
            "content-length",
            "expect",
            "host",
            "http2-settings",
            "keep-alive",
            "transfer-encoding",
            "upgrade");

    private static final int BUFFER_BYTES = 8 << 10;

    private final List<URI> servers;
    private final AtomicInteger next = new AtomicInteger();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final HttpServer proxy;

    /**
     * @param servers each with the same path
     */
    public RoundRobin(List<URI> servers) throws IOException {
        this.servers = List.copyOf(servers);
        this.proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        proxy.setExecutor(threads);
        proxy.createContext("/", this::forward);
        proxy.start();
    }

    /** Where clients come, with the path of the servers. */
    public URI uri() {
        return URI.create("http://127.0.0.1:%d%s"
                .formatted(proxy.getAddress().getPort(), servers.getFirst().getPath()));
    }

    private void forward(HttpExchange exchange) throws IOException {
        URI server = servers.get(Math.floorMod(next.getAndIncrement(), servers.size()));
        byte[] body = exchange.getRequestBody().readAllBytes();
        HttpRequest.Builder request = HttpRequest.newBuilder(server.resolve(exchange.getRequestURI()))
                .method(
                        exchange.getRequestMethod(),
                        body.length == 0
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofByteArray(body));
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (isForwarded(name)) {
                values.forEach(value -> request.header(name, value));
            }
        });
        try (exchange) {
            HttpResponse<InputStream> response =
                    client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            response.headers().map().forEach((name, values) -> {
                if (isForwarded(name)) {
                    exchange.getResponseHeaders().put(name, values);
                }
            });
            copy(response, exchange);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private static boolean isForwarded(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return !OF_THE_CONNECTION.contains(lower) && !lower.startsWith(":");
    }

    private static void copy(HttpResponse<InputStream> response, HttpExchange exchange) throws IOException {
        try (InputStream in = response.body()) {
            boolean none = response.statusCode() == 204 || response.statusCode() == 304;
            exchange.sendResponseHeaders(response.statusCode(), none ? -1 : 0);
            if (none) {
                return;
            }
            OutputStream out = exchange.getResponseBody();
            byte[] buffer = new byte[BUFFER_BYTES];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                out.write(buffer, 0, read);
                out.flush();
            }
            out.close(); // only here: what breaks off before has no clean end
        }
    }

    @Override
    public void close() {
        proxy.stop(0);
        client.shutdownNow();
        threads.shutdownNow();
    }
}
