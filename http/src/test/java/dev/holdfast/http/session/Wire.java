package dev.holdfast.http.session;

import dev.holdfast.http.HttpPeer;
import dev.holdfast.http.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The session transport on a real store and real sockets, with agents that do as the test says. Nothing here knows where the server lives. When it is closed,
 * all that clients were told is looked for in the store.
 */
final class Wire implements AutoCloseable {

    private final Path folder;
    private final OrderedServer server;

    /** What the test does and sees at the server. */
    final ServerSide there;

    /** Requests of all kinds. */
    final HttpPeer http;

    final Told told = new Told();

    private Wire(Path folder, OrderedServer server) throws IOException, InterruptedException {
        this.folder = folder;
        this.server = server;
        this.there = new ServerSide(server);
        this.http = new HttpPeer(there.port());
    }

    static Wire open(Where where, Path folder) throws IOException, InterruptedException {
        return open(where, folder, Plan.plain());
    }

    static Wire open(Where where, Path folder, Plan plan) throws IOException, InterruptedException {
        return new Wire(folder, where.start(folder, plan));
    }

    /** Opens a connection of server-sent events and reads its welcome. */
    Line connect(String... headers) throws IOException, InterruptedException {
        return SseLine.open(this, null, headers);
    }

    /** The same for a device of this name. */
    Line connectAs(String device) throws IOException, InterruptedException {
        return SseLine.open(this, device);
    }

    HttpResponse<String> post(String connection, String json, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = http.request(SessionTransport.PATH + "/" + connection)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.client().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** The path for a device, or for one without a name. */
    static String path(@Nullable String device) {
        return SessionTransport.PATH + (device == null ? "" : "?device=" + device);
    }

    /** A send of a message, whose id is the turn's as well. */
    static ObjectNode sending(String session, String message) {
        ObjectNode command = command("send").put("session", session).put("create", true);
        command.putObject("turn").putObject("message").put("id", message).put("text", "Hello");
        return command;
    }

    static ObjectNode command(String type) {
        return Json.MAPPER.createObjectNode().put("type", type).put("id", "c");
    }

    static ObjectNode watching(String session, @Nullable String cursor) {
        return command("watch").put("session", session).put("cursor", cursor);
    }

    static JsonNode json(String text) {
        return Json.MAPPER.readTree(text);
    }

    @Override
    public void close() {
        http.close();
        server.close();
        try {
            told.check(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }
}
