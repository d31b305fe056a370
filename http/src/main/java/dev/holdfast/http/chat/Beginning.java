package dev.holdfast.http.chat;

import dev.holdfast.error.HoldfastException.CursorAhead;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Problem;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.Cursor;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamState;
import dev.holdfast.uimessage.ChunkCompactor;
import dev.holdfast.uimessage.ChunkGate.Verdict;
import dev.holdfast.uimessage.MessageChunks;
import dev.holdfast.uimessage.UiChunk;
import dev.holdfast.uimessage.UiMessage;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What a client is told before it follows a stream live: nothing, the compacted replay, or what is behind its cursor or its count. Where that
 * cannot stand, it is refused before the response begins. Confined to the request's thread.
 */
final class Beginning {

    /** The number of the last chunk that there is, for clients that count from the end. */
    private static final String TAIL_HEADER = "x-workflow-stream-tail-index";

    private final StreamReader reader;
    private final int major;
    private final String messageId;
    private final Place place;
    private final @Nullable UiMessage has;
    private final List<UiChunk> prelude;
    private final @Nullable Cursor from;

    /**
     * @param before what was written before the stream began
     */
    Beginning(StreamReader reader, int major, String messageId, Place place, Optional<UiMessage> before) {
        this.reader = reader;
        this.major = major;
        this.messageId = messageId;
        this.place = place;
        this.has = place.hasMessage() ? before.orElse(null) : null;
        this.prelude =
                place.hasMessage() ? List.of() : before.map(MessageChunks::of).orElse(List.of());
        this.from = standing();
    }

    /** The client's cursor, if it is of this stream and nothing in the stream cut that client off. */
    private @Nullable Cursor standing() {
        boolean stands = place instanceof Place.At at
                && at.cursor().incarnation() == reader.cursor().incarnation()
                && seen().isPresent();
        return stands ? ((Place.At) place).cursor() : null;
    }

    /**
     * The view of a client at this place. What the client has is not sent.
     *
     * @throws CursorAhead if the client has more than there is
     * @throws HttpProblem 410 if its count does not stand in this stream
     */
    ClientView view(ChunkSender out) {
        ClientView view = new ClientView(major, messageId, has);
        if (from != null && from.seq() > reader.tail()) {
            throw new CursorAhead(reader.name(), from.seq(), reader.tail());
        }
        if (place instanceof Place.Index index) {
            out.skip(skipped(index, out));
        }
        return view;
    }

    private long skipped(Place.Index index, ChunkSender out) {
        boolean other = index.incarnation().isPresent()
                && index.incarnation().getAsLong() != reader.cursor().incarnation();
        OptionalLong seen = seen();
        if (index.index() != 0 && (other || seen.isEmpty())) {
            throw gone();
        }
        if (index.index() < 0) {
            out.headers().set(TAIL_HEADER, Long.toString(seen.orElse(0) - 1));
            return Math.max(0, seen.orElse(0) + index.index());
        }
        boolean live = reader.status().state() == StreamState.LIVE;
        if (live && index.index() > seen.orElse(0)) {
            throw new CursorAhead(reader.name(), index.index(), seen.orElse(0));
        }
        return index.index();
    }

    static HttpProblem gone() {
        return new HttpProblem(Problem.of(
                410,
                "cursor-too-old",
                "The chunks are gone",
                "The run has ended or was begun anew, and its chunks cannot be counted any more. Load the chat."));
    }

    /** How many chunks the client's view has by now; empty if the client was cut off in between. */
    private OptionalLong seen() {
        ClientView view = new ClientView(major, messageId, has);
        long count = 0;
        for (UiChunk chunk : prelude) {
            count += count(view.add(chunk));
        }
        long tail = reader.tail();
        reader.seek(0);
        while (reader.cursor().seq() < tail) {
            for (Chunk chunk : reader.read(HttpLimits.MAX_EVENT_BATCH_BYTES).chunks()) {
                Verdict verdict = view.add(chunk.toByteArray());
                if (verdict instanceof Verdict.Cut) {
                    reader.seek(0);
                    return OptionalLong.empty();
                }
                count += chunk.seq() < tail ? count(verdict) : 0;
            }
        }
        reader.seek(0);
        return OptionalLong.of(count);
    }

    private static int count(Verdict verdict) {
        return verdict instanceof Verdict.Send send ? send.chunks().size() : 0;
    }

    /** Lets the view see what there is, and sends what the client does not have, up to where it goes live. */
    void send(ChunkSender out, ClientView view) throws IOException {
        if (from != null) {
            skipTo(from, out, view);
            return;
        }
        for (UiChunk chunk : prelude) {
            out.send(view.add(chunk), null);
        }
        if (place instanceof Place.Reload || place instanceof Place.At) {
            replay(out, view);
        }
        out.flush();
    }

    private void skipTo(Cursor cursor, ChunkSender out, ClientView view) {
        out.mute();
        for (UiChunk chunk : prelude) {
            out.send(view.add(chunk), null);
        }
        while (reader.cursor().seq() < cursor.seq()) {
            for (Chunk chunk : reader.read(HttpLimits.MAX_EVENT_BATCH_BYTES).chunks()) {
                if (chunk.seq() < cursor.seq()) {
                    out.send(view.add(chunk.toByteArray()), null);
                }
            }
        }
        out.unmute();
        reader.seek(cursor.seq());
    }

    private void replay(ChunkSender out, ClientView view) throws IOException {
        long live = reader.tail();
        ChunkCompactor compactor = new ChunkCompactor(chunk -> out.send(view.add(chunk), null));
        while (reader.cursor().seq() < live && !out.isBroken()) {
            reader.read(HttpLimits.MAX_EVENT_BATCH_BYTES).chunks().forEach(chunk -> compactor.add(chunk.toByteArray()));
            out.flush();
        }
        compactor.flush();
    }
}
