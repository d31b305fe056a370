package dev.holdfast.client;

import dev.holdfast.client.message.ClientMessage;
import dev.holdfast.client.message.MessageJson;
import dev.holdfast.client.message.Problem;
import dev.holdfast.client.message.ServerMessage;
import dev.holdfast.client.message.ServerMessage.Reply;
import dev.holdfast.client.transport.Loss;
import dev.holdfast.client.transport.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Connections whose other end is the test. */
final class ScriptedTransport implements Transport {

    final List<Line> lines = new ArrayList<>();
    boolean closed;

    @Override
    public Line connection(Receiver receiver) {
        Line line = new Line(receiver);
        lines.add(line);
        return line;
    }

    @Override
    public void close() {
        closed = true;
    }

    /** The latest connection. */
    Line line() {
        return lines.getLast();
    }

    /** A command that the client sent, and its answer to come. */
    record Sent(ClientMessage command, CompletableFuture<Reply> reply) {

        void answer(int status, String result) {
            reply.complete(new Reply(command.id(), status, MessageJson.tree(result.replace('\'', '"')), null));
        }

        void refuse(int status, String problem) {
            reply.complete(new Reply(
                    command.id(),
                    status,
                    null,
                    new Problem("urn:holdfast:problem:" + problem, problem, status, "It is " + problem + ".", null)));
        }

        void fail() {
            reply.completeExceptionally(new IOException("cut"));
        }
    }

    /** One connection. */
    static final class Line implements Connection {

        private final Receiver receiver;
        final List<Sent> sent = new ArrayList<>();
        boolean opened;
        boolean closed;

        private Line(Receiver receiver) {
            this.receiver = receiver;
        }

        @Override
        public void open() {
            opened = true;
        }

        @Override
        public CompletableFuture<Reply> send(ClientMessage command) {
            Sent one = new Sent(command, new CompletableFuture<>());
            sent.add(one);
            return one.reply();
        }

        @Override
        public void close() {
            closed = true;
        }

        /** What the server says, if the client still listens or not. */
        void say(ServerMessage message) {
            receiver.received(message);
        }

        void welcome(String connection) {
            say(new ServerMessage.Welcome(1, connection, 15_000, 2_000, 0));
        }

        void lose() {
            receiver.lost(new Loss.Cut("The line was cut."));
        }

        void lose(Loss loss) {
            receiver.lost(loss);
        }

        void refuse(int status, @Nullable Duration retryAfter) {
            lose(new Loss.Refused(status, null, retryAfter));
        }

        Sent last() {
            return sent.getLast();
        }

        /** The commands of one type. */
        <T extends ClientMessage> List<T> commands(Class<T> type) {
            return sent.stream()
                    .map(Sent::command)
                    .filter(type::isInstance)
                    .map(type::cast)
                    .toList();
        }

        List<String> types() {
            return sent.stream().map(one -> one.command().type()).toList();
        }

        void attachOk(String session, String cursor) {
            say(new ServerMessage.Attached(
                    session,
                    ServerMessage.Attached.Answer.OK,
                    null,
                    cursor,
                    null,
                    List.of(),
                    dev.holdfast.client.message.Seat.NONE,
                    null,
                    false,
                    null));
        }

        void attachSnapshot(String session, String cursor) {
            say(new ServerMessage.Attached(
                    session,
                    ServerMessage.Attached.Answer.SNAPSHOT,
                    ServerMessage.Attached.Why.NEW,
                    cursor,
                    new ServerMessage.Attached.Snapshot(List.of(), false),
                    List.of(),
                    dev.holdfast.client.message.Seat.NONE,
                    null,
                    false,
                    null));
        }

        /** A frame with one event, named by the cursor behind it. */
        void event(String session, String from, String cursor) {
            say(Frames.of(session, from, cursor));
        }
    }
}
