package dev.holdfast.testkit.sim;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.ProducerGap;
import dev.holdfast.error.HoldfastException.StaleEpoch;
import dev.holdfast.error.HoldfastException.StaleProducer;
import dev.holdfast.error.HoldfastException.StreamClosed;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.AppendResult;
import dev.holdfast.stream.Producer;
import dev.holdfast.stream.SettleResult;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.testkit.SimStore;
import dev.holdfast.testkit.SimTime;
import dev.holdfast.testkit.sim.Model.Action;
import dev.holdfast.testkit.sim.SimProcess.Writer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns the operations of a history into calls of the API and, beside each, the same operation on the model. What an operation leaves open
 * (a producer's next number, the right tail) is filled in from the model as it stands when the call is made.
 */
final class Clients {

    static final String CHECKPOINT = "position";

    private final SimTime time;
    private int chunksMade;

    Clients(SimTime time) {
        this.time = time;
    }

    /** A call on its way. */
    static final class Call {
        final Op op;

        private @Nullable Action action;

        /** In the words of the model; null until it is answered. */
        @Nullable
        String answer;

        @Nullable
        HoldfastException error;

        /** What opening a stream gave. */
        @Nullable
        StreamWriter writer;

        /** The stream that was opened or created, and its incarnation. */
        @Nullable
        String opened;

        long incarnation;

        Call(Op op, Action action) {
            this.op = op;
            this.action = action;
        }

        /** For an action that looks at the answer. */
        Call(Op op) {
            this.op = op;
        }

        void doing(Action onTheModel) {
            action = onTheModel;
        }

        Action action() {
            return Objects.requireNonNull(action);
        }

        void opened(String name, long number) {
            opened = name;
            incarnation = number;
        }

        void run(Supplier<String> body) {
            try {
                answer = body.get();
            } catch (HoldfastException e) {
                refused(e);
            }
        }

        void refused(HoldfastException e) {
            error = e;
            answer = words(e);
        }
    }

    static String words(HoldfastException error) {
        return switch (error) {
            case StaleEpoch e -> "StaleEpoch, it is " + e.current();
            case StreamClosed e -> "StreamClosed at " + e.tail();
            case ProducerGap e -> "ProducerGap, " + e.expected() + " comes next";
            case StaleProducer e -> "StaleProducer, its epoch is " + e.currentEpoch();
            default -> error.getClass().getSimpleName();
        };
    }

    static String streamName(int number) {
        return number < NamedCalls.CHAIN ? "s" + number : "c" + (number - NamedCalls.CHAIN);
    }

    static @Nullable String tagName(int number) {
        return number == 0 ? null : "tag" + number;
    }

    Call open(Op.Open op) {
        String name = streamName(op.stream());
        String tag = tagName(op.tag());
        long ttl = op.ttlSeconds() * 1000L;
        return new Call(op, (model, now) -> model.open(name, op.takeOver(), tag, ttl, now));
    }

    static void run(Call call, Op.Open op, SimProcess process) {
        StreamOptions options = StreamOptions.DEFAULTS;
        String tag = tagName(op.tag());
        if (tag != null) {
            options = options.withTag(tag);
        }
        if (op.ttlSeconds() > 0) {
            options = options.withTimeToLive(Duration.ofSeconds(op.ttlSeconds()));
        }
        StreamOptions wanted = options;
        call.run(() -> {
            StreamWriter writer = op.takeOver()
                    ? process.streams.takeOver(streamName(op.stream()), wanted)
                    : process.streams.open(streamName(op.stream()), wanted);
            call.writer = writer;
            call.opened(writer.name(), writer.tail().incarnation());
            return "writer of epoch " + writer.epoch();
        });
    }

    AppendRequest request(
            List<Integer> sizes,
            Op.Numbering numbering,
            int sender,
            Op.Expecting expecting,
            @Nullable ModelStream stream) {
        AppendRequest request = AppendRequest.of(chunks(sizes));
        Producer producer = producer("p" + sender, numbering, stream);
        if (producer != null) {
            request = request.from(producer);
        }
        long tail = stream == null ? 0 : stream.tail();
        return switch (expecting) {
            case NOTHING -> request;
            case RIGHT_TAIL -> request.at(tail);
            case WRONG_TAIL -> request.at(tail + 1);
        };
    }

    private static @Nullable Producer producer(String id, Op.Numbering numbering, @Nullable ModelStream stream) {
        Producer known = stream == null ? null : stream.producers.get(id);
        long epoch = known == null ? 0 : known.epoch();
        long seq = known == null ? -1 : known.seq();
        return switch (numbering) {
            case NONE -> null;
            case NEXT -> new Producer(id, epoch, seq + 1);
            case REPEAT -> new Producer(id, epoch, Math.max(0, seq));
            case GAP -> new Producer(id, epoch, seq + 2);
            case STALE_EPOCH -> new Producer(id, Math.max(0, epoch - 1), seq + 1);
            case NEW_EPOCH -> new Producer(id, epoch + 1, 0);
        };
    }

    AppendRequest request(Op.Checkpoint op) {
        return AppendRequest.of(chunks(op.sizes())).with(new AppendRequest.Checkpoint(CHECKPOINT, op.position()));
    }

    static Call append(Op op, Writer writer, AppendRequest request) {
        return new Call(op, (model, now) -> model.append(writer.serial(), writer.epoch(), request, now));
    }

    static void run(Call call, Writer writer, AppendRequest request) {
        call.run(() -> appended(writer.api().append(request)));
    }

    /** Submits without waiting; the answer comes through the future. */
    static void runAsync(Call call, Writer writer, AppendRequest request) {
        try {
            var unused = writer.api().appendAsync(request).whenComplete((result, error) -> {
                if (error instanceof HoldfastException refusal) {
                    call.refused(refusal);
                } else {
                    call.answer = appended(result);
                }
            });
        } catch (HoldfastException e) {
            call.refused(e);
        }
    }

    static String appended(AppendResult result) {
        return ModelAppends.words(
                result.firstSeq(), result.nextSeq(), result.duplicate(), result.settled(), result.producerSeq());
    }

    Settlement settlement(Op.Settle op, String name) {
        Settlement settlement =
                (op.errored() ? Settlement.errored("went wrong") : Settlement.completed()).append(chunks(op.sizes()));
        if (op.discard()) {
            settlement = settlement.discard();
        }
        String outcome = name + " is " + settlement.outcome();
        return switch (op.callback()) {
            case NONE -> settlement;
            case WRITES -> settlement.commit(handle -> write(handle.unwrap(SimStore.Application.class), name, outcome));
            case THROWS ->
                settlement.commit(handle -> {
                    write(handle.unwrap(SimStore.Application.class), name, "must not be seen");
                    throw new IllegalStateException("the application failed");
                });
            case TAKES_TOO_LONG ->
                settlement.commit(handle -> {
                    write(handle.unwrap(SimStore.Application.class), name, "must not be seen");
                    time.advance(Duration.ofSeconds(6));
                });
        };
    }

    private static void write(Optional<SimStore.Application> table, String name, String value) {
        table.orElseThrow().put(name, value);
    }

    static Call settle(Op.Settle op, @Nullable Writer writer, String name, Settlement settlement) {
        Integer serial = writer == null ? null : writer.serial();
        long epoch = writer == null ? 0 : writer.epoch();
        Op.Callback callback = op.callback();
        return new Call(op, (model, now) -> model.settle(serial, name, epoch, settlement, callback, now));
    }

    static void run(Call call, @Nullable Writer writer, String name, Settlement settlement, SimProcess process) {
        call.run(() -> {
            SettleResult result = writer == null
                    ? process.streams.settle(name, settlement)
                    : writer.api().settle(settlement);
            return Model.settled(result.settled(), result.state(), result.tail());
        });
    }

    static Call checkpoint(Op op, Writer writer) {
        return new Call(op, (model, now) -> model.checkpoint(writer.serial()));
    }

    static void runCheckpoint(Call call, Writer writer) {
        call.run(() -> {
            OptionalLong position = writer.api().checkpoint(CHECKPOINT);
            return "checkpoint " + (position.isPresent() ? position.getAsLong() : "null");
        });
    }

    /** Chunks that differ from every other chunk of the history as long as they have four bytes. */
    List<byte[]> chunks(List<Integer> sizes) {
        List<byte[]> chunks = new ArrayList<>();
        for (int size : sizes) {
            byte[] chunk = new byte[size];
            int number = ++chunksMade;
            for (int i = 0; i < Math.min(size, 64); i++) {
                chunk[i] = (byte) (number >>> (8 * (i % 4)));
            }
            chunks.add(chunk);
        }
        return chunks;
    }
}
