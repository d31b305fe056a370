package dev.holdfast.testkit.sim;

import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.Producer;
import dev.holdfast.stream.StreamState;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** How the model appends, whoever asks: the order of the checks is part of the contract. */
final class ModelAppends {

    private ModelAppends() {}

    /** By a writer of this epoch. */
    static String byWriter(ModelStream stream, long epoch, AppendRequest request, long now) {
        return stream.gone ? "StreamNotFound" : append(stream, epoch, request, now);
    }

    /** By name, which counts as use, whatever the answer. */
    static String byName(Model model, String name, AppendRequest request, boolean onlyAsks, long now) {
        String absence = model.absence(name);
        if (absence != null) {
            return absence;
        }
        ModelStream stream = model.named(name).orElseThrow();
        if (onlyAsks) {
            return append(stream.copy(), 0, request, now);
        }
        stream.touchedAt = now;
        return append(stream, 0, request, now);
    }

    private static String append(ModelStream stream, long epoch, AppendRequest request, long now) {
        String answer = stream.live() ? null : ofSettled(stream, epoch, request);
        if (answer != null) {
            return answer;
        }
        String refusal = refusal(stream, epoch);
        if (refusal != null) {
            return refusal;
        }
        if (request.contentType() != null && !request.contentType().equals(stream.terms.contentType())) {
            return "StreamConflict";
        }
        Producer sender = request.producer();
        String verdict = sender == null ? null : check(stream, sender);
        if (verdict != null) {
            return verdict;
        }
        int order = request.order() == null ? -1 : NamedCalls.ORDERS.indexOf(request.order());
        if (order >= 0 && order <= stream.order) {
            return "OrderConflict";
        }
        if (request.expectedTail().isPresent() && request.expectedTail().getAsLong() != stream.tail()) {
            return "PreconditionFailed";
        }
        return write(stream, request, order, now);
    }

    private static String write(ModelStream stream, AppendRequest request, int order, long now) {
        long firstSeq = stream.tail();
        stream.add(request.chunks(), now);
        Producer sender = request.producer();
        if (sender != null) {
            stream.producers.put(sender.id(), sender);
        }
        stream.order = Math.max(stream.order, order);
        AppendRequest.Checkpoint checkpoint = request.checkpoint();
        if (checkpoint != null) {
            Long before = stream.checkpoint;
            stream.checkpoint = Math.max(before == null ? 0 : before, checkpoint.position());
        }
        if (request.settle()) {
            stream.state = StreamState.COMPLETED;
            stream.closing = sender;
        }
        OptionalLong seq = sender == null ? OptionalLong.empty() : OptionalLong.of(sender.seq());
        return words(firstSeq, stream.tail(), false, request.settle(), seq);
    }

    static String words(long firstSeq, long nextSeq, boolean duplicate, boolean settled, OptionalLong producerSeq) {
        return "%s %d..%d%s%s"
                .formatted(
                        duplicate ? "duplicate" : "appended",
                        firstSeq,
                        nextSeq,
                        settled ? ", settled" : "",
                        producerSeq.isPresent() ? ", producer at " + producerSeq.getAsLong() : "");
    }

    private static String duplicate(ModelStream stream, @Nullable Producer sender) {
        Producer known = sender == null ? null : stream.producers.get(sender.id());
        OptionalLong seq = known == null ? OptionalLong.empty() : OptionalLong.of(known.seq());
        return words(stream.tail(), stream.tail(), true, !stream.live(), seq);
    }

    /** A writer's repeated append is a duplicate as before; by name only the very append that settled the stream is one. */
    private static @Nullable String ofSettled(ModelStream stream, long epoch, AppendRequest request) {
        Producer sender = request.producer();
        if (sender == null) {
            return request.settle() && request.chunks().isEmpty() ? duplicate(stream, null) : null;
        }
        if (epoch == 0) {
            return sender.equals(stream.closing) ? duplicate(stream, sender) : null;
        }
        return check(stream, sender);
    }

    static @Nullable String refusal(ModelStream stream, long epoch) {
        if (epoch != 0 && epoch != stream.epoch) {
            return "StaleEpoch, it is " + stream.epoch;
        }
        return stream.live() ? null : "StreamClosed at " + stream.tail();
    }

    private static @Nullable String check(ModelStream stream, Producer sender) {
        Producer known = stream.producers.get(sender.id());
        long knownEpoch = known == null ? -1 : known.epoch();
        if (sender.epoch() < knownEpoch) {
            return "StaleProducer, its epoch is " + knownEpoch;
        }
        long expected = known == null || sender.epoch() > knownEpoch ? 0 : known.seq() + 1;
        if (sender.seq() > expected) {
            return "ProducerGap, " + expected + " comes next";
        }
        return sender.seq() == expected ? null : duplicate(stream, sender);
    }
}
