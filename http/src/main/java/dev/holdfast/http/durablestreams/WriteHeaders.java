package dev.holdfast.http.durablestreams;

import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.RequestHead;
import dev.holdfast.stream.Producer;
import dev.holdfast.stream.Retention;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Reads the headers of writes. Each is right or refused with 400; none is guessed at. */
final class WriteHeaders {

    /** 2^53 - 1, up to where every client can count. */
    private static final long MAX_PRODUCER_NUMBER = (1L << 53) - 1;

    private static final int MAX_NUMBER_DIGITS = 18;

    private WriteHeaders() {}

    /** Whether the stream is to be closed; anything but {@code true}, in whatever case, is no. */
    static boolean closed(RequestHead head) {
        String value = head.value(Wire.CLOSED);
        return value != null && value.strip().equalsIgnoreCase(Wire.TRUE);
    }

    /** The producer's numbering, or null if the request has none. */
    static @Nullable Producer producer(RequestHead head) {
        String id = head.value(Wire.PRODUCER_ID);
        String epoch = head.value(Wire.PRODUCER_EPOCH);
        String seq = head.value(Wire.PRODUCER_SEQ);
        if (id == null && epoch == null && seq == null) {
            return null;
        }
        if (id == null || epoch == null || seq == null) {
            throw HttpProblem.badRequest("Producer-Id, Producer-Epoch and Producer-Seq come together or not at all.");
        }
        if (id.isBlank()) {
            throw HttpProblem.badRequest("Producer-Id is empty.");
        }
        return new Producer(id, producerNumber(Wire.PRODUCER_EPOCH, epoch), producerNumber(Wire.PRODUCER_SEQ, seq));
    }

    private static long producerNumber(String name, String value) {
        long number = Numbers.parse(value, MAX_NUMBER_DIGITS);
        if (number < 0 || number > MAX_PRODUCER_NUMBER) {
            throw HttpProblem.badRequest(
                    "%s is a whole number from 0 to %d in digits.".formatted(name, MAX_PRODUCER_NUMBER));
        }
        return number;
    }

    /** The sliding life, or null. */
    static @Nullable Duration timeToLive(RequestHead head) {
        String value = head.value(Wire.TTL);
        if (value == null) {
            return null;
        }
        long seconds = wholeNumber(Wire.TTL, value);
        return seconds == 0 ? Duration.ofMillis(1) : Duration.ofSeconds(seconds);
    }

    /** The fixed end, or null. */
    static @Nullable Instant expiresAt(RequestHead head) {
        String value = head.value(Wire.EXPIRES_AT);
        if (value == null) {
            return null;
        }
        if (head.value(Wire.TTL) != null) {
            throw HttpProblem.badRequest("A stream has a Stream-TTL or a Stream-Expires-At, not both.");
        }
        try {
            OffsetDateTime time = OffsetDateTime.parse(value);
            if (value.length() > 19 && value.charAt(16) == ':') { // RFC 3339 has seconds
                return time.toInstant();
            }
        } catch (DateTimeException e) {
            throw noTime();
        }
        throw noTime();
    }

    private static HttpProblem noTime() {
        return HttpProblem.badRequest("Stream-Expires-At is a time such as 2030-01-31T12:00:00Z.");
    }

    /** What the stream is to keep, or null if the request says nothing about it. */
    static @Nullable Retention retention(RequestHead head) {
        String seconds = head.value(Wire.RETENTION_SECONDS);
        String bytes = head.value(Wire.RETENTION_BYTES);
        if (seconds == null && bytes == null) {
            return null;
        }
        return new Retention(
                seconds == null ? null : Duration.ofSeconds(wholeNumber(Wire.RETENTION_SECONDS, seconds)),
                bytes == null ? 0 : wholeNumber(Wire.RETENTION_BYTES, bytes));
    }

    private static long wholeNumber(String name, String value) {
        long number = Numbers.parse(value, MAX_NUMBER_DIGITS);
        if (number < 0 || (value.length() > 1 && value.charAt(0) == '0')) {
            throw HttpProblem.badRequest(
                    "%s is a whole number in digits, without sign or leading zero.".formatted(name));
        }
        return number;
    }

    /** The tail that the stream must have, if the request says so. */
    static OptionalLong expectedTail(RequestHead head) {
        String value = head.value("If-Match");
        if (value == null || value.equals("*")) {
            return OptionalLong.empty();
        }
        boolean quoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
        return OptionalLong.of(StreamOffset.position(quoted ? value.substring(1, value.length() - 1) : value));
    }
}
