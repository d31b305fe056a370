package dev.holdfast.http.durablestreams;

import dev.holdfast.error.HoldfastException.CursorTooOld;
import dev.holdfast.error.HoldfastException.StreamGone;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.http.Exchange;
import dev.holdfast.http.Headers;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * {@code GET ?live=sse}: one connection that carries what is there and then what comes, each batch as one data event with its control event
 * behind it, written together. The connection's own thread, which is not the request's and holds no stack but this, waits for the stream and for
 * its client; a slow client holds at most one batch, falls behind and goes on from the log in larger batches.
 *
 * <p>The connection ends cleanly when the stream ended, when it is old, and when what it reads is gone: the client comes back with its offset
 * and is told which of them it was. Each control event has its offset as {@code id}, so that an EventSource comes back there by itself.
 */
final class SseStream {

    /** What one batch takes from the log. */
    private static final int BATCH_BYTES = 256 << 10;

    /** The same while requests hold much memory already. */
    private static final int SMALL_BATCH_BYTES = 16 << 10;

    /** How long a batch of text that ends within a character waits for the rest of it. */
    private static final Duration REST_OF_CHARACTER = Duration.ofMillis(500);

    /** How long a silent connection without keep-alive waits between two looks at whether its client is gone. */
    private static final Duration WITHOUT_KEEP_ALIVE = Duration.ofMinutes(1);

    private static final byte[] COMMENT = ":\n\n".getBytes(StandardCharsets.US_ASCII);

    private static final Headers.Block BASE64 = Headers.Block.of(Wire.SSE_ENCODING, "base64");

    private final DurableStreamsSettings settings;
    private final InFlight inFlight;
    private final FrameCache frames = new FrameCache();

    SseStream(DurableStreamsSettings settings, InFlight inFlight) {
        this.settings = settings;
        this.inFlight = inFlight;
    }

    /** Begins to answer; once this has returned the connection has the reader, and closes it at its end. */
    void answer(StreamCall call, ReadParameters wanted, StreamReader reader) throws IOException, InterruptedException {
        ReadBatch first = reader.read(BATCH_BYTES); // what is wrong with the position is answered with a status
        Content content = Content.of(reader.contentType());
        Headers headers = new Headers().add(Wire.EVENTS);
        if (content == Content.BINARY) {
            headers.add(BASE64);
        }
        Exchange.Sink sink = call.exchange().respond(200, headers);
        Connection connection = new Connection(call.exchange(), sink, reader, content, wanted);
        try {
            connection.write(first);
        } catch (StreamNotFound | StreamGone | CursorTooOld e) {
            connection.endEarly();
            return;
        }
        call.exchange().goOnApart(connection);
    }

    /** One connection; one thread at a time. */
    private final class Connection implements Exchange.Rest {
        private final Exchange exchange;
        private final Exchange.Sink sink;
        private final StreamReader reader;
        private final Content content;
        private final long rotateAt;
        private long cursor;
        private boolean ended;

        Connection(Exchange exchange, Exchange.Sink sink, StreamReader reader, Content content, ReadParameters wanted) {
            this.exchange = exchange;
            this.sink = sink;
            this.reader = reader;
            this.content = content;
            this.cursor = CacheCursor.after(settings.time(), wanted.cursor());
            this.rotateAt = settings.time().monotonicNanos() + age();
        }

        private long age() {
            long nanos = settings.rotateAfter().toNanos();
            return nanos - Math.floorMod(settings.time().randomLong(), nanos / 10 + 1);
        }

        @Override
        public void run() throws IOException, InterruptedException {
            try {
                copy();
            } catch (StreamNotFound | StreamGone | CursorTooOld e) {
                endEarly();
            } finally {
                reader.close();
            }
        }

        /** The end of the connection, and not of the stream: who comes back is told. */
        void endEarly() throws IOException {
            reader.close();
            sink.flush();
        }

        private void copy() throws IOException, InterruptedException {
            while (!ended && !rotationDue()) { // after a write, so that however short the time, there is progress
                Optional<ReadBatch> next = reader.next(batchBytes(), patience());
                if (next.isPresent()) {
                    write(next.get());
                } else if (!rotationDue()) {
                    keepAlive();
                }
            }
        }

        private int batchBytes() {
            return inFlight.roomy() ? BATCH_BYTES : SMALL_BATCH_BYTES;
        }

        private Duration patience() {
            Duration silence = settings.keepAlive().isZero() ? WITHOUT_KEEP_ALIVE : settings.keepAlive();
            if (settings.rotateAfter().isZero()) {
                return silence;
            }
            Duration left =
                    Duration.ofNanos(Math.max(0, rotateAt - settings.time().monotonicNanos()));
            return left.compareTo(silence) < 0 ? left : silence;
        }

        private boolean rotationDue() {
            return !settings.rotateAfter().isZero() && settings.time().monotonicNanos() - rotateAt >= 0;
        }

        private void keepAlive() throws IOException {
            if (exchange.gone()) {
                throw new IOException("The client is gone");
            }
            if (!settings.keepAlive().isZero()) {
                send(COMMENT);
            }
        }

        void write(ReadBatch read) throws IOException, InterruptedException {
            cursor = Math.max(cursor, CacheCursor.now(settings.time()));
            ReadBatch batch = wholeCharacters(read);
            ended = batch.ended();
            send(frames.find(reader.cursor().incarnation(), content, batch, cursor));
        }

        /** Text is decoded event by event, so a character that a writer cut in two is put together if its rest comes soon. */
        private ReadBatch wholeCharacters(ReadBatch batch) throws InterruptedException {
            List<Chunk> chunks = batch.chunks();
            if (content != Content.TEXT
                    || chunks.isEmpty()
                    || batch.ended()
                    || !Utf8.endsWithin(chunks.getLast().toByteArray())) {
                return batch;
            }
            Optional<ReadBatch> rest = reader.next(1, REST_OF_CHARACTER);
            if (rest.isEmpty()) {
                return batch;
            }
            List<Chunk> both = new ArrayList<>(chunks);
            both.addAll(rest.get().chunks());
            return new ReadBatch(
                    both,
                    rest.get().nextSeq(),
                    rest.get().tail(),
                    rest.get().state(),
                    rest.get().error());
        }

        private void send(byte[] frame) throws IOException {
            try (InFlight.Share share = inFlight.share()) {
                share.hold(frame.length);
                sink.write(frame);
                sink.flush();
            }
        }
    }
}
