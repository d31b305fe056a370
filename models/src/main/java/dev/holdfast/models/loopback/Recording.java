package dev.holdfast.models.loopback;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The events of one recorded answer, each a JSON text. */
public final class Recording {

    /** All recordings, by the name that a request gives as its model. */
    public static final List<String> NAMES = List.of(
            "openai-chat-text",
            "deepseek-chat-reasoning",
            "deepseek-chat-tool-call",
            "xai-chat-tool-call",
            "openai-responses-mcp-tool",
            "anthropic-messages-web-search",
            "anthropic-messages-programmatic-tools");

    private static final Pattern TYPE = Pattern.compile("^\\{\"type\":\"([a-z_.]+)\"");
    private static final Pattern RESPONSE_ID = Pattern.compile("\"response\":\\{\"id\":\"([^\"]+)\"");

    private final List<String> events;

    private Recording(List<String> events) {
        this.events = List.copyOf(events);
    }

    /** An answer of these events, each a JSON text. */
    public static Recording of(List<String> events) {
        return new Recording(events);
    }

    /** The recording of this name, or empty if there is none. */
    public static Optional<Recording> named(String name) {
        if (!NAMES.contains(name)) {
            return Optional.empty();
        }
        try (InputStream in =
                Recording.class.getResourceAsStream("/dev/holdfast/models/recorded/" + name + ".chunks.txt")) {
            if (in == null) {
                throw new IllegalStateException("The recording " + name + " is missing from the jar.");
            }
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return Optional.of(
                    new Recording(text.lines().filter(line -> !line.isBlank()).toList()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public List<String> events() {
        return events;
    }

    /**
     * The answer to a request, where the recording is of several requests of one turn, as for tools that are called by a program: one more answer for each
     * result that the request brings.
     */
    Recording answer(int results) {
        List<Integer> starts = new ArrayList<>();
        for (int i = 0; i < events.size(); i++) {
            if (type(events.get(i)).filter("message_start"::equals).isPresent()) {
                starts.add(i);
            }
        }
        if (starts.size() < 2) {
            return this;
        }
        int index = Math.min(results, starts.size() - 1);
        int end = index + 1 < starts.size() ? starts.get(index + 1) : events.size();
        return new Recording(events.subList(starts.get(index), end));
    }

    /** The recording with the id of its response replaced. */
    Recording withResponseId(String id) {
        Matcher recorded = RESPONSE_ID.matcher(events.get(0));
        if (!recorded.find()) {
            return this;
        }
        return new Recording(events.stream()
                .map(event -> event.replace(recorded.group(1), id))
                .toList());
    }

    /** The value of an event's field {@code type}, if it comes first. */
    static Optional<String> type(String event) {
        Matcher type = TYPE.matcher(event);
        return type.find() ? Optional.of(type.group(1)) : Optional.empty();
    }
}
