package dev.holdfast.bench.http;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** Prepares streams on a server, unmeasured. */
final class Streams implements AutoCloseable {

    static final String ROOT = "/v1/stream/";

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI server;

    Streams(URI server) {
        this.server = server;
    }

    void create(String name, String contentType, byte[] body) throws IOException, InterruptedException {
        send("PUT", name, contentType, body);
    }

    void append(String name, String contentType, byte[] body) throws IOException, InterruptedException {
        send("POST", name, contentType, body);
    }

    private void send(String method, String name, String contentType, byte[] body)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(server.resolve(ROOT + name))
                .header("Content-Type", contentType)
                .method(method, BodyPublishers.ofByteArray(body))
                .build();
        HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
        if (response.statusCode() / 100 != 2) {
            throw new IOException("%s %s was answered with %d: %s"
                    .formatted(method, request.uri(), response.statusCode(), response.body()));
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
