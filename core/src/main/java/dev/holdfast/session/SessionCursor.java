package dev.holdfast.session;

import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.WrongCursor;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.Varint;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.zip.CRC32C;

/**
 * A position in a session, as a printable, URL-safe token: how far its feed was read and, for each live turn, how far its stream was. To
 * clients it is opaque; it is checked for form here and against the session at each attach. Immutable: whoever delivers events and chunks
 * derives the next one with {@link #withFeed}, {@link #withStream} and {@link #withoutStream}.
 *
 * @param session key of the session that gave it
 * @param createdAt when that session was created, wall clock, ms; with the key it tells sessions of different stores apart
 * @param feedNext number of the next feed event to read
 * @param streams positions in the streams of live turns; at most {@value SessionLimits#MAX_CURSOR_STREAMS}
 */
public record SessionCursor(long session, long createdAt, long feedNext, List<StreamPosition> streams) {

    /**
     * How far a stream was read.
     *
     * @param incarnation which stream
     * @param next the next sequence number to read
     */
    public record StreamPosition(long incarnation, long next) {}

    private static final byte VERSION = 1;
    private static final int FIXED_BYTES = 1 + 8 + 8 + 4;
    private static final int MAX_BYTES = FIXED_BYTES + 10 + 2 + SessionLimits.MAX_CURSOR_STREAMS * (8 + 10);

    /** No token is longer. */
    public static final int MAX_TOKEN_CHARS = (MAX_BYTES + 2) / 3 * 4;

    public SessionCursor {
        streams = List.copyOf(streams);
        if (streams.size() > SessionLimits.MAX_CURSOR_STREAMS) {
            throw new LimitExceeded(
                    "MAX_CURSOR_STREAMS",
                    SessionLimits.MAX_CURSOR_STREAMS,
                    streams.size(),
                    "follow fewer live streams of one session at once");
        }
    }

    static SessionCursor at(SessionRow session, long feedNext) {
        return new SessionCursor(session.key(), session.createdAt(), feedNext, List.of());
    }

    boolean isOf(SessionRow row) {
        return session == row.key() && createdAt == row.createdAt();
    }

    /** The next sequence number to read of a stream, if this cursor knows it. */
    public OptionalLong position(long incarnation) {
        return streams.stream()
                .filter(stream -> stream.incarnation() == incarnation)
                .mapToLong(StreamPosition::next)
                .findFirst();
    }

    /** The same position with the feed read up to here. */
    public SessionCursor withFeed(long next) {
        return new SessionCursor(session, createdAt, next, streams);
    }

    /**
     * The same position with this stream read up to here.
     *
     * @throws LimitExceeded if it would know too many streams
     */
    public SessionCursor withStream(long incarnation, long next) {
        List<StreamPosition> positions = new ArrayList<>(streams);
        positions.removeIf(stream -> stream.incarnation() == incarnation);
        positions.add(new StreamPosition(incarnation, next));
        return new SessionCursor(session, createdAt, feedNext, positions);
    }

    /** The same position without this stream: it ended, and its end was delivered. */
    public SessionCursor withoutStream(long incarnation) {
        return new SessionCursor(
                session,
                createdAt,
                feedNext,
                streams.stream()
                        .filter(stream -> stream.incarnation() != incarnation)
                        .toList());
    }

    SessionCursor onlyStreams(Collection<Long> incarnations) {
        return new SessionCursor(
                session,
                createdAt,
                feedNext,
                streams.stream()
                        .filter(stream -> incarnations.contains(stream.incarnation()))
                        .toList());
    }

    /** The token. */
    public String token() {
        ByteBuffer buffer = ByteBuffer.allocate(FIXED_BYTES + 10 + 2 + streams.size() * (8 + 10));
        buffer.put(VERSION).putLong(session).putLong(createdAt);
        putVarint(buffer, feedNext);
        putVarint(buffer, streams.size());
        for (StreamPosition stream : streams) {
            buffer.putLong(stream.incarnation());
            putVarint(buffer, stream.next());
        }
        buffer.putInt(checksum(buffer.array(), buffer.position()));
        byte[] bytes = new byte[buffer.position()];
        buffer.get(0, bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static void putVarint(ByteBuffer buffer, long value) {
        byte[] bytes = new byte[Varint.sizeOf(value)];
        Varint.put(bytes, 0, value);
        buffer.put(bytes);
    }

    /**
     * Reads a token.
     *
     * @throws WrongCursor if it is none
     */
    public static SessionCursor parse(String token) {
        byte[] bytes = decoded(token);
        int end = bytes.length - 4;
        if (bytes.length < FIXED_BYTES + 2
                || bytes[0] != VERSION
                || ByteBuffer.wrap(bytes).getInt(end) != checksum(bytes, end)) {
            throw notACursor();
        }
        try {
            return read(bytes, ByteBuffer.wrap(bytes, 0, end));
        } catch (RuntimeException e) { // a right checksum over what no version of this class wrote
            throw notACursor();
        }
    }

    private static SessionCursor read(byte[] bytes, ByteBuffer buffer) {
        buffer.get();
        long session = buffer.getLong();
        long createdAt = buffer.getLong();
        long feedNext = position(bytes, buffer);
        long count = position(bytes, buffer);
        List<StreamPosition> streams = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            streams.add(new StreamPosition(buffer.getLong(), position(bytes, buffer)));
        }
        if (buffer.hasRemaining()) {
            throw notACursor();
        }
        return new SessionCursor(session, createdAt, feedNext, streams);
    }

    private static long position(byte[] bytes, ByteBuffer buffer) {
        Varint.Reader reader = new Varint.Reader(bytes, buffer.position());
        long value = reader.next();
        buffer.position(reader.position());
        if (value < 0) {
            throw notACursor();
        }
        return value;
    }

    private static byte[] decoded(String token) {
        if (token.length() > MAX_TOKEN_CHARS) {
            throw notACursor();
        }
        try {
            return Base64.getUrlDecoder().decode(token);
        } catch (IllegalArgumentException e) {
            throw notACursor();
        }
    }

    private static int checksum(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    private static WrongCursor notACursor() {
        return new WrongCursor(
                "This is not a session's cursor. Send one exactly as the server gave it, or none to start from a snapshot.");
    }
}
