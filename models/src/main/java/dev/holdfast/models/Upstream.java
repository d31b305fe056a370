package dev.holdfast.models;

import dev.holdfast.turn.TurnContext;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/** Asks a provider over HTTP. Errors name the address and the status, never the key. */
final class Upstream {

    private static final Logger LOG = LoggerFactory.getLogger(Upstream.class);
    private static final Duration STATUS_TIMEOUT = Duration.ofSeconds(10);

    private final ModelSettings settings;
    private final Map<String, String> headers;

    private Upstream(ModelSettings settings, Map<String, String> headers) {
        this.settings = settings;
        this.headers = headers;
    }

    /** One that gets the key as a bearer token. */
    static Upstream withBearerToken(ModelSettings settings) {
        String key = settings.apiKey();
        return new Upstream(settings, key == null ? Map.of() : Map.of("Authorization", "Bearer " + key));
    }

    /** One that gets the key and the API's version in headers of their own. */
    static Upstream withKeyHeader(ModelSettings settings, String versionHeader, String version) {
        String key = settings.apiKey();
        return new Upstream(
                settings,
                key == null ? Map.of(versionHeader, version) : Map.of(versionHeader, version, "x-api-key", key));
    }

    /** Posts a request whose answer is an event stream. A stop of the turn cuts the connection at once, even before the answer begins. */
    UpstreamEvents post(String path, JsonNode body, TurnContext turn) throws InterruptedException {
        return open(settings.url(path), HttpRequest.BodyPublishers.ofByteArray(ModelJson.bytes(body)), turn);
    }

    /** Gets an event stream. */
    UpstreamEvents get(String path, TurnContext turn) throws InterruptedException {
        return open(settings.url(path), null, turn);
    }

    /** The status of an answer that does not matter otherwise. */
    int status(String path) throws InterruptedException {
        URI url = settings.url(path);
        HttpRequest.Builder request = request(url).timeout(STATUS_TIMEOUT).GET();
        try {
            return settings.client()
                    .send(request.build(), BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException e) {
            throw new ProviderException.Unreachable(url, e);
        }
    }

    /** Sends a request without waiting for its answer, since the thread that stops a turn is interrupted as well. */
    void tell(String path) {
        URI url = settings.url(path);
        HttpRequest request = request(url)
                .timeout(STATUS_TIMEOUT)
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        var unused = settings.client()
                .sendAsync(request, BodyHandlers.discarding())
                .whenComplete((answer, error) -> {
                    if (error != null) {
                        LOG.warn("{} could not be asked: {}", url, error.toString());
                    } else if (answer.statusCode() >= 400) {
                        LOG.warn("{} answered with status {}", url, answer.statusCode());
                    }
                });
    }

    private UpstreamEvents open(URI url, HttpRequest.@Nullable BodyPublisher body, TurnContext turn)
            throws InterruptedException {
        HttpRequest.Builder request = request(url).header("Accept", "text/event-stream");
        if (body != null) {
            request.header("Content-Type", "application/json").POST(body);
        }
        CompletableFuture<HttpResponse<InputStream>> answer =
                settings.client().sendAsync(request.build(), BodyHandlers.ofInputStream());
        UpstreamEvents events = new UpstreamEvents(url, answer);
        turn.onStop(events::cut);
        try {
            HttpResponse<InputStream> response = answer.get();
            check(url, response);
            events.begin(response.body());
            return events;
        } catch (ExecutionException e) {
            if (events.isCut()) {
                throw stopped();
            }
            throw new ProviderException.Unreachable(url, e.getCause() == null ? e : e.getCause());
        } catch (CancellationException e) {
            throw stopped();
        } catch (InterruptedException | RuntimeException e) {
            events.cut();
            throw e;
        }
    }

    static InterruptedException stopped() {
        return new InterruptedException("The turn was stopped.");
    }

    private HttpRequest.Builder request(URI url) {
        HttpRequest.Builder request = HttpRequest.newBuilder(url).timeout(settings.answerTimeout());
        headers.forEach(request::setHeader);
        settings.headers().forEach(request::setHeader);
        return request;
    }

    private void check(URI url, HttpResponse<InputStream> response) {
        if (response.statusCode() != 200) {
            throw new ProviderException.Refused(url, response.statusCode(), body(response.body()));
        }
        String type = response.headers().firstValue("Content-Type").orElse("text/event-stream");
        if (!type.startsWith("text/event-stream")) {
            throw new ProviderException.Malformed("The provider answered with %s instead of an event stream: %s"
                    .formatted(type, body(response.body())));
        }
    }

    private String body(InputStream in) {
        try (in) {
            String body = new String(in.readNBytes(ModelLimits.MAX_ERROR_BODY_BYTES), StandardCharsets.UTF_8);
            String key = settings.apiKey();
            return key == null || key.isEmpty() ? body : body.replace(key, "***");
        } catch (IOException e) {
            return "";
        }
    }
}
