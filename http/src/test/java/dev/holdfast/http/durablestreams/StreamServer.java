package dev.holdfast.http.durablestreams;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.access.ApiKeys;
import dev.holdfast.access.Authorizer;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.RunningServer;
import dev.holdfast.http.Trust;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The wire on a real server and a real store, and short ways to talk to it. */
final class StreamServer implements AutoCloseable {

    static final String MOUNT = DurableStreamsSettings.DEFAULT_PREFIX + "/";
    static final String TEXT = "text/plain";
    static final String JSON = "application/json";

    final Holdfast holdfast;
    final RunningServer server;

    StreamServer(Path folder) throws IOException {
        this(folder, quick());
    }

    StreamServer(Path folder, DurableStreamsSettings settings) throws IOException {
        this(folder, settings, HoldfastSettings.defaults(), Trust.loopback(Holdfast.DEFAULT_TENANT));
    }

    StreamServer(Path folder, DurableStreamsSettings settings, HoldfastSettings engine, Trust trust)
            throws IOException {
        this(folder, settings, engine, trust, Authorizer.allowAll());
    }

    StreamServer(
            Path folder, DurableStreamsSettings settings, HoldfastSettings engine, Trust trust, Authorizer authorizer)
            throws IOException {
        holdfast = Holdfast.open(folder, engine);
        server = RunningServer.start(
                routes -> routes.mount(new DurableStreams(holdfast, authorizer, settings)),
                trust,
                HttpLimits.defaults());
    }

    /** Defaults, but no long-poll keeps a test waiting. */
    static DurableStreamsSettings quick() {
        return DurableStreamsSettings.defaults().withLongPoll(Duration.ofMillis(50));
    }

    static Trust listing(String origin) {
        return new Trust(Holdfast.DEFAULT_TENANT, ApiKeys.none(), Set.of(), Set.of(origin));
    }

    /** Sends a request whose headers are name, value, name, value ...; a null body is none. */
    HttpResponse<byte[]> send(String method, String name, byte @Nullable [] body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = server.request(MOUNT + name)
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return server.client().send(request.build(), BodyHandlers.ofByteArray());
    }

    HttpResponse<byte[]> put(String name, String contentType, String... headers)
            throws IOException, InterruptedException {
        return send("PUT", name, null, with(contentType, headers));
    }

    HttpResponse<byte[]> post(String name, String contentType, String body, String... headers)
            throws IOException, InterruptedException {
        return send("POST", name, body.getBytes(StandardCharsets.UTF_8), with(contentType, headers));
    }

    HttpResponse<byte[]> get(String name, String... headers) throws IOException, InterruptedException {
        return send("GET", name, null, headers);
    }

    private static String[] with(String contentType, String... headers) {
        String[] all = new String[headers.length + 2];
        all[0] = "Content-Type";
        all[1] = contentType;
        System.arraycopy(headers, 0, all, 2, headers.length);
        return all;
    }

    static String text(HttpResponse<byte[]> response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    static String offset(long seq) {
        return StreamOffset.of(seq);
    }

    @Override
    public void close() {
        server.close();
        holdfast.close();
    }
}
