package dev.holdfast.http.session;

import dev.holdfast.access.Principal;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.Overloaded;
import dev.holdfast.http.Exchange;
import dev.holdfast.session.SessionCursor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One connection: what its client watches, and the one writer that sends what there is, session by session in turn. The writer is the exchange's part: it
 * runs while there is something to send and the client takes it, and has no thread otherwise. Nothing that grows with what happens is queued
 * here: a session that has something is marked, and read when its turn comes (SLOW-READER-ALONE). At most {@link TransportLimits#MAX_WATCHED} watches that were
 * ended wait for the writer.
 *
 * <p>Commands come on other threads; each changes what is watched or marked, and wakes the writer. Thread-safe, apart from the parts.
 */
final class Connection implements Exchange.Rest {

    private final Transport transport;
    private final String id;
    private final Principal principal;
    private final String device;
    private final Exchange exchange;
    private final Outlet out;
    private final Pulse pulse;

    private final Queue<Watch> ready = new ConcurrentLinkedQueue<>();
    private final Queue<byte[]> replies = new ConcurrentLinkedQueue<>();
    private final Semaphore roomForReplies = new Semaphore(TransportLimits.MAX_WAITING_REPLIES);
    private final AtomicReference<@Nullable String> probe = new AtomicReference<>();

    /** The client said that it leaves; it does once that has been answered. */
    private volatile boolean parting;

    private volatile boolean leaving;
    private volatile boolean draining;

    private volatile @Nullable Runnable wake;

    // Guarded by this.
    private final Map<String, Watch> watched = new HashMap<>();
    private @Nullable String foreground;

    /** Changed under this; read by anyone, also under the drivers' lock, which is never asked for the other way round. */
    private volatile boolean closed;

    /** The sessions it drives; guarded by the drivers. */
    private final Set<SessionKey> seats = new LinkedHashSet<>();

    /** The seats that it lost since it is hidden. Guarded by this. */
    private List<SessionKey> lost = List.of();

    /** Watches that were ended and that the writer has not come to yet. */
    private final AtomicInteger ending = new AtomicInteger();

    Connection(Transport transport, String id, Principal principal, String device, Exchange exchange, Outlet out) {
        this.transport = transport;
        this.id = id;
        this.principal = principal;
        this.device = device;
        this.exchange = exchange;
        this.out = out;
        this.pulse = new Pulse(transport.settings(), transport.deadlines());
    }

    String id() {
        return id;
    }

    Principal principal() {
        return principal;
    }

    String device() {
        return device;
    }

    Set<SessionKey> seats() {
        return seats;
    }

    /** Whether this is that very connection. */
    @SuppressWarnings("ReferenceEquality") // identity is the question
    boolean is(Connection other) {
        return this == other;
    }

    boolean isClosed() {
        return closed;
    }

    // What commands ask for.

    /** Watches a session, anew if it is watched already. */
    synchronized void watch(String session, @Nullable SessionCursor from) {
        requireOpen();
        Watch before = watched.get(session);
        if (before == null && watched.size() >= TransportLimits.MAX_WATCHED) {
            throw new LimitExceeded(
                    "MAX_WATCHED",
                    TransportLimits.MAX_WATCHED,
                    watched.size() + 1L,
                    "unwatch some sessions, or open another connection");
        }
        if (ending.get() >= TransportLimits.MAX_WATCHED) {
            throw new Overloaded("This connection takes nothing that it is sent. Read it, or open another one.");
        }
        Watch watch = new Watch(this, transport, session, from);
        if (before != null) {
            end(before, false); // ahead of the new one, so that the frames of the two do not mix
        }
        watched.put(session, watch);
        transport.connections().watches(watch.key(), watch);
        watch.wake();
    }

    /** Watches a session no more, if it was watched. */
    synchronized void unwatch(String session) {
        requireOpen();
        Watch watch = watched.remove(session);
        if (watch != null) {
            end(watch, true);
        }
        if (session.equals(foreground)) {
            foreground = null;
        }
    }

    private void end(Watch watch, boolean tell) {
        int unused = ending.incrementAndGet();
        watch.end(tell);
    }

    /** Watches this session in the foreground instead of the one before; null for none. */
    synchronized void bringForward(@Nullable String session, @Nullable SessionCursor from) {
        String before = foreground;
        if (session != null && (from != null || !watched.containsKey(session))) {
            watch(session, from); // before the other one is let go, which it is only if this is possible
        }
        if (before != null && !before.equals(session)) {
            unwatch(before);
        }
        foreground = session;
    }

    /** The writer let go of this one. */
    synchronized void drop(Watch watch) {
        watched.remove(watch.sessionId(), watch);
        if (watch.sessionId().equals(foreground)) {
            foreground = null;
        }
    }

    void suspend() {
        pulse.hide();
        wakeUp();
    }

    void resume() {
        List<SessionKey> left;
        synchronized (this) {
            left = lost;
            lost = List.of();
            pulse.show();
        }
        transport.connections().driveOwnAgain(left, this);
        wakeUp();
    }

    /** The newest one is answered. */
    void probe(String nonce) {
        probe.set(nonce);
        wakeUp();
    }

    /** The client leaves, once it has been answered. */
    void bye() {
        parting = true;
    }

    /** A command has been answered. */
    void answered() {
        if (parting) {
            leaving = true;
            wakeUp();
        }
    }

    void drain() {
        draining = true;
        wakeUp();
    }

    /** Sends a reply down; waits while the client takes none. */
    void reply(byte[] json) throws InterruptedException {
        roomForReplies.acquire();
        replies.add(json);
        answered();
        wakeUp();
    }

    private void requireOpen() {
        if (closed) {
            throw Commands.unknownConnection();
        }
    }

    /** This session has something to send. Any thread. */
    void ready(Watch watch) {
        ready.add(watch);
        wakeUp();
    }

    private void wakeUp() {
        Runnable part = wake;
        if (part != null) {
            part.run();
        }
    }

    // The writer.

    @Override
    public boolean goOn(Runnable again) throws IOException, InterruptedException {
        wake = again; // before it looks: what comes from now on wakes it
        if (exchange.gone()) {
            throw new IOException("The client is gone");
        }
        sendControls();
        sendSessions();
        if (leaving) {
            sendControls(); // the reply to its goodbye among them
            out.add(Frames.goodbye("left"));
            flush();
            return false;
        }
        if (draining || pulse.rotationDue()) {
            rotate();
            return false; // a clean end: clients drop what they have not read yet where a connection is cut
        }
        flush();
        keepAlive();
        pulse.await(again);
        return true;
    }

    private void sendControls() throws IOException {
        for (byte[] reply = replies.poll(); reply != null; reply = replies.poll()) {
            out.add(reply);
            roomForReplies.release();
        }
        String nonce = probe.getAndSet(null);
        if (nonce != null) {
            out.add(Frames.probe(nonce));
        }
    }

    /** Goes round the sessions that have something, one frame each, until none has or something else is to be done. */
    private void sendSessions() throws IOException, InterruptedException {
        if (pulse.isHidden()) {
            finishEnded();
        }
        while (!pulse.isHidden() && !leaving && !draining && !pulse.rotationDue()) {
            Watch watch = ready.poll();
            if (watch == null) {
                return;
            }
            if (send(watch)) {
                watch.wake();
            }
            sendControls();
        }
    }

    private boolean send(Watch watch) throws IOException, InterruptedException {
        watch.reached();
        boolean more = watch.send(out);
        if (watch.takeEnd()) {
            int unused = ending.decrementAndGet();
        }
        return more;
    }

    /** Lets go of what is not watched any more; what is watched waits. */
    private void finishEnded() throws IOException, InterruptedException {
        for (int left = ready.size(); left > 0; left--) {
            Watch watch = ready.poll();
            if (watch == null) {
                return;
            }
            if (watch.isOver()) {
                boolean unused = send(watch);
            } else {
                ready.add(watch);
            }
        }
    }

    /** Whether its client left for good; otherwise one that has ended asks it to come back. */
    boolean isLeft() {
        return leaving;
    }

    private void rotate() throws IOException {
        sendControls();
        long pause = draining ? transport.settings().events().retry().toMillis() : 0;
        out.add(Frames.rotate(draining ? "draining" : "rotation", pause));
        flush();
    }

    private void flush() throws IOException {
        if (out.flush()) {
            pulse.sent();
        }
    }

    private void keepAlive() throws IOException {
        if (pulse.isSilent()) {
            out.add(Frames.heartbeat());
            flush();
        }
        if (pulse.graceIsOver()) {
            loseSeats();
        }
    }

    private synchronized void loseSeats() {
        if (pulse.isHidden() && lost.isEmpty()) {
            lost = transport.connections().vacate(this);
        }
    }

    /** Nothing of it is left, and what its commands still do changes nothing (G6). */
    @Override
    public void close() {
        List<Watch> all;
        synchronized (this) {
            closed = true;
            all = new ArrayList<>(watched.values());
            watched.clear();
        }
        transport.connections().leave(this);
        all.forEach(Watch::finish);
        for (Watch ended = ready.poll(); ended != null; ended = ready.poll()) {
            ended.finish(); // those that were watched anew
        }
        pulse.close();
    }
}
