package dev.holdfast.node;

import dev.holdfast.cluster.Peers;
import dev.holdfast.cluster.RecordCodec;
import dev.holdfast.cluster.Refusals;
import dev.holdfast.cluster.Request;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.OutcomeUnknown;
import dev.holdfast.error.HoldfastException.Overloaded;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.session.SessionCalls;
import dev.holdfast.stream.StreamCalls;
import dev.holdfast.turn.TurnCalls;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The letters between nodes: calls, and what became of them. Only the calls that are listed here can be asked for; a node that does not know
 * one, because it is older, says so. Safe for any thread.
 */
final class Calls {

    /** A call and its types. */
    private record Kind(String name, Class<?> type, Type engine, Type answer) {}

    /** What a letter says. */
    sealed interface Content {

        /**
         * A call.
         *
         * @param call its number at the caller
         * @param shard whose engine it is made on
         * @param name the kind of request
         * @param request the request itself
         */
        @SuppressWarnings("ArrayRecordComponent") // opaque bytes, handed through
        record Ask(long call, int shard, String name, byte[] request) implements Content {}

        /**
         * A question to the node itself.
         *
         * @param call its number at the one who asks
         * @param topic whose it is
         * @param body the question itself
         */
        @SuppressWarnings("ArrayRecordComponent") // opaque bytes, handed through
        record Question(long call, String topic, byte[] body) implements Content {}

        /** The call was made, and this was its answer. */
        @SuppressWarnings("ArrayRecordComponent") // opaque bytes, handed through
        record Answer(long call, byte[] answer) implements Content {}

        /** The call was made, and refused. */
        @SuppressWarnings("ArrayRecordComponent") // opaque bytes, handed through
        record Refusal(long call, byte[] error) implements Content {}

        /** The call may have been made. */
        record Unknown(long call, String message) implements Content {}

        /** The call was not made: the node does not hold the shard, or answers no questions on the topic. */
        record NotMine(long call) implements Content {}
    }

    private final RecordCodec codec = new RecordCodec();
    private final Refusals refusals = new Refusals(codec);
    private final Map<String, Kind> kinds = new HashMap<>();

    Calls() {
        Stream.of(StreamCalls.all(), SessionCalls.all(), TurnCalls.all())
                .flatMap(List::stream)
                .map(Calls::kind)
                .forEach(this::add);
    }

    private void add(Kind kind) {
        if (kinds.put(kind.name(), kind) != null) {
            throw new AssertionError("Two calls are named " + kind.name());
        }
    }

    /** With the class around it, as streams and sessions have calls of the same name. */
    private static String nameOf(Class<?> type) {
        Class<?> around = type.getEnclosingClass();
        return around == null ? type.getSimpleName() : around.getSimpleName() + '.' + type.getSimpleName();
    }

    private static Kind kind(Class<?> type) {
        for (Type implemented : type.getGenericInterfaces()) {
            if (implemented instanceof ParameterizedType call && call.getRawType() == Request.class) {
                Type[] arguments = call.getActualTypeArguments();
                return new Kind(nameOf(type), type, arguments[0], arguments[1]);
            }
        }
        throw new AssertionError(type + " is no request");
    }

    byte[] write(Content content) {
        return codec.encode(Content.class, content);
    }

    /**
     * @throws InvalidArgument if it is none that this version can read
     */
    Content read(byte[] body) {
        return codec.decode(Content.class, body);
    }

    Content.Ask ask(long call, int shard, Request<?, ?> request) {
        Kind kind = known(nameOf(request.getClass()));
        return new Content.Ask(call, shard, kind.name(), codec.encode(kind.type(), request));
    }

    private Kind known(String name) {
        Kind kind = kinds.get(name);
        if (kind == null) {
            throw new InvalidArgument(
                    "This node does not know the call \"%s\". Update it, or send the call to a node of its version."
                            .formatted(name));
        }
        return kind;
    }

    /** Makes a call on a shard's engines, which may write it. */
    Content make(Content.Ask ask, Engines engines) {
        try {
            Kind kind = known(ask.name());
            Object request = codec.decode((Type) kind.type(), ask.request());
            Object answer = make((Request<?, ?>) require(request), kind, engines);
            return new Content.Answer(ask.call(), codec.encode(kind.answer(), answer));
        } catch (StorePoisoned e) { // its own commit may be the one whose fate is not known
            return e.isLeaseLost()
                    ? new Content.NotMine(ask.call())
                    : new Content.Unknown(ask.call(), String.valueOf(e.getMessage()));
        } catch (OutcomeUnknown e) {
            return new Content.Unknown(ask.call(), String.valueOf(e.getMessage()));
        } catch (Closed e) { // the shard is being given up: whoever has it next makes the call
            return new Content.NotMine(ask.call());
        } catch (HoldfastException e) {
            return new Content.Refusal(ask.call(), refusals.encode(e));
        }
    }

    @SuppressWarnings("unchecked") // the kind says which engine the request is made on
    private static @Nullable Object make(Request<?, ?> request, Kind kind, Engines engines) {
        return ((Request<Object, ?>) request).on(engineOf(kind, engines));
    }

    private static Object engineOf(Kind kind, Engines engines) {
        return Stream.of(engines.streams(), engines.sessions(), engines.turns())
                .filter(engine -> engine.getClass() == kind.engine())
                .findFirst()
                .orElseThrow(() -> new AssertionError(kind + " is made on no engine"));
    }

    private static Object require(@Nullable Object request) {
        if (request == null) {
            throw new InvalidArgument("A call without its request was received.");
        }
        return request;
    }

    /** The refusal of a call for which there is no room. */
    Content overloaded(long call) {
        return new Content.Refusal(
                call,
                refusals.encode(new Overloaded("The node answers %d questions of others already. Try again in a moment."
                        .formatted(Mail.MAX_CALLS_AT_ONCE))));
    }

    /** Has a question answered. */
    Content answer(Content.Question question, Peers.@Nullable Handler handler) {
        if (handler == null) {
            return new Content.NotMine(question.call());
        }
        try {
            return new Content.Answer(question.call(), handler.answer(question.body()));
        } catch (StorePoisoned | OutcomeUnknown e) {
            return new Content.Unknown(question.call(), String.valueOf(e.getMessage()));
        } catch (HoldfastException e) {
            return new Content.Refusal(question.call(), refusals.encode(e));
        }
    }

    /** Makes a call on the engines of this very process. */
    @SuppressWarnings({"unchecked", "NullAway"}) // as its kind says
    <R> R here(Request<?, R> request, Engines engines) {
        return (R) make(request, known(nameOf(request.getClass())), engines);
    }

    /** The answer to a call. */
    @SuppressWarnings({"unchecked", "NullAway"}) // as its kind says
    <R> R answer(Request<?, R> request, byte[] answer) {
        return (R) codec.decode(known(nameOf(request.getClass())).answer(), answer);
    }

    HoldfastException refusal(byte[] error) {
        return refusals.decode(error);
    }
}
