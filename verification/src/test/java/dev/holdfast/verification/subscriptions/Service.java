package dev.holdfast.verification.subscriptions;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.access.Authorizer;
import dev.holdfast.http.FrontDoor;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.Router;
import dev.holdfast.http.Trust;
import dev.holdfast.http.durablestreams.DurableStreams;
import dev.holdfast.http.durablestreams.DurableStreamsSettings;
import dev.holdfast.http.durablestreams.subscriptions.LocalWebhooks;
import dev.holdfast.http.durablestreams.subscriptions.SubscriptionRoutes;
import dev.holdfast.http.durablestreams.subscriptions.SubscriptionSettings;
import dev.holdfast.http.durablestreams.subscriptions.Subscriptions;
import dev.holdfast.http.jetty.JettyServer;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamCreation;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.stream.Streams;
import dev.holdfast.verification.rig.ManualClock;
import dev.holdfast.verification.rig.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A store with subscriptions behind a real server, and a client of it. Time is in the test's hand. */
final class Service implements AutoCloseable {

    static final String PREFIX = "/v1/stream";

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** What came back. */
    record Reply(int status, JsonNode body) {
        String code() {
            return body.path("error").path("code").asString("");
        }

        JsonNode stream(String path) {
            for (JsonNode each : body.path("streams")) {
                if (each.path("path").stringValue().equals(path)) {
                    return each;
                }
            }
            return body.path("no such stream");
        }

        String acked(String path) {
            return stream(path).path("acked_offset").asString("");
        }
    }

    final ManualClock clock;
    private final Trust trust;
    private final UnaryOperator<SubscriptionSettings> wish;
    private final Holdfast holdfast;
    private final Subscriptions subscriptions;
    private final JettyServer jetty;
    private final HttpClient client = HttpClient.newHttpClient();

    Service(Path folder) {
        this(folder, new ManualClock());
    }

    Service(Path folder, ManualClock clock) {
        this(folder, clock, Trust.loopback(Holdfast.DEFAULT_TENANT));
    }

    Service(Path folder, ManualClock clock, Trust trust) {
        this(folder, clock, trust, settings -> settings);
    }

    Service(Path folder, ManualClock clock, UnaryOperator<SubscriptionSettings> wish) {
        this(folder, clock, Trust.loopback(Holdfast.DEFAULT_TENANT), wish);
    }

    private Service(Path folder, ManualClock clock, Trust trust, UnaryOperator<SubscriptionSettings> wish) {
        this.trust = trust;
        this.clock = clock;
        this.wish = wish;
        this.holdfast = Holdfast.open(folder, HoldfastSettings.defaults().withTime(clock, clock::timers));
        this.subscriptions = open();
        this.jetty = new JettyServer("127.0.0.1", 0, HttpLimits.defaults(), door());
        try {
            jetty.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Another instance on the same store. */
    Subscriptions open() {
        return Subscriptions.open(
                holdfast,
                wish.apply(SubscriptionSettings.defaults(Holdfast.DEFAULT_TENANT, PREFIX)
                        .withLocalWebhooks(LocalWebhooks.ALLOWED)
                        .withTime(clock, clock::timers)));
    }

    private FrontDoor door() {
        Authorizer authorizer = Authorizer.allowAll();
        DurableStreams wire = new DurableStreams(
                holdfast,
                authorizer,
                DurableStreamsSettings.defaults(),
                new SubscriptionRoutes(subscriptions, authorizer));
        return new FrontDoor(Router.builder().mount(wire).build(), trust, HttpLimits.defaults());
    }

    Holdfast holdfast() {
        return holdfast;
    }

    Streams streams() {
        return holdfast.streams();
    }

    String base() {
        return "http://127.0.0.1:" + jetty.port() + PREFIX;
    }

    /** Creates a stream with so many chunks. */
    void create(String stream, int chunks) {
        streams()
                .create(
                        stream,
                        StreamCreation.of(StreamOptions.DEFAULTS.withContentType("application/json"))
                                .with(chunks(chunks)));
    }

    void append(String stream, int chunks) {
        streams().append(stream, AppendRequest.of(chunks(chunks)));
    }

    private static List<byte[]> chunks(int count) {
        return Collections.nCopies(count, "{}".getBytes(StandardCharsets.UTF_8));
    }

    /** The events that a wake stream has. */
    List<JsonNode> events(String wakeStream) {
        ReadBatch batch = streams().read(wakeStream, 0, 1 << 20);
        return batch.chunks().stream()
                .map(chunk -> JSON.readTree(chunk.toByteArray()))
                .toList();
    }

    static String offset(long position) {
        return "%016d_%016d".formatted(0, position);
    }

    Reply webhook(String id, String pattern, Receiver receiver, int leaseMillis) {
        return put(id, """
                {"type":"webhook","pattern":"%s","webhook":{"url":"%s"},"lease_ttl_ms":%d}""".formatted(pattern, receiver.url(), leaseMillis));
    }

    Reply pull(String id, String pattern, String wakeStream, int leaseMillis) {
        return put(id, """
                {"type":"pull-wake","pattern":"%s","wake_stream":"%s","lease_ttl_ms":%d}""".formatted(pattern, wakeStream, leaseMillis));
    }

    Reply put(String id, String body) {
        return send("PUT", "/__ds/subscriptions/" + id, "", body);
    }

    Reply get(String id) {
        return send("GET", "/__ds/subscriptions/" + id, "", "");
    }

    Reply delete(String id) {
        return send("DELETE", "/__ds/subscriptions/" + id, "", "");
    }

    Reply post(String id, String action, String token, String body) {
        return send("POST", "/__ds/subscriptions/" + id + "/" + action, token, body);
    }

    Reply claim(String id, String worker) {
        return post(id, "claim", "", "{\"worker\":\"" + worker + "\"}");
    }

    Reply callback(String id, Receiver.Wake wake, String more) {
        return post(id, "callback", wake.token(), progress(wake.id(), wake.generation(), more));
    }

    /** An ack or release of what was claimed. */
    Reply worker(String id, String action, Reply claim, String more) {
        return post(
                id,
                action,
                claim.body().path("token").stringValue(),
                progress(
                        claim.body().path("wake_id").stringValue(),
                        claim.body().path("generation").longValue(),
                        more));
    }

    private static String progress(String wake, long generation, String more) {
        return "{\"wake_id\":\"%s\",\"generation\":%d%s}".formatted(wake, generation, more.isEmpty() ? "" : "," + more);
    }

    static String ack(String stream, long position) {
        return "\"acks\":[{\"stream\":\"%s\",\"offset\":\"%s\"}]".formatted(stream, offset(position));
    }

    /** The status of what a web page's script asks for. */
    int fromPage(String origin, String method, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(base() + path))
                .header("Origin", origin)
                .header("Content-Type", "application/json")
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build();
        try {
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    Reply send(String method, String path, String token, String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base() + path))
                .header("Content-Type", "application/json")
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        try {
            HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            String text = response.body();
            return new Reply(response.statusCode(), JSON.readTree(text.isEmpty() ? "{}" : text));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits until a subscription is as the condition says. */
    Reply until(String id, Predicate<Reply> condition) {
        return Patience.await().until(() -> get(id), condition);
    }

    /** Waits until the wake in flight is leased: its webhook was taken, or it was claimed. */
    void untilLeased(String id) {
        until(id, reply -> reply.body().path("lease_until").isString());
    }

    @Override
    public void close() {
        jetty.close();
        subscriptions.close();
        holdfast.close();
        client.shutdownNow();
    }
}
