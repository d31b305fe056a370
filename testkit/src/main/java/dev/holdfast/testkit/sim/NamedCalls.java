package dev.holdfast.testkit.sim;

import dev.holdfast.error.HoldfastException.CursorTooOld;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.CreateResult;
import dev.holdfast.stream.Fork;
import dev.holdfast.stream.Retention;
import dev.holdfast.stream.StreamCreation;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.testkit.SimTime;
import dev.holdfast.testkit.sim.Clients.Call;
import dev.holdfast.testkit.sim.SimProcess.Writer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Turns events that name their stream into calls of the API, each with the same operation on the model. */
final class NamedCalls {

    /** Streams from this number on make a chain of forks. */
    static final int CHAIN = 1_000;

    /** Orders, each greater than the one before: as bytes of UTF-8, which is not how Java compares strings. */
    static final List<String> ORDERS = List.of("1", "10", "2", "Z", "a", "\u00e9", "\ufffd", "\ud83d\ude00");

    private static final List<String> TYPES = List.of(StreamOptions.DEFAULT_CONTENT_TYPE, "text/plain");

    private final Simulation simulation;
    private final Clients clients;
    private final SimTime time;

    NamedCalls(Simulation simulation, Clients clients, SimTime time) {
        this.simulation = simulation;
        this.clients = clients;
        this.time = time;
    }

    static @Nullable String typeName(int number) {
        return number == 0 ? null : TYPES.get(number - 1);
    }

    static int types() {
        return TYPES.size() + 1;
    }

    void perform(Op.ByName op) {
        switch (op.what()) {
            case NamedOp.Create create -> create(op, create.stream(), creation(create));
            case NamedOp.Send send -> send(op, send);
            case NamedOp.Touch touch -> simulation.readings.touch(simulation.name(touch.stream()));
            case NamedOp.Chain chain -> {
                create(op, CHAIN, StreamCreation.of(StreamOptions.DEFAULTS).with(clients.chunks(List.of(10))));
                for (int link = 1; link <= chain.links(); link++) {
                    if (link % 100 == 0) {
                        simulation.rest(); // more would not fit into the queue
                    }
                    String before = simulation.name(CHAIN + link - 1);
                    create(
                            op,
                            CHAIN + link,
                            StreamCreation.of(StreamOptions.DEFAULTS).from(Fork.of(before)));
                }
            }
        }
    }

    private void create(Op op, int stream, StreamCreation creation) {
        String name = simulation.name(stream);
        Call call = new Call(op);
        call.doing((model, now) -> {
            adoptFirst(model, call, creation.fork(), now);
            return new ModelForks(model, now).create(name, creation);
        });
        simulation.submit(
                call,
                () -> call.run(() -> {
                    CreateResult result = simulation.process.streams.create(name, creation);
                    call.opened(name, result.status().incarnation());
                    return result.created() ? "created" : "found";
                }));
    }

    /** A refusal says where the source begins. */
    private static void adoptFirst(Model model, Call call, @Nullable Fork fork, long now) {
        if (fork != null && call.error instanceof CursorTooOld refusal) {
            model.named(fork.source()).ifPresent(source -> {
                String wrong = Retentions.adopt(source, refusal.first(), now);
                Violation.unless(wrong == null, "a fork was refused: %s", String.valueOf(wrong));
            });
        }
    }

    private StreamCreation creation(NamedOp.Create op) {
        StreamCreation creation = StreamCreation.of(options(op.terms())).with(clients.chunks(op.sizes()));
        if (op.settled()) {
            creation = creation.settling();
        }
        NamedOp.Branch branch = op.from();
        return branch == null ? creation : creation.from(fork(branch));
    }

    private StreamOptions options(NamedOp.Terms terms) {
        String tag = Clients.tagName(terms.tag());
        Duration age = terms.keptSeconds() == 0 ? null : Duration.ofSeconds(terms.keptSeconds());
        return new StreamOptions(
                tag,
                typeName(terms.type()),
                new byte[0],
                terms.ttlSeconds() == 0 ? null : Duration.ofSeconds(terms.ttlSeconds()),
                terms.expiresInSeconds() == 0
                        ? null
                        : Instant.ofEpochMilli(time.wallMillis()).plusSeconds(terms.expiresInSeconds()),
                age == null && terms.keptBytes() == 0 ? null : new Retention(age, terms.keptBytes()));
    }

    private Fork fork(NamedOp.Branch branch) {
        String source = simulation.name(branch.source());
        long tail = simulation.model.named(source).map(ModelStream::tail).orElse(0L);
        OptionalLong at = branch.anchorPerMille() < 0
                ? OptionalLong.empty()
                : OptionalLong.of(tail * branch.anchorPerMille() / 1000);
        return new Fork(source, at, branch.past(), branch.bytes() ? Fork.Unit.BYTES : Fork.Unit.CHUNKS);
    }

    private void send(Op op, NamedOp.Send send) {
        if (send.writer() >= 0) {
            Writer writer = simulation.writer(send.writer());
            if (writer != null) {
                AppendRequest request = request(send, simulation.model.stream(writer.serial()));
                Call call = Clients.append(op, writer, request);
                simulation.submit(call, () -> Clients.run(call, writer, request));
            }
            return;
        }
        String name = simulation.name(send.stream());
        AppendRequest request = request(send, simulation.model.last(name));
        Call call = new Call(op);
        call.doing((model, now) -> ModelAppends.byName(model, name, request, send.onlyAsks(), now));
        simulation.submit(
                call,
                () -> call.run(() -> Clients.appended(
                        send.onlyAsks()
                                ? simulation.process.streams.check(name, request)
                                : simulation.process.streams.append(name, request))));
    }

    private AppendRequest request(NamedOp.Send send, @Nullable ModelStream stream) {
        AppendRequest request =
                clients.request(send.sizes(), send.numbering(), send.producer(), send.expecting(), stream);
        String type = typeName(send.type());
        if (type != null) {
            request = request.as(type);
        }
        if (send.order() >= 0) {
            request = request.ordered(ORDERS.get(send.order() % ORDERS.size()));
        }
        return send.settles() ? request.settling() : request;
    }
}
