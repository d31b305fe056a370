package dev.holdfast.mcp.events;

import dev.holdfast.Holdfast;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.NotAuthorized;
import dev.holdfast.error.HoldfastException.StreamConflict;
import dev.holdfast.error.HoldfastException.StreamGone;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.stream.Attach;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamCreation;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamState;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.stream.Streams;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The events of MCP sessions, stored: for servers that have a transport of their own and want only what replay needs. A session has streams;
 * a stream is a durable log of messages; each message has an event id that names session, stream and position, is unique in the session, and
 * is all that a client has to remember.
 *
 * <pre>{@code
 * try (McpEventStore events = McpEventStore.of(holdfast)) {
 *     EventLog log = events.open("session-1", "stream-1");
 *     String id = log.append(message);                       // durable when it returns
 *     try (EventReader tail = events.tail("session-1", events.parse(id))) {
 *         EventBatch next = tail.next(64 << 10);             // what follows the id, stored or still to come
 *     }
 *     events.clear("session-1", "stream-1");
 * }
 * }</pre>
 *
 * <p>An id replays its own stream and no other: ids are signed with a key of the tenant, and whose they are is checked against the session that
 * asks. There are no timers and no sweeps here; what is not used expires by itself. Thread-safe. Methods wait for the disk.
 */
public final class McpEventStore implements AutoCloseable {

    /** The id of a session or of a stream: visible ASCII without a slash. */
    public static final int MAX_ID_CHARS = 100;

    /** One message. */
    public static final int MAX_EVENT_BYTES = StreamLimits.MAX_APPEND_BYTES - 1024;

    /** A larger message is stored in parts. */
    static final int PART_BYTES = (256 << 10) - 1;

    static final String DELIVERED = "delivered";

    private static final String KEY_PROPERTY = "mcp/key";
    private static final int REQUEST_READ_BYTES = 1 << 20;

    private final Streams streams;
    private final EventLife life;
    private final EventIds ids;
    private final Runners runners;
    private final AtomicBoolean closed = new AtomicBoolean();

    private McpEventStore(Holdfast holdfast, String tenant, EventLife life) {
        this.streams = holdfast.streams(tenant);
        this.life = life;
        this.runners = new Runners(holdfast);
        this.ids = new EventIds(StoredKey.of(holdfast.properties(new PropertyRow.Owner.Tenant(tenant)), KEY_PROPERTY));
    }

    /** The events of the default tenant, each stream kept until it was not used for an hour. */
    public static McpEventStore of(Holdfast holdfast) {
        return of(holdfast, Holdfast.DEFAULT_TENANT, EventLife.defaults());
    }

    /**
     * @param tenant whose events; a session of one tenant is unknown to all others
     * @param life of streams that are opened without naming one
     */
    public static McpEventStore of(Holdfast holdfast, String tenant, EventLife life) {
        return new McpEventStore(holdfast, tenant, life);
    }

    EventIds ids() {
        return ids;
    }

    /** A stream of a session, where it is not the stream's own name that is wanted. */
    public record Place(String session, String stream) {}

    /** Opens a stream: creates it, or goes on with it. Idempotent; logs of the same stream may append side by side. */
    public EventLog open(String session, String stream) {
        return open(session, stream, life);
    }

    /**
     * As {@link #open(String, String)}.
     *
     * @param kept how long it is kept, if it is created now
     * @throws HoldfastException.StreamClosed if it was ended
     */
    public EventLog open(String session, String stream, EventLife kept) {
        String name = EventNames.stream(session, stream);
        return log(session, stream, streams().open(name, kept.options(EventNames.tag(session))));
    }

    /**
     * Creates a stream with the request that it answers, which {@link #request} returns and no reader is given.
     *
     * @throws StreamConflict if there is one of this name
     */
    public EventLog begin(String session, String stream, byte[] request, EventLife kept) {
        String name = EventNames.stream(session, stream);
        StreamCreation creation =
                StreamCreation.of(kept.options(EventNames.tag(session))).with(Framing.chunks(Framing.REQUEST, request));
        return log(session, stream, streams().begin(name, creation));
    }

    /**
     * Opens a stream that is there as its only writer: all logs that were opened before are refused from now on. Creates nothing.
     *
     * @throws HoldfastException.StreamNotFound if there is none: it was never opened, was cleared, or was not used for too long
     * @throws HoldfastException.StreamClosed if it was ended
     */
    public EventLog takeOver(String session, String stream) {
        return log(session, stream, streams().resume(EventNames.stream(session, stream)));
    }

    private EventLog log(String session, String stream, StreamWriter writer) {
        return new EventLog(this, session, stream, writer);
    }

    /**
     * In a cluster, makes this node the one that looks after a stream whose node is gone; the stream's id names the node, as
     * {@link dev.holdfast.cluster.NodeMark} marks it. True of every stream for a process that is alone.
     *
     * @return false if its node is alive, another one was quicker, or it is gone
     */
    public boolean takeUp(String session, String stream) {
        return streams()
                .status(EventNames.stream(session, stream))
                .filter(status -> runners.take(stream, status))
                .isPresent();
    }

    /** The request that a stream was begun with, or empty if it was opened without one or that was trimmed away. */
    public Optional<byte[]> request(String session, String stream) {
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        boolean any = false;
        try (StreamReader reader = streams().tail(EventNames.stream(session, stream), 0)) {
            if (reader.firstSeq() > 0) {
                return Optional.empty();
            }
            while (true) {
                ReadBatch batch = reader.read(REQUEST_READ_BYTES);
                for (Chunk chunk : batch.chunks()) {
                    if (Framing.kind(chunk) != Framing.REQUEST) {
                        return any ? Optional.of(request.toByteArray()) : Optional.empty();
                    }
                    any = true;
                    writeTo(request, chunk);
                }
                if (batch.upToDate()) {
                    return any ? Optional.of(request.toByteArray()) : Optional.empty();
                }
            }
        }
    }

    /** The ids, as JSON, of the requests of a stream that {@link EventLog#cancelled} noted; of what is kept of it. */
    public List<byte[]> cancelled(String session, String stream) {
        List<byte[]> ids = new ArrayList<>();
        try (StreamReader reader = streams().tail(EventNames.stream(session, stream), 0)) {
            reader.seek(reader.firstSeq());
            ReadBatch batch;
            do {
                batch = reader.read(REQUEST_READ_BYTES);
                for (Chunk chunk : batch.chunks()) {
                    if (Framing.kind(chunk) == Framing.CANCELLED) {
                        byte[] bytes = chunk.toByteArray();
                        ids.add(Arrays.copyOfRange(bytes, 1, bytes.length));
                    }
                }
            } while (!batch.upToDate());
        }
        return ids;
    }

    private static void writeTo(ByteArrayOutputStream out, Chunk chunk) {
        byte[] bytes = chunk.toByteArray();
        out.write(bytes, 1, bytes.length - 1);
    }

    /**
     * What an event id says. Reads no storage.
     *
     * @throws HoldfastException.WrongCursor if this store gave no such id
     */
    public EventId parse(String id) {
        return ids.parse(id);
    }

    /** Reads a stream from the first event that is kept. Close it. */
    public EventReader tail(String session, String stream) {
        StreamReader reader = streams().tail(EventNames.stream(session, stream), 0);
        reader.seek(reader.firstSeq());
        return reader(session, stream, reader);
    }

    /** As {@link #tail(String, String)}, from a position on that {@link EventReader#position} told, or the first after it that is kept. */
    public EventReader tail(String session, String stream, long from) {
        StreamReader reader = streams().tail(EventNames.stream(session, stream), from);
        reader.seek(Math.min(Math.max(from, reader.firstSeq()), reader.tail()));
        return reader(session, stream, reader);
    }

    /**
     * Reads what follows an event on its stream, what is stored and then what comes. Close it.
     *
     * @throws NotAuthorized if the id is another session's
     * @throws HoldfastException.StreamNotFound if the stream is gone
     * @throws HoldfastException.CursorTooOld if what follows was trimmed away
     */
    public EventReader tail(String session, EventId after) {
        if (!after.isOf(session)) {
            throw new NotAuthorized("This event id belongs to another session.");
        }
        String name = EventNames.stream(session, after.stream());
        return switch (streams().attach(name, after.next())) {
            case Attach.Ok ok -> reader(session, after.stream(), ok.reader());
            case Attach.Restarted other -> {
                other.reader().close();
                throw new StreamGone(name);
            }
            case Attach.TooOld old ->
                throw new HoldfastException.CursorTooOld(
                        name, after.next().seq(), old.first().seq());
            case Attach.Ahead ahead ->
                throw new HoldfastException.CursorAhead(
                        name, after.next().seq(), ahead.tail().seq());
            case Attach.Gone gone -> throw new HoldfastException.StreamNotFound(name);
        };
    }

    private EventReader reader(String session, String stream, StreamReader reader) {
        return new EventReader(
                reader, ids.writer(session, stream, reader.cursor().incarnation()));
    }

    /**
     * One page of what follows an event on its stream, without waiting. Go on after the last event of it until the page says that it is up to
     * date: there is no limit to how far that goes.
     *
     * @param maxBytes stop before the message that would exceed it
     */
    public EventBatch readAfter(String session, EventId after, int maxBytes) {
        try (EventReader reader = tail(session, after)) {
            return reader.read(maxBytes);
        }
    }

    /** Counts as use of a stream, so that it does not expire. */
    public void touch(String session, String stream) {
        streams().touch(EventNames.stream(session, stream));
    }

    /** Whether there is such a stream. */
    public boolean exists(String session, String stream) {
        return streams().status(EventNames.stream(session, stream)).isPresent();
    }

    /**
     * Deletes a stream, whatever its length, in one step. Who reads it still receives what was stored, if it was ended.
     *
     * @return false if there was none
     */
    public boolean clear(String session, String stream) {
        return streams().delete(EventNames.stream(session, stream));
    }

    /** Deletes all streams of a session. Returns how many there were. */
    public int clear(String session) {
        int cleared = 0;
        while (true) {
            List<StreamStatus> page = streams().list(StreamListing.all().tagged(EventNames.tag(session)));
            boolean any = false;
            for (StreamStatus status : page) {
                any |= streams().delete(status.name());
            }
            cleared += page.size();
            if (!any) {
                return cleared;
            }
        }
    }

    /** Every stream that has not ended, of all sessions; those that begin meanwhile may be missing. */
    public void forEachLive(Consumer<Place> each) {
        StreamListing next =
                StreamListing.all().in(EnumSet.of(StreamState.LIVE)).limit(StreamLimits.MAX_PAGE);
        while (true) {
            List<StreamStatus> page = streams().list(next);
            for (StreamStatus status : page) {
                Place place = EventNames.place(status.name());
                if (place != null) {
                    each.accept(place);
                }
            }
            if (page.size() < StreamLimits.MAX_PAGE) {
                return;
            }
            next = next.after(page.getLast().position());
        }
    }

    private Streams streams() {
        if (closed.get()) {
            throw new HoldfastException.Closed("This event store was closed.");
        }
        return streams;
    }

    /** No more can be opened or read here. What is stored stays, and so does the Holdfast that it is stored in. */
    @Override
    public void close() {
        closed.set(true);
    }
}
