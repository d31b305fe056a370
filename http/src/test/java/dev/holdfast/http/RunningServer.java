package dev.holdfast.http;

import dev.holdfast.Holdfast;
import dev.holdfast.http.jetty.JettyServer;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.function.Consumer;

/** A real server on a free port, Jetty unless asked for another, with what a test needs to talk to it. */
public final class RunningServer implements AutoCloseable {

    private final HttpListener listener;
    private final FrontDoor door;
    private final HttpPeer peer;

    private RunningServer(HttpListener listener, FrontDoor door, String mount) {
        this.listener = listener;
        this.door = door;
        this.peer = new HttpPeer(listener.port(), mount);
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
        return start(routes, trust, limits, factory, "");
    }

    /** With requests that are made below a path. */
    public static RunningServer start(
            Consumer<Router.Builder> routes, Trust trust, HttpLimits limits, HttpListener.Factory factory, String mount)
            throws IOException {
        Router.Builder router = Router.builder();
        routes.accept(router);
        FrontDoor door = new FrontDoor(router.build(), trust, limits);
        HttpListener listener = factory.listen("127.0.0.1", 0, limits, door);
        listener.start();
        return new RunningServer(listener, door, mount);
    }

    public FrontDoor door() {
        return door;
    }

    /** What talks to it. */
    public HttpPeer peer() {
        return peer;
    }

    public int port() {
        return peer.port();
    }

    public HttpClient client() {
        return peer.client();
    }

    public HttpRequest.Builder request(String path) {
        return peer.request(path);
    }

    public HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        return peer.get(path, headers);
    }

    public HttpResponse<String> post(String path, String json) throws IOException, InterruptedException {
        return peer.post(path, json);
    }

    public Socket connect() throws IOException {
        return peer.connect();
    }

    public String raw(String request) throws IOException {
        return peer.raw(request);
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
        peer.close();
    }
}
