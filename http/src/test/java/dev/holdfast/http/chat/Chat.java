package dev.holdfast.http.chat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.access.Authorizer;
import dev.holdfast.http.EventStream;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.Json;
import dev.holdfast.http.RunningServer;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.uimessage.UiMessageAssembler;
import dev.holdfast.uimessage.UiToolAnswers;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;

/** The chat wire on a real store and real sockets. */
final class Chat implements AutoCloseable {

    /** What a turn leaves is there for as long as any test takes. */
    private static final StreamLimits PATIENT = StreamLimits.defaults().withMaxLinger(Duration.ofHours(1));

    final StagedAgent agent = new StagedAgent();
    final Holdfast holdfast;
    final RunningServer server;

    Chat(Path folder) throws IOException {
        this(folder, SseSettings.defaults());
    }

    Chat(Path folder, StreamLimits limits) throws IOException {
        this(folder, SseSettings.defaults(), limits, turns -> turns);
    }

    Chat(Path folder, SseSettings events) throws IOException {
        this(folder, events, PATIENT, turns -> turns);
    }

    Chat(Path folder, UnaryOperator<TurnSettings> turns) throws IOException {
        this(folder, SseSettings.defaults(), PATIENT, turns);
    }

    private Chat(Path folder, SseSettings events, StreamLimits limits, UnaryOperator<TurnSettings> turns)
            throws IOException {
        holdfast = Holdfast.open(
                folder,
                HoldfastSettings.defaults()
                        .withStreams(limits)
                        .withTurns(turns.apply(TurnSettings.defaults()
                                .withAssembler(new UiMessageAssembler())
                                .withAnswers(new UiToolAnswers())
                                .withAgent("default", agent))));
        server = RunningServer.start(routes -> new ChatRoutes(
                        holdfast, Authorizer.allowAll(), events, HttpLimits.defaults(), ChatSettings.of("default"))
                .addTo(routes));
    }

    /** A body as the default transport sends it, from JSON with single quotes. */
    static String submit(String messageId, String text) {
        return json("{'id':'c','trigger':'submit-message','messages':[%s]}".formatted(user(messageId, text)));
    }

    static String user(String messageId, String text) {
        return json("{'id':'%s','role':'user','parts':[{'type':'text','text':'%s'}]}".formatted(messageId, text));
    }

    static String json(String singleQuoted) {
        return singleQuoted.replace('\'', '"');
    }

    /** Posts and reads the answer as it comes. */
    EventStream post(String body, String... headers) throws Exception {
        HttpRequest.Builder request = server.request("/api/chat")
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return EventStream.of(server.client().send(request.build(), HttpResponse.BodyHandlers.ofInputStream()));
    }

    EventStream resume(String... headers) throws Exception {
        return EventStream.open(server, "/api/chat/c/stream", headers);
    }

    JsonNode load() throws Exception {
        return Json.MAPPER.readTree(server.get("/api/chat/c").body());
    }

    /** The types of all chunks up to the clean end, which {@code [DONE]} marks. */
    static List<String> types(List<EventStream.Event> events) {
        List<String> types = new ArrayList<>();
        for (EventStream.Event event : events) {
            types.add(event.data().equals("[DONE]") ? "[DONE]" : type(event));
        }
        return types;
    }

    static String type(EventStream.Event event) {
        return chunk(event).get("type").stringValue();
    }

    static JsonNode chunk(EventStream.Event event) {
        return Json.MAPPER.readTree(event.data());
    }

    /** The deltas of all texts. */
    static List<String> deltas(List<EventStream.Event> events) {
        return events.stream()
                .filter(event -> !event.data().equals("[DONE]"))
                .map(Chat::chunk)
                .filter(chunk -> chunk.get("type").stringValue().equals("text-delta"))
                .map(chunk -> chunk.get("delta").stringValue())
                .toList();
    }

    @Override
    public void close() {
        server.close();
        holdfast.close();
    }
}
