package dev.holdfast.http.session;

import java.io.IOException;
import java.net.URI;
import java.net.http.WebSocket;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** One WebSocket, for both ways. */
final class SocketLine extends Line {

    private final WebSocket socket;
    private final Inbox inbox;

    private SocketLine(Wire wire, WebSocket socket, Inbox inbox, JsonNode welcome) {
        super(welcome, wire.told);
        this.socket = socket;
        this.inbox = inbox;
    }

    static SocketLine open(Wire wire, @Nullable String device) throws InterruptedException, IOException {
        Inbox inbox = new Inbox();
        URI uri = URI.create("ws://127.0.0.1:" + wire.http.port() + Wire.path(device));
        WebSocket socket = wire.http
                .client()
                .newWebSocketBuilder()
                .subprotocols(SessionTransport.SUBPROTOCOL)
                .buildAsync(uri, inbox)
                .join();
        return new SocketLine(wire, socket, inbox, inbox.message().orElseThrow());
    }

    @Override
    JsonNode exchange(ObjectNode command) throws IOException, InterruptedException {
        socket.sendText(command.toString(), true).join();
        return inbox.replies.take();
    }

    @Override
    Optional<JsonNode> take() throws IOException, InterruptedException {
        return inbox.message();
    }

    @Override
    void vanish() {
        socket.abort();
    }

    /** What comes in: replies apart from the rest. */
    private static final class Inbox implements WebSocket.Listener {

        private sealed interface Item {
            record Message(JsonNode json) implements Item {}

            record End(@Nullable Throwable error) implements Item {}
        }

        private final BlockingQueue<JsonNode> replies = new LinkedBlockingQueue<>();
        private final BlockingQueue<Item> items = new LinkedBlockingQueue<>();
        private final StringBuilder text = new StringBuilder();

        Optional<JsonNode> message() throws IOException, InterruptedException {
            return switch (items.take()) {
                case Item.Message message -> Optional.of(message.json());
                case Item.End end -> {
                    if (end.error() != null) {
                        throw new IOException(end.error());
                    }
                    yield Optional.empty();
                }
            };
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                JsonNode json = Line.checked(text.toString());
                text.setLength(0);
                if (type(json).equals("reply")) {
                    replies.add(json);
                } else {
                    items.add(new Item.Message(json));
                }
            }
            from.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
            items.add(new Item.End(null));
            return null;
        }

        @Override
        public void onError(WebSocket from, Throwable error) {
            items.add(new Item.End(error));
        }
    }
}
