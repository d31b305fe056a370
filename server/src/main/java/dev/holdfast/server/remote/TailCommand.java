package dev.holdfast.server.remote;

import dev.holdfast.client.SessionListener;
import dev.holdfast.client.Watch;
import dev.holdfast.client.WatchEnd;
import dev.holdfast.client.message.LiveTurn;
import dev.holdfast.client.message.ServerMessage.Attached;
import dev.holdfast.client.message.SessionEvent;
import dev.holdfast.client.transport.Endpoint;
import dev.holdfast.session.SessionCursor;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Follows a session of a server that runs, through losses of the connection and restarts of the server, until it is interrupted. */
@Command(
        name = "tail",
        description = {
            "Follows a session: its messages, the text of turns as it comes, and how turns end.",
            "Comes back by itself when the connection is lost. Ctrl-C tells the cursor to go on with."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
@SuppressWarnings("NullAway.Init") // set by picocli
public final class TailCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "SESSION", description = "The session's id.")
    private String session;

    @Mixin
    private RemoteOptions remote;

    @Option(
            names = "--from",
            paramLabel = "CURSOR",
            description = "Go on behind this position instead of beginning with the messages there are.")
    private @Nullable String from;

    @Option(names = "--json", description = "Print the transport's messages, one JSON object a line.")
    private boolean json;

    @Option(names = "--once", description = "End when all that there is was printed and no turn runs.")
    private boolean once;

    @Override
    public Integer call() {
        Endpoint endpoint = remote.endpoint(spec.commandLine());
        Output output = json
                ? new JsonOutput(spec.commandLine().getOut())
                : TextOutput.all(spec.commandLine().getOut());
        try (Line line = new Line(endpoint, spec.commandLine().getErr())) {
            return follow(line, output);
        }
    }

    private int follow(Line line, Output output) {
        try {
            line.client().connect();
            long end = once && from != null ? end(line) : 0;
            Follower follower = new Follower(output, once, end);
            Watch watch = line.client().watch(session, from, follower);
            Thread farewell = new Thread(() -> tellCursor(line, follower), "holdfast-tail-end");
            Runtime.getRuntime().addShutdownHook(farewell);
            Waiting.await(line, follower.done);
            watch.unwatch();
            withdraw(farewell);
            tellCursor(line, follower);
            return 0;
        } catch (Line.Failed e) {
            line.say(String.valueOf(e.getMessage()));
            return 1;
        }
    }

    /** How far the session's feed goes now. */
    private long end(Line line) {
        Follower first = new Follower(new Nothing(), true, Long.MAX_VALUE);
        Watch watch = line.client().watch(session, null, first);
        long end = Waiting.await(line, first.feedEnd);
        watch.unwatch();
        return end;
    }

    private static void withdraw(Thread farewell) {
        try {
            Runtime.getRuntime().removeShutdownHook(farewell);
        } catch (IllegalStateException e) {
            // the process ends already, and the hook runs
        }
    }

    private static void tellCursor(Line line, Follower follower) {
        String cursor = follower.shown;
        if (cursor != null) {
            line.say("go on with --from " + cursor);
        }
    }

    /** Shows nothing. */
    private static final class Nothing implements Output {
        @Override
        public void attached(Attached attached) {}

        @Override
        public void events(String session, List<SessionEvent> events, String cursor) {}
    }

    /** Shows what comes, and knows when it is all that there was. Its calls come one at a time. */
    private final class Follower implements SessionListener {
        private final Output output;
        private final boolean ends;
        private final long feedEnd0;
        private final Set<String> live = new HashSet<>();
        /** The position behind what was shown. */
        volatile @Nullable String shown;

        final CompletableFuture<Boolean> done = new CompletableFuture<>();
        final CompletableFuture<Long> feedEnd = new CompletableFuture<>();

        Follower(Output output, boolean ends, long feedEnd0) {
            this.output = output;
            this.ends = ends;
            this.feedEnd0 = feedEnd0;
        }

        @Override
        public void attached(Attached attached) {
            output.attached(attached);
            shown = attached.cursor();
            live.clear();
            attached.turns().stream().map(LiveTurn::id).forEach(live::add);
            feedEnd.complete(SessionCursor.parse(attached.cursor()).feedNext());
            endMaybe(attached.cursor());
        }

        @Override
        public void events(List<SessionEvent> events, String cursor) {
            output.events(session, events, cursor);
            shown = cursor;
            for (SessionEvent event : events) {
                if (event instanceof SessionEvent.TurnStarted started) {
                    live.add(started.turn());
                } else if (event instanceof SessionEvent.TurnEnded ended) {
                    live.remove(ended.turn());
                }
            }
            endMaybe(cursor);
        }

        private void endMaybe(String cursor) {
            if (ends && live.isEmpty() && SessionCursor.parse(cursor).feedNext() >= feedEnd0) {
                done.complete(true);
            }
        }

        @Override
        public void ended(WatchEnd end) {
            Line.Failed failed = new Line.Failed(end.why());
            done.completeExceptionally(failed);
            feedEnd.completeExceptionally(failed);
        }
    }
}
