package dev.holdfast.http.api;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Action;
import dev.holdfast.access.Authorizer;
import dev.holdfast.access.Resource;
import dev.holdfast.error.HoldfastException.CursorAhead;
import dev.holdfast.error.HoldfastException.CursorTooOld;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.http.Call;
import dev.holdfast.http.Headers;
import dev.holdfast.http.Json;
import dev.holdfast.http.Router;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.http.sse.SseWriter;
import dev.holdfast.http.sse.StreamEvents;
import dev.holdfast.stream.Attach;
import dev.holdfast.stream.Cursor;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamState;
import dev.holdfast.stream.Streams;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * Watches one stream by its name: {@code GET /api/v1/streams/{stream}}. After the last chunk of a settled stream comes {@code stream-ended}
 * with its state; a name that is another incarnation by now begins with {@code restarted}.
 */
public final class StreamRoutes {

    private final Holdfast holdfast;
    private final Authorizer authorizer;
    private final SseSettings settings;

    public StreamRoutes(Holdfast holdfast, Authorizer authorizer, SseSettings settings) {
        this.holdfast = holdfast;
        this.authorizer = authorizer;
        this.settings = settings;
    }

    public void addTo(Router.Builder routes) {
        routes.add("GET", "/api/v1/streams/{stream}", this::watch);
    }

    private void watch(Call call) throws IOException, InterruptedException {
        String name = call.path("stream");
        authorizer.authorize(call.principal(), Action.READ, new Resource.OneStream(name));
        Streams streams = holdfast.streams(call.principal().tenant());
        Optional<Cursor> cursor = Cursors.given(call).map(Cursor::parse);
        Attach attach = cursor.isPresent()
                ? streams.attach(name, cursor.get())
                : new Attach.Ok(streams.tail(
                        name,
                        streams.status(name)
                                .orElseThrow(() -> new StreamNotFound(name))
                                .firstSeq()));
        switch (attach) {
            case Attach.Ok ok -> copy(call, ok.reader(), Optional.empty());
            case Attach.Restarted restarted -> copy(call, restarted.reader(), Optional.of("restarted"));
            case Attach.TooOld old ->
                throw new CursorTooOld(
                        name, cursor.map(Cursor::seq).orElse(0L), old.first().seq());
            case Attach.Ahead ahead ->
                throw new CursorAhead(
                        name, cursor.map(Cursor::seq).orElse(0L), ahead.tail().seq());
            case Attach.Gone gone -> throw new StreamNotFound(name);
        }
    }

    private void copy(Call call, StreamReader reader, Optional<String> first) throws IOException, InterruptedException {
        try (reader) {
            boolean text = isText(reader.status().contentType());
            Headers headers = new Headers();
            if (!text) {
                headers.set("Holdfast-Data-Encoding", "base64");
            }
            SseWriter out = SseWriter.open(call.exchange(), settings, headers);
            first.ifPresent(
                    name -> out.frames().event(name, reader.cursor().token(), json(Json.MAPPER.createObjectNode())));
            out.flush();
            StreamEvents events =
                    new StreamEvents(out, text ? StreamEvents.Encoding.text() : StreamEvents.Encoding.base64());
            switch (events.copy(reader)) {
                case StreamEvents.End.Settled settled -> end(out, settled.last());
                case StreamEvents.End.Gone gone -> call.exchange().abort();
                case StreamEvents.End.Rotate rotate -> out.rotate();
            }
        }
    }

    private static void end(SseWriter out, ReadBatch last) throws IOException {
        ObjectNode body = Json.MAPPER.createObjectNode();
        body.put("state", last.state() == StreamState.COMPLETED ? "completed" : "errored");
        body.put("error", last.error());
        out.frames().event("stream-ended", null, json(body));
        out.flush();
    }

    private static boolean isText(String contentType) {
        int semicolon = contentType.indexOf(';');
        String type = semicolon < 0 ? contentType : contentType.substring(0, semicolon);
        return type.startsWith("text/") || type.equals("application/json") || type.endsWith("+json");
    }

    private static ByteBuffer json(ObjectNode body) {
        return ByteBuffer.wrap(Json.MAPPER.writeValueAsBytes(body));
    }
}
