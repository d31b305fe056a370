package dev.holdfast.stream;

import dev.holdfast.cluster.Far;
import dev.holdfast.error.HoldfastException.StreamConflict;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.Shards;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The calls that create a tenant's streams or give writers on them. Thread-safe. */
final class Openings {

    private final Shards<StreamEngine> shards;
    private final String tenant;

    Openings(Shards<StreamEngine> shards, String tenant) {
        this.shards = shards;
        this.tenant = tenant;
    }

    /** What an opening gave: a writer, or the epoch for one on a stream that another node writes. */
    private record Granted(@Nullable StreamWriter writer, long epoch) {
        static Granted here(StreamWriter writer) {
            return new Granted(writer, writer.epoch());
        }
    }

    StreamWriter open(String name, StreamOptions options, boolean takeOver) {
        Names.check("stream name", name);
        options.check();
        return granted(name, engine -> {
            Far far = engine.far();
            if (far != null) {
                return new Granted(null, far.ask(new StreamCalls.Open(tenant, name, options, takeOver)));
            }
            return engine.committer().execute(new Command<Granted>() {
                @Override
                protected Granted decide(CommitScope scope) {
                    return here(
                            engine,
                            engine.creation()
                                    .open(scope, tenant, name, options, 0, takeOver)
                                    .log());
                }
            });
        });
    }

    StreamWriter resume(String name) {
        Names.check("stream name", name);
        return granted(name, engine -> {
            Far far = engine.far();
            if (far != null) {
                return new Granted(null, far.ask(new StreamCalls.Resume(tenant, name)));
            }
            return engine.committer().execute(new Command<Granted>() {
                @Override
                protected Granted decide(CommitScope scope) {
                    StreamLog log = engine.require(scope, tenant, name);
                    Creation.requireLive(log);
                    RowChanges.takeOver(scope, log);
                    return here(engine, log);
                }
            });
        });
    }

    CreateResult create(String name, StreamCreation creation) {
        return shards.on(tenant, name, engine -> {
            Far far = engine.far();
            if (far != null) {
                return far.ask(new StreamCalls.Create(tenant, checked(name), creation));
            }
            Creation.Found found = creating(engine, name, creation, each -> each);
            return new CreateResult(found.created(), found.log().status());
        });
    }

    StreamWriter begin(String name, StreamCreation creation) {
        return granted(name, engine -> {
            Far far = engine.far();
            if (far != null) {
                return new Granted(null, far.ask(new StreamCalls.Begin(tenant, checked(name), creation)));
            }
            return creating(engine, name, creation, found -> {
                if (!found.created()) {
                    throw new StreamConflict(
                            "There is a stream \"%s\" already. Choose another name, or open it.".formatted(name));
                }
                return here(engine, found.log());
            });
        });
    }

    private Granted here(StreamEngine engine, StreamLog log) {
        return Granted.here(
                new StreamWriter(shards, engine, log, log.currentRow().epoch()));
    }

    /** The opening is made once; what follows is only looked for. */
    private StreamWriter granted(String name, Function<StreamEngine, Granted> opening) {
        Granted granted = shards.on(tenant, name, opening);
        StreamWriter here = granted.writer();
        return here != null ? here : writer(name, granted.epoch());
    }

    /** A writer on a stream that another node writes. */
    private StreamWriter writer(String name, long epoch) {
        return shards.on(tenant, name, engine -> {
            StreamLog log = engine.look(tenant, name).orElseThrow(() -> new StreamNotFound(name));
            return new StreamWriter(shards, engine, log, epoch);
        });
    }

    private static String checked(String name) {
        return Names.check("stream name", name);
    }

    private <R> R creating(
            StreamEngine engine, String name, StreamCreation creation, Function<Creation.Found, R> answer) {
        Names.check("stream name", name);
        creation.options().check();
        int copies = creation.fork() == null ? 0 : StreamLimits.MAX_BLOCK_BYTES; // of what its source has not sealed
        int bytes = (int) AppendRequest.checkChunks(creation.firstChunks(), engine.limits()) + copies;
        Command<R> command = new Command<R>() {
            @Override
            protected int payloadBytes() {
                return bytes;
            }

            @Override
            protected R decide(CommitScope scope) {
                return answer.apply(engine.creation().create(scope, tenant, name, creation));
            }
        };
        return engine.committer().trySubmit(command).await();
    }
}
