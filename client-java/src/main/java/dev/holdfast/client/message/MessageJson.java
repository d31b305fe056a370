package dev.holdfast.client.message;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/** The JSON of the messages: types, kinds, values and fields that are not known are passed over. Thread-safe. */
public final class MessageJson {

    /** The largest frame that is read. The server's events are at most 256 KiB each, but one chunk may be larger. */
    public static final int MAX_FRAME_BYTES = 64 << 20;

    /** How deep a frame may be nested. */
    private static final int MAX_DEPTH = 500;

    private static final Map<String, Class<? extends ServerMessage>> TYPES = Map.of(
            "welcome", ServerMessage.Welcome.class,
            "attached", ServerMessage.Attached.class,
            "detached", ServerMessage.Detached.class,
            "events", ServerMessage.Events.class,
            "driver", ServerMessage.Driver.class,
            "reply", ServerMessage.Reply.class,
            "probe", ServerMessage.Probe.class,
            "heartbeat", ServerMessage.Heartbeat.class,
            "rotate", ServerMessage.Rotate.class,
            "goodbye", ServerMessage.Goodbye.class);

    private static final Map<String, Class<? extends SessionEvent>> KINDS = Map.ofEntries(
            Map.entry("message-added", SessionEvent.MessageAdded.class),
            Map.entry("message-updated", SessionEvent.MessageUpdated.class),
            Map.entry("message-deleted", SessionEvent.MessageDeleted.class),
            Map.entry("messages-cleared", SessionEvent.MessagesCleared.class),
            Map.entry("turn-started", SessionEvent.TurnStarted.class),
            Map.entry("stream-opened", SessionEvent.StreamOpened.class),
            Map.entry("chunk", SessionEvent.Chunk.class),
            Map.entry("turn-awaiting", SessionEvent.TurnAwaiting.class),
            Map.entry("turn-stopping", SessionEvent.TurnStopping.class),
            Map.entry("turn-recovering", SessionEvent.TurnRecovering.class),
            Map.entry("turn-ended", SessionEvent.TurnEnded.class),
            Map.entry("property-changed", SessionEvent.PropertyChanged.class),
            Map.entry("mode-changed", SessionEvent.ModeChanged.class),
            Map.entry("session-closed", SessionEvent.SessionClosed.class),
            Map.entry("session-reopened", SessionEvent.SessionReopened.class));

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_DEPTH)
                            .maxStringLength(MAX_FRAME_BYTES)
                            .maxDocumentLength(MAX_FRAME_BYTES)
                            .build())
                    .build())
            .addModule(new SimpleModule().addDeserializer(SessionEvent.class, new EventReader()))
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(EnumFeature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private MessageJson() {}

    /** Reads each event by its kind. */
    private static final class EventReader extends ValueDeserializer<SessionEvent> {
        @Override
        public SessionEvent deserialize(JsonParser parser, DeserializationContext context) {
            JsonNode json = context.readTree(parser);
            String kind = json.path("kind").asString("");
            Class<? extends SessionEvent> known = KINDS.get(kind);
            return known == null ? new SessionEvent.Unknown(kind, json) : context.readTreeAsValue(json, known);
        }
    }

    /**
     * Reads a message.
     *
     * @throws MalformedMessage if it is none
     */
    public static ServerMessage parse(String frame) {
        try {
            JsonNode json = MAPPER.readTree(frame);
            JsonNode named = json.path("type");
            String type = named.isString() ? named.stringValue() : "";
            if (type.isEmpty()) {
                throw new MalformedMessage("The server sent something without a type.");
            }
            Class<? extends ServerMessage> known = TYPES.get(type);
            return known == null ? new ServerMessage.Unknown(type, json) : MAPPER.treeToValue(json, known);
        } catch (JacksonException | NullPointerException e) {
            throw new MalformedMessage("The server sent what is no message: " + firstLine(e), e);
        }
    }

    /** The JSON of a command. */
    public static String write(ClientMessage message) {
        return MAPPER.writeValueAsString(message);
    }

    /** The JSON of a message of the server, as a recorder or a test needs it. */
    public static String write(ServerMessage message) {
        return MAPPER.writeValueAsString(message);
    }

    /** The JSON of a value, such as a draft to keep. */
    public static String writeValue(Object value) {
        return MAPPER.writeValueAsString(value);
    }

    /**
     * A value of a reply or a file.
     *
     * @throws MalformedMessage if the JSON is none of that type
     */
    public static <T> T convert(@Nullable JsonNode json, Class<T> type) {
        if (json == null) {
            throw new MalformedMessage("There is no " + type.getSimpleName() + " where one must be.");
        }
        try {
            return MAPPER.treeToValue(json, type);
        } catch (JacksonException | NullPointerException e) {
            throw new MalformedMessage("This is no %s: %s".formatted(type.getSimpleName(), firstLine(e)), e);
        }
    }

    /**
     * Reads any JSON.
     *
     * @throws MalformedMessage if it is none
     */
    public static JsonNode tree(String json) {
        try {
            return MAPPER.readTree(json);
        } catch (JacksonException e) {
            throw new MalformedMessage("This is no JSON: " + firstLine(e), e);
        }
    }

    private static String firstLine(Exception e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }
}
