package dev.holdfast.testkit.sim;

import dev.holdfast.session.MessageDraft;
import dev.holdfast.stream.CommitCallback;
import dev.holdfast.testkit.SimStore;
import dev.holdfast.turn.Submit;
import dev.holdfast.turn.TurnRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Makes the requests by which clients and agents start turns. */
final class Requests {

    private Requests() {}

    static Submit submit(SessionOp.Submit submit) {
        return switch (submit) {
            case DROP -> Submit.drop();
            case QUEUE -> Submit.queue();
            case LATEST -> Submit.latest();
            case MERGE -> Submit.merge();
            case DEBOUNCE -> Submit.debounce(Duration.ofMillis(ModelQueue.DEBOUNCE_MILLIS));
        };
    }

    static TurnRequest request(String turn, SessionOp.Policy policy, @Nullable String question) {
        String agent = Jobs.agent(policy);
        TurnRequest request = question == null
                ? TurnRequest.of(turn, agent)
                : TurnRequest.answer(turn, agent, MessageDraft.of("q-" + turn, "user", question));
        return request.when(Submit.drop());
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static CommitCallback callback(String row, String turn, int failures) {
        AtomicInteger left = new AtomicInteger(failures);
        return handle -> {
            handle.unwrap(SimStore.Application.class).orElseThrow().put(row, turn);
            if (left.getAndDecrement() > 0) {
                throw new IllegalStateException("told by the history");
            }
        };
    }
}
