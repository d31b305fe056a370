package dev.holdfast.bench.sessions;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One client that watches one session: connects, asks for it from its cursor, and follows the rules of the protocol, by looking for no more than it needs in
 * the bytes. One thread.
 */
final class Watcher implements Task, Messages {

    private static final byte[] CONNECTION = Bytes.ascii("\"connection\":\"");
    private static final byte[] FROM = Bytes.ascii("\"from\":\"");
    private static final byte[] CURSOR = Bytes.ascii("\"cursor\":\"");
    private static final byte[] SNAPSHOT = Bytes.ascii("\"answer\":\"snapshot\"");
    private static final byte[] ATTACHED = Bytes.ascii("\"attached\":true");
    private static final int TYPE_AT = "{\"type\":\"".length();
    private static final byte[] NOTHING = new byte[0];

    private final Crowd crowd;
    private final int session;

    private @Nullable Link link;
    private byte[] cursor = NOTHING;
    private long expected;
    private boolean answered;
    private long attachedAt;
    private boolean caughtUp;

    Watcher(Crowd crowd, int session) {
        this.crowd = crowd;
        this.session = session;
    }

    int session() {
        return session;
    }

    /** How many chunks of its session it has, if none was left out. */
    long expected() {
        return expected;
    }

    boolean caughtUp() {
        return caughtUp;
    }

    /** Connects, and goes on from its cursor. */
    void begin(Link.Opening opening) throws IOException {
        answered = false;
        attachedAt = 0;
        caughtUp = false;
        link = opening.open(this);
    }

    void cut() throws IOException {
        Link now = link;
        if (now != null) {
            link = null;
            now.cut();
        }
    }

    @Override
    public void ready(SelectionKey key, Room room) throws IOException {
        Link now = link;
        if (now != null) {
            now.ready(key, room);
        }
    }

    @Override
    public void broken(IOException e) {
        fail(String.valueOf(e.getMessage()));
    }

    private void fail(String why) {
        try {
            cut();
        } catch (IOException e) {
            crowd.tally().fault("a connection could not be closed");
        }
        crowd.failed(this, why);
    }

    @Override
    public void message(byte[] in, int from, int to) {
        switch (in[from + TYPE_AT]) {
            case 'w' -> welcomed(in, from, to);
            case 'a' -> attached(in, from, to);
            case 'e' -> events(in, from, to);
            case 'r' -> other(in, from, to);
            case 'd' -> detached(in, from, to);
            default -> {} // a heartbeat
        }
    }

    private void welcomed(byte[] in, int from, int to) {
        int at = Bytes.behind(CONNECTION, in, from, to);
        String id = new String(in, at, Bytes.endOfText(in, at, to) - at, StandardCharsets.US_ASCII);
        String known = cursor.length == 0 ? "null" : '"' + new String(cursor, StandardCharsets.US_ASCII) + '"';
        try {
            Objects.requireNonNull(link)
                    .command(
                            id,
                            Bytes.ascii(
                                    "{\"type\":\"reconnect\",\"id\":\"1\",\"sessions\":[{\"session\":\"%s\",\"cursor\":%s}]}"
                                            .formatted(Beat.session(session), known)));
        } catch (IOException e) {
            broken(e);
        }
    }

    /** The reply to its command has come. */
    void answered(int status, byte[] in, int from, int to) {
        if (status == 200 && Bytes.behind(ATTACHED, in, from, to) >= 0) {
            answered = true;
            look();
        } else {
            fail("reconnect was answered with %d %s"
                    .formatted(status, new String(in, from, to - from, StandardCharsets.UTF_8)));
        }
    }

    private void attached(byte[] in, int from, int to) {
        if (cursor.length > 0 && Bytes.behind(SNAPSHOT, in, from, to) >= 0) {
            crowd.tally().fault("a cursor was answered with a snapshot");
        }
        takeCursor(in, Bytes.behind(CURSOR, in, from, to), to);
        attachedAt = System.nanoTime();
        look();
    }

    private void events(byte[] in, int from, int to) {
        int at = Bytes.behind(FROM, in, from, to);
        int end = Bytes.endOfText(in, at, to);
        if (!Arrays.equals(in, at, end, cursor, 0, cursor.length)) {
            crowd.tally().misfit();
            return;
        }
        int next = takeCursor(in, Bytes.behind(CURSOR, in, end, to), to);
        long now = System.nanoTime();
        for (int i = next; i < to; i++) {
            if (in[i] == Beat.MARK) {
                chunk(Beat.number(in, i), now - Beat.time(in, i));
                i += Beat.STAMP_BYTES;
            }
        }
        look();
    }

    private void chunk(long number, long delay) {
        if (number < expected) {
            crowd.tally().repeated();
            return;
        }
        crowd.tally().lost(number - expected);
        crowd.tally().delivered(delay);
        expected = number + 1;
    }

    private int takeCursor(byte[] in, int from, int to) {
        int end = Bytes.endOfText(in, from, to);
        if (cursor.length != end - from) {
            cursor = new byte[end - from];
        }
        System.arraycopy(in, from, cursor, 0, cursor.length);
        return end;
    }

    /** It has caught up once it has every chunk that was due when it was attached. */
    private void look() {
        if (!caughtUp && answered && attachedAt != 0 && crowd.hasWhatWasDue(session, expected, attachedAt)) {
            caughtUp = true;
            crowd.caughtUp(this);
        }
    }

    private void other(byte[] in, int from, int to) {
        if (in[from + TYPE_AT + 1] == 'o') {
            fail("rotated");
        } else { // a reply
            int at = Bytes.behind(Bytes.ascii("\"status\":"), in, from, to);
            answered((in[at] - '0') * 100, in, from, to);
        }
    }

    private void detached(byte[] in, int from, int to) {
        if (in[from + TYPE_AT + 1] == 'e') {
            fail(new String(in, from, to - from, StandardCharsets.UTF_8));
        }
    }
}
