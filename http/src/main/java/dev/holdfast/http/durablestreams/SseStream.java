package dev.holdfast.http.durablestreams;

import dev.holdfast.error.HoldfastException.CursorTooOld;
import dev.holdfast.error.HoldfastException.StreamGone;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.http.Deadlines;
import dev.holdfast.http.Exchange;
import dev.holdfast.http.Headers;
import dev.holdfast.http.Rotation;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET ?live=sse}: one connection that carries what is there and then what comes, each batch as one data event with its control event
 * behind it, written together. A connection with nothing to write has no thread: the stream and the clock wake it. One that writes has a
 * thread of its own, which waits for its client; a slow client holds at most one batch, falls behind and goes on from the log in larger
 * batches.
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

    private static final byte[] COMMENT = ":\n\n".getBytes(StandardCharsets.US_ASCII);

    private static final Headers.Block BASE64 = Headers.Block.of(Wire.SSE_ENCODING, "base64");

    private final DurableStreamsSettings settings;
    private final InFlight inFlight;
    private final Deadlines deadlines;
    private final FrameCache frames = new FrameCache();

    SseStream(DurableStreamsSettings settings, InFlight inFlight, Deadlines deadlines) {
        this.settings = settings;
        this.inFlight = inFlight;
        this.deadlines = deadlines;
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
            connection.close();
            sink.flush(); // the end of the connection, and not of the stream: who comes back is told
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
        private final Rotation rotation;
        private long sentAt;
        private long cursor;
        private boolean ended;
        private @Nullable Runnable registered;
        private Deadlines.@Nullable Deadline deadline;

        Connection(Exchange exchange, Exchange.Sink sink, StreamReader reader, Content content, ReadParameters wanted) {
            this.exchange = exchange;
            this.sink = sink;
            this.reader = reader;
            this.content = content;
            this.cursor = CacheCursor.after(settings.time(), wanted.cursor());
            this.rotation = Rotation.after(settings.rotateAfter(), settings.time());
        }

        @Override
        public boolean goOn(Runnable wake) throws IOException, InterruptedException {
            try {
                copy();
            } catch (StreamNotFound | StreamGone | CursorTooOld e) {
                return false; // who comes back is told
            }
            if (over()) {
                return false;
            }
            await(wake);
            return true;
        }

        /** Writes all there is; is called with nothing to write when the client is gone or a deadline has passed, or by chance. */
        private void copy() throws IOException, InterruptedException {
            boolean more = true;
            while (more && !over()) {
                Optional<ReadBatch> next = reader.next(batchBytes(), Duration.ZERO);
                more = next.isPresent() && !next.get().upToDate();
                if (next.isPresent()) {
                    write(next.get());
                } else {
                    keepAlive();
                }
            }
        }

        /** Asked after a write, so that however short the time of a connection, there is progress. */
        private boolean over() {
            return ended || rotation.isDue();
        }

        /** Asks to be woken when the stream changes, and in time for what is due on a silent connection. */
        private void await(Runnable wake) {
            Deadlines.Deadline due = deadline;
            if (due == null) {
                due = deadlines.of(wake);
                deadline = due;
                registered = wake;
            }
            if (keptAlive() && !(rotation.isEver() && rotation.at() - silentUntil() < 0)) {
                due.set(silentUntil());
            } else if (rotation.isEver()) {
                due.set(rotation.at());
            }
            reader.onChange(wake);
        }

        @Override
        public void close() {
            if (registered != null) {
                reader.cancel(registered);
            }
            if (deadline != null) {
                deadline.cancel();
            }
            reader.close();
        }

        private long now() {
            return settings.time().monotonicNanos();
        }

        private boolean keptAlive() {
            return !settings.keepAlive().isZero();
        }

        private long silentUntil() {
            return sentAt + settings.keepAlive().toNanos();
        }

        private int batchBytes() {
            return inFlight.roomy() ? BATCH_BYTES : SMALL_BATCH_BYTES;
        }

        private void keepAlive() throws IOException {
            if (exchange.gone()) {
                throw new IOException("The client is gone");
            }
            if (keptAlive() && now() - silentUntil() >= 0) {
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
            sentAt = now();
        }
    }
}
