package dev.holdfast.bench.sessions;

import dev.holdfast.bench.http.wire.Connection;
import dev.holdfast.bench.http.wire.Requests;
import dev.holdfast.http.session.SessionTransport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An event stream, and a connection of its own for each command, as browsers have them. */
final class SseLink implements Link {

    private static final byte[] GET = Requests.get(SessionTransport.PATH);

    private final Commands commands;
    private final Watcher watcher;
    private final Connection connection;
    private boolean cut;

    private SseLink(Commands commands, Watcher watcher) throws IOException {
        this.commands = commands;
        this.watcher = watcher;
        this.connection =
                Connection.begin(commands.server, new SseMessages(this::message), commands.selector, watcher, GET);
    }

    static Link.Opening to(Commands commands) {
        return watcher -> new SseLink(commands, watcher);
    }

    private void message(byte[] in, int from, int to) {
        if (!cut) {
            watcher.message(in, from, to);
        }
    }

    @Override
    public void ready(SelectionKey key, Room room) throws IOException {
        if (key.isConnectable()) {
            connection.connected(key);
        } else if (connection.read(room.in(), room.view())) {
            throw new IOException("connect was answered with " + connection.status());
        }
    }

    @Override
    public void command(String id, byte[] json) throws IOException {
        commands.add(new Command(this, id, json));
    }

    @Override
    public void cut() throws IOException {
        cut = true;
        connection.cut();
    }

    /** The commands of a crowd; so many of them at once that no process runs out of files. One thread. */
    static final class Commands {

        private static final int MAX_AT_ONCE = 2_000;

        private final InetSocketAddress server;
        private final Selector selector;
        private final Deque<Command> waiting = new ArrayDeque<>();
        private int open;

        Commands(InetSocketAddress server, Selector selector) {
            this.server = server;
            this.selector = selector;
        }

        private void add(Command command) throws IOException {
            waiting.add(command);
            beginSome();
        }

        private void ended() throws IOException {
            open--;
            beginSome();
        }

        private void beginSome() throws IOException {
            while (open < MAX_AT_ONCE && !waiting.isEmpty()) {
                open++;
                waiting.remove().begin();
            }
        }
    }

    /** One command, its connection, and its reply. */
    private static final class Command implements Task {

        private final SseLink link;
        private final String id;
        private final byte[] json;
        private final ByteArrayOutputStream reply = new ByteArrayOutputStream(128);
        private @Nullable Connection connection;

        Command(SseLink link, String id, byte[] json) {
            this.link = link;
            this.id = id;
            this.json = json;
        }

        void begin() throws IOException {
            connection = Connection.begin(
                    link.commands.server,
                    (in, from, to) -> reply.write(in, from, to - from),
                    link.commands.selector,
                    this,
                    Requests.lastPost(SessionTransport.PATH + "/" + id, "application/json", json));
        }

        @Override
        public void ready(SelectionKey key, Room room) throws IOException {
            Connection now = Objects.requireNonNull(connection);
            if (key.isConnectable()) {
                now.connected(key);
            } else if (now.read(room.in(), room.view())) {
                now.close();
                link.commands.ended();
                if (!link.cut) {
                    byte[] all = reply.toByteArray();
                    link.watcher.answered(now.status(), all, 0, all.length);
                }
            }
        }

        @Override
        public void broken(IOException e) {
            try {
                if (connection != null) {
                    connection.close();
                }
                link.commands.ended();
            } catch (IOException again) {
                e.addSuppressed(again);
            }
            if (!link.cut) {
                link.watcher.broken(new IOException("a command failed: " + e.getMessage(), e));
            }
        }
    }
}
