package dev.holdfast.client;

import dev.holdfast.client.message.ClientMessage;
import dev.holdfast.client.message.ServerMessage;
import dev.holdfast.client.message.ServerMessage.Reply;
import dev.holdfast.client.transport.Loss;
import dev.holdfast.client.transport.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A network that does one thing at a time, when it is told to. In the manner of SSE, commands and their answers overtake one another; in that of a
 * WebSocket they do not. Connections that the client gave up go on delivering.
 */
final class SimNetwork implements Transport {

    private static final int MAX_DELAY = 8;

    private final Random random;
    private final SimServer server;
    private final boolean ordered;
    private int names;
    final List<Line> lines = new ArrayList<>();

    /** A message that was sent before the reconnect had succeeded. */
    @Nullable
    ClientMessage tooSoon;

    /** Whether frames are lost and repeated, commands refused, and connections cut. */
    boolean unkind = true;

    SimNetwork(Random random, SimServer server, boolean ordered) {
        this.random = random;
        this.server = server;
        this.ordered = ordered;
    }

    @Override
    public Connection connection(Receiver receiver) {
        Line line = new Line(receiver);
        lines.add(line);
        return line;
    }

    @Override
    public void close() {}

    /** The latest line, which the client uses unless it has given it up. */
    Line line() {
        return lines.getLast();
    }

    private boolean chance(int percent) {
        return unkind && random.nextInt(100) < percent;
    }

    private record Command(ClientMessage message, CompletableFuture<Reply> reply) {}

    /** One connection: what is on its way down, and up. */
    final class Line implements Connection {

        private final Receiver receiver;
        private final SimServer.Peer peer;
        private final List<Runnable> down = new ArrayList<>();
        private final List<Command> up = new ArrayList<>();
        private final List<Runnable> answers = new ArrayList<>();
        private @Nullable CompletableFuture<Reply> syncing;
        private boolean spoken;
        private boolean asked;
        private boolean open;
        private boolean lost;
        private boolean givenUp;

        private Line(Receiver receiver) {
            this.receiver = receiver;
            this.peer = server.new Peer();
        }

        @Override
        public void open() {
            asked = true;
        }

        @Override
        public CompletableFuture<Reply> send(ClientMessage command) {
            CompletableFuture<Reply> reply = new CompletableFuture<>();
            if (command instanceof ClientMessage.Send && syncing != null && !syncing.isDone()) {
                tooSoon = command;
            }
            if (!spoken && command instanceof ClientMessage.Reconnect) {
                syncing = reply;
            }
            spoken = true;
            up.add(new Command(command, reply));
            return reply;
        }

        @Override
        public void close() {
            givenUp = true;
        }

        /** Does one thing, if there is one to do. */
        boolean step() {
            if (lost) {
                return false;
            }
            if (asked && !open) {
                opened();
                return true;
            }
            if (!open) {
                return false;
            }
            List<Runnable> possible = new ArrayList<>();
            if (!down.isEmpty()) {
                possible.add(this::deliver);
            }
            if (!up.isEmpty()) {
                possible.add(this::carryOut);
            }
            if (!answers.isEmpty()) {
                possible.add(this::answer);
            }
            if (down.size() < MAX_DELAY && !givenUp && (possible.isEmpty() || random.nextInt(3) == 0)) {
                ServerMessage next = peer.next();
                if (next != null) {
                    say(next, down.size());
                    return true;
                }
            }
            if (possible.isEmpty()) {
                return false;
            }
            possible.get(random.nextInt(possible.size())).run();
            return true;
        }

        private void opened() {
            if (chance(10)) {
                lost = true;
                receiver.lost(
                        random.nextBoolean()
                                ? new Loss.Cut("no way")
                                : new Loss.Refused(503, null, Duration.ofSeconds(1)));
                return;
            }
            open = true;
            String name = "conn-" + names++;
            down.add(() -> receiver.received(new ServerMessage.Welcome(1, name, 15_000, 0, 0)));
        }

        private void say(ServerMessage message, int at) {
            Runnable delivery = () -> receiver.received(message);
            if (message instanceof ServerMessage.Events && chance(4)) {
                return; // lost on its way
            }
            down.add(at, delivery);
            if (chance(6)) {
                int late = message instanceof ServerMessage.Events ? random.nextInt(down.size() - at) : 0;
                down.add(at + 1 + late, delivery);
            }
        }

        private void deliver() {
            down.removeFirst().run();
        }

        private Command takeUp() {
            return up.remove(ordered ? 0 : random.nextInt(up.size()));
        }

        private void carryOut() {
            Command command = takeUp();
            if (chance(4)) {
                fail(command);
                return;
            }
            if (chance(4)) {
                reply(command, SimServer.refusal(command.message(), 503, "overloaded"));
                return;
            }
            List<ServerMessage> also = new ArrayList<>();
            Reply reply = peer.run(command.message(), also);
            also.forEach(message -> say(message, down.size()));
            if (chance(4)) {
                fail(command); // it was done, and nobody is told
            } else {
                reply(command, reply);
            }
        }

        private void reply(Command command, Reply reply) {
            (ordered ? down : answers).add(() -> command.reply().complete(reply));
        }

        private void fail(Command command) {
            if (!ordered) {
                answers.add(() -> command.reply().completeExceptionally(new IOException("reset")));
            }
        }

        private void answer() {
            answers.remove(random.nextInt(answers.size())).run();
        }

        /** Cuts it; the client may learn of it, or not. */
        void cut() {
            if (open && !lost) {
                lost = true;
                up.forEach(command -> command.reply().completeExceptionally(new IOException("cut")));
                up.clear();
                if (random.nextInt(3) > 0) {
                    receiver.lost(new Loss.Cut("cut"));
                }
            }
        }

        /** Something late of a line that the client gave up. */
        void haunt() {
            if (givenUp && !down.isEmpty()) {
                deliver();
            }
        }

        void heartbeat() {
            if (open && !lost) {
                down.add(() -> receiver.received(new ServerMessage.Heartbeat()));
            }
        }
    }
}
