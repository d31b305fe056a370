package dev.holdfast.http.durablestreams;

import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Problem;
import dev.holdfast.http.RequestHead;
import dev.holdfast.stream.CreateResult;
import dev.holdfast.stream.StreamCreation;
import dev.holdfast.stream.StreamOptions;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code PUT}: creates a stream, with its first content and closed if asked, or finds it created alike. */
final class CreateStream {

    private final DurableStreamsSettings settings;
    private final InFlight inFlight;

    CreateStream(DurableStreamsSettings settings, InFlight inFlight) {
        this.settings = settings;
        this.inFlight = inFlight;
    }

    void answer(StreamCall call) throws IOException {
        RequestHead head = call.head();
        refuseForks(head);
        try (InFlight.Share share = inFlight.share()) {
            StreamOptions options = options(head);
            byte[] body = RequestBody.read(call.exchange(), settings.maxBodyBytes(), share);
            List<byte[]> chunks = chunks(body, options.contentType());
            answer(
                    call,
                    call.streams()
                            .create(call.name(), new StreamCreation(options, chunks, WriteHeaders.closed(head), null)));
        }
    }

    private StreamOptions options(RequestHead head) {
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
        return options;
    }

    private static void refuseForks(RequestHead head) {
        if (head.value(Wire.FORKED_FROM) != null) {
            throw new HttpProblem(Problem.of(
                    501, "no-forks", "This server makes no forks", "Create a stream without Stream-Forked-From."));
        }
        if (head.value(Wire.FORK_OFFSET) != null || head.value(Wire.FORK_SUB_OFFSET) != null) {
            throw HttpProblem.badRequest("An offset of a fork comes with Stream-Forked-From.");
        }
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
                .add("Location", Locations.of(call.head()));
        if (result.status().settled()) {
            headers.add(Wire.CLOSED, Wire.TRUE);
        }
        call.exchange().answer(result.created() ? 201 : 200, headers, Wire.NOTHING);
    }
}
