package dev.holdfast.http.durablestreams;

import dev.holdfast.error.HoldfastException.StreamGone;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Locations;
import dev.holdfast.http.RequestHead;
import dev.holdfast.stream.CreateResult;
import dev.holdfast.stream.Retention;
import dev.holdfast.stream.StreamCreation;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.stream.Streams;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** {@code PUT}: creates a stream, with its first content and closed if asked, or finds it created alike. */
final class CreateStream {

    private final DurableStreamsSettings settings;
    private final InFlight inFlight;

    CreateStream(DurableStreamsSettings settings, InFlight inFlight) {
        this.settings = settings;
        this.inFlight = inFlight;
    }

    /**
     * @param mayRead refuses a source that this caller may not read
     */
    void answer(StreamCall call, Consumer<String> mayRead) throws IOException {
        RequestHead head = call.head();
        ForkHeaders fork = ForkHeaders.of(head, settings.prefix());
        if (fork != null) {
            mayRead.accept(fork.source());
        }
        StreamOptions options = options(head, fork != null);
        try (InFlight.Share share = inFlight.share()) {
            byte[] body = RequestBody.read(call.exchange(), settings.maxBodyBytes(), share);
            StreamCreation creation = StreamCreation.of(options);
            String contentType = options.contentType();
            if (fork != null) {
                String inherited = contentTypeOf(call.streams(), fork.source());
                creation = creation.from(fork.toFork(inherited));
                contentType = contentType == null ? inherited : contentType;
            }
            creation = creation.with(chunks(body, contentType));
            answer(
                    call,
                    call.streams().create(call.name(), WriteHeaders.closed(head) ? creation.settling() : creation));
        }
    }

    /** What a source is made of. One that is gone but for its forks has a type as well; that it cannot be forked is said by the creation. */
    private static String contentTypeOf(Streams streams, String source) {
        try {
            return streams.status(source)
                    .orElseThrow(() -> new StreamNotFound(source))
                    .contentType();
        } catch (StreamGone e) {
            return StreamOptions.DEFAULT_CONTENT_TYPE;
        }
    }

    /** What a fork leaves open is as with its source; what another stream leaves open is as the server has it. */
    private StreamOptions options(RequestHead head, boolean fork) {
        StreamOptions options = StreamOptions.DEFAULTS;
        String contentType = head.value("Content-Type");
        if (contentType != null && !contentType.isBlank()) {
            options = options.withContentType(contentType);
        }
        Duration ttl = WriteHeaders.timeToLive(head);
        if (ttl != null) {
            options = options.withTimeToLive(ttl);
        }
        Instant expiry = WriteHeaders.expiresAt(head);
        if (expiry != null) {
            options = options.withExpiresAt(expiry);
        }
        Retention kept = WriteHeaders.retention(head);
        if (kept == null && !fork) {
            kept = settings.retention();
        }
        return kept == null ? options : options.withRetention(kept);
    }

    private static List<byte[]> chunks(byte[] body, @Nullable String contentType) {
        if (body.length == 0) {
            return List.of();
        }
        if (contentType == null || !MediaType.isJson(contentType)) {
            return List.of(body);
        }
        try {
            return JsonMessages.of(body);
        } catch (InvalidJson e) {
            throw HttpProblem.badRequest(String.valueOf(e.getMessage()));
        }
    }

    private void answer(StreamCall call, CreateResult result) throws IOException {
        Headers headers = new Headers()
                .add("Content-Type", result.status().contentType())
                .add(Wire.NEXT_OFFSET, StreamOffset.of(result.status().tail()))
                .add("Location", new Locations(settings.proxy()).of(call.head()));
        if (result.status().settled()) {
            headers.add(Wire.CLOSED, Wire.TRUE);
        }
        call.exchange().answer(result.created() ? 201 : 200, headers, Wire.NOTHING);
    }
}
