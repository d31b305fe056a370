package dev.holdfast.http;

import dev.holdfast.Holdfast;
import dev.holdfast.http.jetty.JettyServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Consumer;

/** A real server on a free port, Jetty unless asked for another, with what a test needs to talk to it. */
public final class RunningServer implements AutoCloseable {

    private final HttpListener listener;
    private final FrontDoor door;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private RunningServer(HttpListener listener, FrontDoor door) {
        this.listener = listener;
        this.door = door;
    }

    public static RunningServer start(Consumer<Router.Builder> routes) throws IOException {
        return start(routes, Trust.loopback(Holdfast.DEFAULT_TENANT), HttpLimits.defaults());
    }

    public static RunningServer start(Consumer<Router.Builder> routes, Trust trust, HttpLimits limits)
            throws IOException {
        return start(routes, trust, limits, JettyServer::new);
    }

    public static RunningServer start(
            Consumer<Router.Builder> routes, Trust trust, HttpLimits limits, HttpListener.Factory factory)
            throws IOException {
        Router.Builder router = Router.builder();
        routes.accept(router);
        FrontDoor door = new FrontDoor(router.build(), trust, limits);
        HttpListener listener = factory.listen("127.0.0.1", 0, limits, door);
        listener.start();
        return new RunningServer(listener, door);
    }

    public FrontDoor door() {
        return door;
    }

    public int port() {
        return listener.port();
    }

    public HttpClient client() {
        return client;
    }

    public HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path));
    }

    public HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = request(path);
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    public HttpResponse<String> post(String path, String json) throws IOException, InterruptedException {
        return client.send(
                request(path)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(json))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** A socket of its own. */
    public Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), port());
    }

    /** Sends bytes as they are and returns all that comes back until the server closes. */
    public String raw(String request) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Override
    public void close() {
        door.open().abortAll();
        try {
            door.open().awaitNone(Duration.ofSeconds(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        listener.close();
        client.shutdownNow();
    }
}
