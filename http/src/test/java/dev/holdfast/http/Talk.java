package dev.holdfast.http;

import static dev.holdfast.http.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** What is behind a WebSocket of the tests: does what its client asks for, and checks what it is promised. */
public final class Talk implements WebSocketRest {

    static final int MAX_BYTES = 100_000;

    static final String END = "end";
    public static final String FLOOD = "flood";
    static final String FAIL = "fail";

    final Exchange exchange;
    final WebSocket socket;
    final LinkedBlockingQueue<String> received = new LinkedBlockingQueue<>();
    final CountDownLatch release = new CountDownLatch(1);
    final CountDownLatch interrupted = new CountDownLatch(1);
    final AtomicInteger closed = new AtomicInteger();
    volatile @Nullable Thread thread;
    volatile @Nullable Throwable sendFailure;

    private final Runnable wake;
    private final Queue<String> texts = new ConcurrentLinkedQueue<>();
    private final AtomicInteger parts = new AtomicInteger();
    private final AtomicInteger receivers = new AtomicInteger();
    private volatile @Nullable String wrong;

    Talk(Exchange exchange, WebSocket socket, Runnable wake) {
        this.exchange = exchange;
        this.socket = socket;
        this.wake = wake;
    }

    /** Makes a part send it, or do what it says. */
    public void send(String text) {
        texts.add(text);
        wake.run();
    }

    @Override
    public boolean goOn(Runnable asked) throws IOException {
        check(parts.getAndIncrement() == 0, "two parts at once");
        check(closed.get() == 0, "a part after the end");
        check(asked.equals(wake), "another wake");
        thread = Thread.currentThread();
        try {
            for (String text = texts.poll(); text != null; text = texts.poll()) {
                switch (text) {
                    case END -> {
                        return false;
                    }
                    case FLOOD -> flood();
                    case FAIL -> throw new IllegalStateException("expected by the test");
                    default -> socket.sendText(text.getBytes(StandardCharsets.UTF_8));
                }
            }
            return true;
        } finally {
            parts.getAndDecrement();
        }
    }

    private void flood() throws IOException {
        byte[] much = "x".repeat(64 << 10).getBytes(StandardCharsets.UTF_8);
        try {
            while (true) {
                socket.sendText(much);
            }
        } catch (IOException e) {
            sendFailure = e;
            throw e;
        }
    }

    @Override
    public void receive(String text) throws IOException, InterruptedException {
        check(receivers.getAndIncrement() == 0, "two messages at once");
        check(closed.get() == 0, "a message after the end");
        try {
            received.add(text);
            switch (text) {
                case "block" -> release.await();
                case "defect" -> throw new IllegalStateException("expected by the test");
                case "close" -> socket.close(4000, "bye");
                default -> {
                    if (text.startsWith("direct ")) {
                        socket.sendText(text.getBytes(StandardCharsets.UTF_8));
                    } else if (!text.startsWith("keep ")) {
                        send(text);
                    }
                }
            }
        } catch (InterruptedException e) {
            interrupted.countDown();
            throw e;
        } finally {
            receivers.getAndDecrement();
        }
    }

    @Override
    public void close() {
        check(parts.get() == 0 && receivers.get() == 0, "closed while it is used");
        closed.incrementAndGet();
    }

    private void check(boolean right, String what) {
        if (!right) {
            wrong = what;
        }
    }

    /** What broke a flood off. */
    public @Nullable Throwable sendFailure() {
        return sendFailure;
    }

    public void awaitClosed() {
        await().until(() -> closed.get() > 0);
        assertThat(closed).hasValue(1);
        assertThat(wrong).isNull();
    }
}
