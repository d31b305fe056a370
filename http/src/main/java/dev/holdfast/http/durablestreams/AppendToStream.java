package dev.holdfast.http.durablestreams;

import dev.holdfast.error.HoldfastException.PreconditionFailed;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.RequestHead;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.AppendResult;
import dev.holdfast.stream.Producer;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST}: appends, closes, or both in one. What is wrong with a body is told only after all that may be wrong with the stream, which is
 * asked by the same rules as for a write.
 */
final class AppendToStream {

    /** What stands for a body that is no good while the stream is asked about the rest of the request. */
    private static final List<byte[]> ANYTHING = List.of(Wire.NOTHING);

    private final int maxBodyBytes;
    private final InFlight inFlight;

    AppendToStream(int maxBodyBytes, InFlight inFlight) {
        this.maxBodyBytes = maxBodyBytes;
        this.inFlight = inFlight;
    }

    void answer(StreamCall call) throws IOException {
        try (InFlight.Share share = inFlight.share()) {
            AppendRequest request = request(call.head());
            byte[] body = RequestBody.read(call.exchange(), maxBodyBytes, share);
            AppendResult result = append(call, request, body);
            boolean numbered = request.producer() != null && body.length > 0 && !result.duplicate();
            call.exchange().answer(numbered ? 200 : 204, headers(request.producer(), result), Wire.NOTHING);
        } catch (PreconditionFailed e) {
            throw new HttpProblem(WireErrors.of(e)
                    .header(
                            Wire.NEXT_OFFSET,
                            StreamOffset.of(call.streams()
                                    .status(call.name())
                                    .orElseThrow(() -> e)
                                    .tail())));
        }
    }

    private static AppendRequest request(RequestHead head) {
        AppendRequest request = AppendRequest.of(ANYTHING);
        Producer producer = WriteHeaders.producer(head);
        if (producer != null) {
            request = request.from(producer);
        }
        String order = head.value(Wire.SEQ);
        if (order != null) {
            request = request.ordered(order);
        }
        OptionalLong tail = WriteHeaders.expectedTail(head);
        if (tail.isPresent()) {
            request = request.at(tail.getAsLong());
        }
        return WriteHeaders.closed(head) ? request.settling() : request;
    }

    private static AppendResult append(StreamCall call, AppendRequest request, byte[] body) {
        String contentType = call.head().value("Content-Type");
        if (body.length == 0) {
            return request.settle()
                    ? call.streams().append(call.name(), withChunks(request, List.of()))
                    : refuse(
                            call,
                            request,
                            "There is nothing to append. Send a body, or Stream-Closed: true to close the stream.");
        }
        if (contentType == null || contentType.isBlank()) {
            return refuse(call, request, "A body comes with a Content-Type, that of the stream.");
        }
        AppendRequest typed = request.as(contentType);
        if (!MediaType.isJson(contentType)) {
            return call.streams().append(call.name(), withChunks(typed, List.of(body)));
        }
        List<byte[]> messages;
        try {
            messages = JsonMessages.of(body);
        } catch (InvalidJson e) {
            return refuse(call, typed, e.getMessage());
        }
        return messages.isEmpty()
                ? refuse(call, typed, "An empty array appends nothing. Send at least one message.")
                : call.streams().append(call.name(), withChunks(typed, messages));
    }

    private static AppendRequest withChunks(AppendRequest request, List<byte[]> chunks) {
        return new AppendRequest(
                chunks,
                request.producer(),
                null,
                request.expectedTail(),
                request.order(),
                request.settle(),
                request.contentType());
    }

    /** Refuses a body, unless there is something worse, or the whole was done before. */
    private static AppendResult refuse(StreamCall call, AppendRequest request, @Nullable String why) {
        AppendResult standing = call.streams().check(call.name(), request);
        if (standing.duplicate()) {
            return standing;
        }
        throw HttpProblem.badRequest(String.valueOf(why));
    }

    private static Headers headers(@Nullable Producer producer, AppendResult result) {
        Headers headers = new Headers().add(Wire.NEXT_OFFSET, StreamOffset.of(result.nextSeq()));
        if (result.settled()) {
            headers.add(Wire.CLOSED, Wire.TRUE);
        }
        if (producer != null) {
            headers.add(Wire.PRODUCER_EPOCH, Long.toString(producer.epoch()));
            headers.add(Wire.PRODUCER_SEQ, Long.toString(result.producerSeq().orElse(producer.seq())));
        }
        return headers;
    }
}
