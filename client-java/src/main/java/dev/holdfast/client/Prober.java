package dev.holdfast.client;

import dev.holdfast.client.message.ClientMessage;
import dev.holdfast.client.message.ServerMessage;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Asks for a sign of life, one question at a time. Guarded by the client's monitor. */
final class Prober {

    /** How long the sign may take. */
    static final Duration LIMIT = Duration.ofSeconds(1);

    private final Monitor monitor;
    private final Alarm alarm;
    private final Calls calls;
    private final Ids ids;
    private @Nullable Question question;

    Prober(Monitor monitor, Alarm alarm, Calls calls, Ids ids) {
        this.monitor = monitor;
        this.alarm = alarm;
        this.calls = calls;
        this.ids = ids;
    }

    private record Question(String nonce, CompletableFuture<Boolean> alive) {}

    /** Asks, unless a question is open already. {@code silent} runs when no sign came in time. */
    CompletableFuture<Boolean> probe(Link link, Runnable silent) {
        if (question != null) {
            return question.alive();
        }
        Question asked = new Question(ids.next(), new CompletableFuture<>());
        question = asked;
        alarm.set(LIMIT, silent);
        calls.start(link, new ClientMessage.Probe(ids.next(), asked.nonce()), end -> {});
        return asked.alive();
    }

    /** A sign came, maybe that of an older question. */
    void answered(ServerMessage.Probe sign) {
        if (question != null && question.nonce().equals(sign.nonce())) {
            settle(true);
        }
    }

    /** The link is lost. */
    void lost() {
        settle(false);
    }

    private void settle(boolean alive) {
        Question asked = question;
        if (asked != null) {
            question = null;
            alarm.stop();
            monitor.then(() -> asked.alive().complete(alive));
        }
    }
}
