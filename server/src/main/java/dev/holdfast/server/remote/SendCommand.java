package dev.holdfast.server.remote;

import dev.holdfast.client.SessionClient;
import dev.holdfast.client.SessionListener;
import dev.holdfast.client.WatchEnd;
import dev.holdfast.client.message.Receipt;
import dev.holdfast.client.message.ServerMessage.Attached;
import dev.holdfast.client.message.SessionEvent;
import dev.holdfast.client.message.StoredMessage;
import dev.holdfast.client.message.TurnDraft;
import dev.holdfast.client.message.TurnState;
import dev.holdfast.client.transport.Endpoint;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Sends a text to a session of a server that runs, once, and waits for the answer if that is wished. */
@Command(
        name = "send",
        description = {
            "Sends a text to a session, which is made if it is missing, and prints the receipt: it is on disk then.",
            "With --wait the answer's text is printed as it comes. Exits with 0 if the turn completed, 3 if it was stopped, 4 if it failed,",
            "5 if it was interrupted, 6 if it waits for someone."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
@SuppressWarnings("NullAway.Init") // set by picocli
public final class SendCommand implements Callable<Integer> {

    static final int STOPPED = 3;
    static final int FAILED = 4;
    static final int INTERRUPTED = 5;
    static final int AWAITING = 6;

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "SESSION", description = "The session's id.")
    private String session;

    @Parameters(index = "1", paramLabel = "TEXT", description = "What the user says.")
    private String text;

    @Mixin
    private RemoteOptions remote;

    @Option(names = "--agent", paramLabel = "NAME", description = "The agent that answers; the server's default one.")
    private @Nullable String agent;

    @Option(
            names = "--policy",
            paramLabel = "POLICY",
            description = "What becomes of it while the session is busy: queue, latest, merge, drop or debounce.")
    private @Nullable Policy policy;

    @Option(names = "--wait", description = "Print the answer as it comes, and wait for its end.")
    private boolean wait;

    /** The policies as they are written. */
    @SuppressWarnings("checkstyle:ConstantName")
    private enum Policy {
        queue(TurnDraft.Policy.QUEUE),
        latest(TurnDraft.Policy.LATEST),
        merge(TurnDraft.Policy.MERGE),
        drop(TurnDraft.Policy.DROP),
        debounce(TurnDraft.Policy.DEBOUNCE);

        private final TurnDraft.Policy itself;

        Policy(TurnDraft.Policy itself) {
            this.itself = itself;
        }
    }

    @Override
    public Integer call() {
        Endpoint endpoint = remote.endpoint(spec.commandLine());
        try (Line line = new Line(endpoint, spec.commandLine().getErr())) {
            return send(line);
        }
    }

    private int send(Line line) {
        try {
            SessionClient client = line.client();
            client.connect();
            TurnDraft turn = turn();
            Receipt receipt = Waiting.await(line, client.sendCreating(session, turn));
            if (!wait) {
                spec.commandLine()
                        .getOut()
                        .println("turn %s in session %s: %s, message %s"
                                .formatted(
                                        receipt.turn(),
                                        receipt.session(),
                                        Line.lower(receipt.state()),
                                        receipt.messageId()));
                spec.commandLine().getOut().flush();
                return 0;
            }
            line.say("turn %s, message %s".formatted(receipt.turn(), receipt.messageId()));
            return outcome(line, turn, receipt);
        } catch (Line.Failed e) {
            line.say(String.valueOf(e.getMessage()));
            return 1;
        }
    }

    private TurnDraft turn() {
        TurnDraft turn = TurnDraft.text(text).withId("turn-" + UUID.randomUUID());
        if (agent != null) {
            turn = turn.withAgent(agent);
        }
        return policy == null ? turn : turn.withPolicy(policy.itself);
    }

    private int outcome(Line line, TurnDraft turn, Receipt receipt) {
        Answer answer = new Answer(line, turn, receipt);
        line.client().watch(receipt.session(), null, answer);
        TurnState outcome = Waiting.await(line, answer.outcome);
        return switch (outcome) {
            case COMPLETED -> 0;
            case STOPPED -> STOPPED;
            case FAILED -> FAILED;
            case INTERRUPTED -> INTERRUPTED;
            case AWAITING -> AWAITING;
            case ACCEPTED, STREAMING, UNKNOWN -> 1;
        };
    }

    /** Prints the text of one turn, and waits for its outcome. Its calls come one at a time. */
    private final class Answer implements SessionListener {
        private final Line line;
        private final TurnDraft turn;
        private final Receipt receipt;
        private final TextOutput output;
        final CompletableFuture<TurnState> outcome = new CompletableFuture<>();

        Answer(Line line, TurnDraft turn, Receipt receipt) {
            this.line = line;
            this.turn = turn;
            this.receipt = receipt;
            this.output = TextOutput.only(spec.commandLine().getOut(), receipt.turn());
        }

        @Override
        public void attached(Attached attached) {
            if (attached.snapshot() == null) {
                return;
            }
            boolean live = attached.turns().stream().anyMatch(each -> each.id().equals(receipt.turn()));
            boolean waits = attached.turns().stream()
                    .anyMatch(each -> each.id().equals(receipt.turn()) && each.state() == TurnState.AWAITING);
            if (!live || waits) {
                attached.snapshot().messages().stream()
                        .filter(message -> message.id().equals(receipt.messageId()))
                        .forEach(this::show);
                ask();
            }
        }

        private void show(StoredMessage message) {
            output.events(
                    receipt.session(),
                    List.of(new SessionEvent.MessageAdded(
                            0, Instant.EPOCH, message.id(), receipt.turn(), message, null)),
                    "");
        }

        /** The same turn once more starts nothing, and its receipt says how the turn is. */
        private void ask() {
            var unused = line.client().send(receipt.session(), turn).whenComplete((now, failure) -> {
                if (now != null && (now.state().isOutcome() || now.state() == TurnState.AWAITING)) {
                    end(now.state(), null);
                }
            });
        }

        @Override
        public void events(List<SessionEvent> events, String cursor) {
            output.events(receipt.session(), events, cursor);
            for (SessionEvent event : events) {
                if (event instanceof SessionEvent.TurnEnded ended
                        && ended.turn().equals(receipt.turn())) {
                    end(ended.outcome(), ended.reason());
                } else if (event instanceof SessionEvent.TurnAwaiting waiting
                        && waiting.turn().equals(receipt.turn())) {
                    end(TurnState.AWAITING, waiting.reason());
                }
            }
        }

        private void end(TurnState how, @Nullable String reason) {
            if (how != TurnState.COMPLETED) {
                line.say("the turn %s%s"
                        .formatted(
                                how == TurnState.AWAITING ? "waits for someone" : "was " + Line.lower(how),
                                reason == null ? "." : ": " + reason));
            }
            outcome.complete(how);
        }

        @Override
        public void ended(WatchEnd end) {
            outcome.completeExceptionally(new Line.Failed(end.why()));
        }
    }
}
