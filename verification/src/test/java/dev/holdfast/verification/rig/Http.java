package dev.holdfast.verification.rig;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;

/** A client of one server. Safe for any thread. */
public final class Http implements AutoCloseable {

    private final URI server;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    public Http(URI server) {
        this.server = server;
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(server.resolve(path));
    }

    public HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(request(path).build(), BodyHandlers.ofString());
    }

    /** Opens an event stream, to be read piece by piece. */
    public InputStream watch(String path) throws IOException, InterruptedException {
        return client.send(request(path).build(), BodyHandlers.ofInputStream()).body();
    }

    public HttpResponse<String> post(String path, String json) throws IOException, InterruptedException {
        return send("POST", path, "application/json", json.getBytes(StandardCharsets.UTF_8));
    }

    public HttpResponse<String> send(String method, String path, String type, byte[] body)
            throws IOException, InterruptedException {
        return client.send(
                request(path)
                        .header("Content-Type", type)
                        .method(method, BodyPublishers.ofByteArray(body))
                        .build(),
                BodyHandlers.ofString());
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
