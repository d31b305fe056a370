package dev.holdfast.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What a test needs to talk to a server on this machine, in this process or in another one. Safe for any thread. */
public final class HttpPeer implements AutoCloseable {

    private final int port;

    /** What comes before each path. */
    private final String mount;

    /** Made when it is asked for: a process that only serves has no use for it, and starts sooner. */
    private @Nullable HttpClient client; // guarded by this

    public HttpPeer(int port) {
        this(port, "");
    }

    public HttpPeer(int port, String mount) {
        this.port = port;
        this.mount = mount;
    }

    public int port() {
        return port;
    }

    public synchronized HttpClient client() {
        HttpClient made = client;
        if (made == null) {
            made = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
            client = made;
        }
        return made;
    }

    public HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + mount + path));
    }

    public HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = request(path);
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    public HttpResponse<String> post(String path, String json) throws IOException, InterruptedException {
        return client().send(
                        request(path)
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(json))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    /** A socket of its own. */
    public Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), port);
    }

    /** Sends bytes as they are and returns all that comes back until the server closes. */
    public String raw(String request) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Gives up whatever is under way. */
    @Override
    public synchronized void close() {
        if (client != null) {
            client.shutdownNow();
        }
    }
}
