package dev.holdfast.http.durablestreams;

import dev.holdfast.http.Deadlines;
import dev.holdfast.http.Headers;
import dev.holdfast.http.RequestHead;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamState;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** {@code GET}: what is there, or what comes next. */
final class ReadStream {

    /** For answers that never change: a cache in between may keep them. */
    private static final Headers.Block SETTLED_PAGE =
            Headers.Block.of("Cache-Control", "public, max-age=60, stale-while-revalidate=300");

    /** The same for what needs a key: a cache that others use may not keep it. */
    private static final Headers.Block PRIVATE_PAGE =
            Headers.Block.of("Cache-Control", "private, max-age=60, stale-while-revalidate=300");

    /** For answers that end at the tail of a stream that grows: a cache asks whether there is more. */
    private static final Headers.Block GROWING_PAGE = Headers.Block.of("Cache-Control", "no-cache");

    private final DurableStreamsSettings settings;
    private final InFlight inFlight;
    private final SseStream events;

    ReadStream(DurableStreamsSettings settings, InFlight inFlight) {
        this.settings = settings;
        this.inFlight = inFlight;
        this.events = new SseStream(
                settings,
                inFlight,
                new Deadlines(settings.time(), settings.timers().get()));
    }

    void answer(StreamCall call) throws IOException, InterruptedException {
        RequestHead head = call.head();
        ReadParameters wanted = ReadParameters.of(head.rawQuery(), head.value("Last-Event-ID"));
        StreamReader reader = call.streams().tail(call.name(), 0);
        boolean handedOn = false;
        try {
            reader.seek(position(wanted, reader));
            switch (wanted.mode()) {
                case CATCH_UP -> catchUp(call, wanted, reader);
                case LONG_POLL -> longPoll(call, wanted, reader);
                case SSE -> {
                    events.answer(call, wanted, reader);
                    handedOn = true;
                }
            }
        } finally {
            if (!handedOn) {
                reader.close();
            }
        }
    }

    private static long position(ReadParameters wanted, StreamReader reader) {
        if (wanted.last() >= 0) {
            return Math.max(reader.firstSeq(), reader.tail() - wanted.last());
        }
        if (wanted.offset() == StreamOffset.START) {
            return reader.firstSeq();
        }
        return wanted.offset() == StreamOffset.NOW ? reader.tail() : wanted.offset();
    }

    private void catchUp(StreamCall call, ReadParameters wanted, StreamReader reader) throws IOException {
        long from = reader.cursor().seq();
        if (wanted.offset() == StreamOffset.NOW) {
            ReadBatch tail = atTail(reader.read(1), from);
            send(call, headers(reader, tail).add(Wire.NO_STORE), reader, tail);
            return;
        }
        ReadBatch batch = reader.read(StreamLimits.MAX_READ_BYTES);
        String etag = etag(reader.cursor().incarnation(), from, batch);
        Headers headers = headers(reader, batch).add("ETag", etag);
        headers.add(batch.upToDate() && !batch.ended() ? GROWING_PAGE : settledPage(call.head()));
        String known = call.head().value("If-None-Match");
        if (known != null && matches(known, etag)) {
            call.exchange().answer(304, headers, Wire.NOTHING);
        } else {
            send(call, headers, reader, batch);
        }
    }

    /** What a read at the tail found, without what came in between. */
    private static ReadBatch atTail(ReadBatch found, long tail) {
        return found.chunks().isEmpty() ? found : new ReadBatch(List.of(), tail, tail, StreamState.LIVE, null);
    }

    private void longPoll(StreamCall call, ReadParameters wanted, StreamReader reader)
            throws IOException, InterruptedException {
        long from = reader.cursor().seq();
        Optional<ReadBatch> found = reader.next(StreamLimits.MAX_READ_BYTES, settings.longPoll());
        String cursor = Long.toString(CacheCursor.after(settings.time(), wanted.cursor()));
        if (found.isEmpty() || found.get().chunks().isEmpty()) {
            Headers headers = new Headers()
                    .add(Wire.NEXT_OFFSET, StreamOffset.of(reader.cursor().seq()))
                    .add(Wire.UP_TO_DATE, Wire.TRUE)
                    .add(Wire.CURSOR, cursor)
                    .add(Wire.NO_STORE);
            if (found.isPresent() && found.get().ended()) {
                headers.add(Wire.CLOSED, Wire.TRUE);
            }
            call.exchange().answer(204, headers, Wire.NOTHING);
            return;
        }
        ReadBatch batch = found.get();
        Headers headers = headers(reader, batch)
                .add(Wire.CURSOR, cursor)
                .add("ETag", etag(reader.cursor().incarnation(), from, batch))
                .add(settledPage(call.head()));
        send(call, headers, reader, batch);
    }

    private static Headers.Block settledPage(RequestHead head) {
        boolean key = head.value("Authorization") != null || head.value("X-Api-Key") != null;
        return key ? PRIVATE_PAGE : SETTLED_PAGE;
    }

    private static Headers headers(StreamReader reader, ReadBatch batch) {
        Headers headers = new Headers()
                .add("Content-Type", reader.contentType())
                .add(Wire.NEXT_OFFSET, StreamOffset.of(batch.nextSeq()));
        if (batch.upToDate()) {
            headers.add(Wire.UP_TO_DATE, Wire.TRUE);
        }
        if (batch.ended()) {
            headers.add(Wire.CLOSED, Wire.TRUE);
        }
        return headers;
    }

    private void send(StreamCall call, Headers headers, StreamReader reader, ReadBatch batch) throws IOException {
        try (InFlight.Share share = inFlight.share()) {
            share.take(Content.size(batch.chunks()));
            call.exchange()
                    .answer(200, headers, Content.of(reader.contentType()).join(batch.chunks()));
        }
    }

    /** Names the answer: which creation of the stream, from where to where, and whether it ends there for good. */
    static String etag(long incarnation, long from, ReadBatch batch) {
        return "\"" + Long.toHexString(incarnation) + ":" + from + ":" + batch.nextSeq()
                + (batch.ended() ? ":c\"" : "\"");
    }

    private static boolean matches(String known, String etag) {
        return known.equals(etag) || known.strip().equals("*") || known.contains(etag);
    }
}
