package dev.holdfast.stream;

import dev.holdfast.cluster.Request;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The calls on streams that the node which may write a shard makes for the others. Their names and components are what nodes send each other. */
public final class StreamCalls {

    private StreamCalls() {}

    /** All of them. */
    public static List<Class<? extends Record>> all() {
        return List.of(
                Open.class,
                Resume.class,
                Begin.class,
                Create.class,
                AppendTo.class,
                CheckAppend.class,
                Touch.class,
                SettleStream.class,
                Trim.class,
                DeleteStream.class,
                ReclaimStream.class,
                Write.class,
                SettleWritten.class,
                Checkpoint.class);
    }

    /** A settlement without a callback. */
    record Ending(StreamState outcome, @Nullable String error, Settlement.Fate fate, List<byte[]> lastChunks) {

        /**
         * A commit callback is code and cannot be sent.
         *
         * @throws InvalidArgument if there is one
         */
        static Ending of(Settlement settlement) {
            checkWithoutCallback(settlement.commit());
            return new Ending(settlement.outcome(), settlement.error(), settlement.fate(), settlement.lastChunks());
        }

        Settlement settlement() {
            return new Settlement(outcome, error, fate, lastChunks, null);
        }
    }

    private static void checkWithoutCallback(@Nullable CommitCallback callback) {
        if (callback != null) {
            throw new InvalidArgument(
                    "A commit callback runs on the node that holds the lease, which is another one at this moment. "
                            + "Name it in TurnSettings.withCommit, which every node has; or settle and keep, write, then discard.");
        }
    }

    record Open(String tenant, String name, StreamOptions options, boolean takeOver)
            implements Request<StreamEngine, Long> {
        @Override
        public Long on(StreamEngine engine) {
            Streams streams = new Streams(engine, tenant);
            return (takeOver ? streams.takeOver(name, options) : streams.open(name, options)).epoch();
        }
    }

    record Resume(String tenant, String name) implements Request<StreamEngine, Long> {
        @Override
        public Long on(StreamEngine engine) {
            return new Streams(engine, tenant).resume(name).epoch();
        }
    }

    record Begin(String tenant, String name, StreamCreation creation) implements Request<StreamEngine, Long> {
        @Override
        public Long on(StreamEngine engine) {
            return new Streams(engine, tenant).begin(name, creation).epoch();
        }
    }

    record Create(String tenant, String name, StreamCreation creation) implements Request<StreamEngine, CreateResult> {
        @Override
        public CreateResult on(StreamEngine engine) {
            return new Streams(engine, tenant).create(name, creation);
        }
    }

    record AppendTo(String tenant, String name, AppendRequest request) implements Request<StreamEngine, AppendResult> {
        @Override
        public AppendResult on(StreamEngine engine) {
            return new Streams(engine, tenant).append(name, request);
        }
    }

    record CheckAppend(String tenant, String name, AppendRequest request)
            implements Request<StreamEngine, AppendResult> {
        @Override
        public AppendResult on(StreamEngine engine) {
            return new Streams(engine, tenant).check(name, request);
        }
    }

    record Touch(String tenant, String name) implements Request<StreamEngine, Boolean> {
        @Override
        public Boolean on(StreamEngine engine) {
            new Streams(engine, tenant).touch(name);
            return true;
        }
    }

    record SettleStream(String tenant, String name, Ending ending) implements Request<StreamEngine, SettleResult> {
        @Override
        public SettleResult on(StreamEngine engine) {
            return new Streams(engine, tenant).settle(name, ending.settlement());
        }
    }

    record Trim(String tenant, String name, long before) implements Request<StreamEngine, Long> {
        @Override
        public Long on(StreamEngine engine) {
            return new Streams(engine, tenant).trim(name, before);
        }
    }

    record DeleteStream(String tenant, String name) implements Request<StreamEngine, Boolean> {
        @Override
        public Boolean on(StreamEngine engine) {
            return new Streams(engine, tenant).delete(name);
        }
    }

    record ReclaimStream(long key, Duration idleFor) implements Request<StreamEngine, Boolean> {
        @Override
        public Boolean on(StreamEngine engine) {
            return engine.committer().execute(new Reclaim(engine, key, idleFor));
        }
    }

    /** The very stream that a writer was opened on. */
    record Written(String tenant, String name, long incarnation, long epoch) {
        StreamWriter writer(StreamEngine engine) {
            StreamLog log = engine.look(tenant, name)
                    .filter(found -> found.incarnation() == incarnation)
                    .orElseThrow(() -> new StreamNotFound(name));
            return new StreamWriter(engine, log, epoch);
        }
    }

    record Write(Written stream, AppendRequest request) implements Request<StreamEngine, AppendResult> {
        @Override
        public AppendResult on(StreamEngine engine) {
            return stream.writer(engine).append(request);
        }
    }

    record SettleWritten(Written stream, Ending ending) implements Request<StreamEngine, SettleResult> {
        @Override
        public SettleResult on(StreamEngine engine) {
            return stream.writer(engine).settle(ending.settlement());
        }
    }

    record Checkpoint(Written stream, String checkpoint) implements Request<StreamEngine, OptionalLong> {
        @Override
        public OptionalLong on(StreamEngine engine) {
            return stream.writer(engine).checkpoint(checkpoint);
        }
    }
}
