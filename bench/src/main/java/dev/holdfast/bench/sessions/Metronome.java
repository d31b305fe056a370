package dev.holdfast.bench.sessions;

import dev.holdfast.bench.http.server.ServerProcess;
import dev.holdfast.bench.http.wire.AnswerReader;
import dev.holdfast.bench.http.wire.Requests;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Says when the chunks of all sessions are due, round by round. Thread-safe. */
final class Metronome {

    static final String PATH = "/bench/rounds/";

    private static final long AHEAD_NANOS = 200_000_000;

    private final int sessions;

    /** Guarded by this. */
    private @Nullable Round round;

    Metronome(int sessions) {
        this.sessions = sessions;
    }

    int sessions() {
        return sessions;
    }

    /**
     * Begins a round behind the one before, which must be over.
     *
     * @param asked as in the path behind {@link #PATH}: how many chunks of each session, and milliseconds from one to the next
     */
    Round begin(String asked) {
        String[] words = asked.split("-", -1);
        return begin(Integer.parseInt(words[0]), Integer.parseInt(words[1]) * 1_000_000L);
    }

    private synchronized Round begin(int chunks, long intervalNanos) {
        Round before = round;
        Round next = new Round(
                before == null ? 0 : before.end(), System.nanoTime() + AHEAD_NANOS, intervalNanos, chunks, sessions);
        round = next;
        notifyAll();
        return next;
    }

    /** Asks the metronome of a server for a round. */
    static Round ask(ServerProcess server, int chunks, Duration interval) throws IOException {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        try (AnswerReader control = new AnswerReader(server.address())) {
            control.ask(
                    Requests.post(PATH + chunks + "-" + interval.toMillis(), "text/plain", new byte[0]),
                    (in, from, to) -> answer.write(in, from, to - from),
                    () -> false);
        }
        return Round.parse(answer.toString(StandardCharsets.US_ASCII));
    }

    /** Waits for the round that begins with this number. */
    synchronized Round await(long first) throws InterruptedException {
        Round now = round;
        while (now == null || now.first() < first) {
            wait();
            now = round;
        }
        return now;
    }

    static void sleepUntil(long nanos) throws InterruptedException {
        for (long wait = nanos - System.nanoTime(); wait > 0; wait = nanos - System.nanoTime()) {
            LockSupport.parkNanos(wait);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }
}
