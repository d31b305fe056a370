package dev.holdfast.server.demo;

import dev.holdfast.models.loopback.Recording;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which recorded answer an act plays, over which API, and what is promised of it. */
enum Script {

    /** The Responses API keeps a run, which can be read from any event on. */
    RESUMES(
            "responses",
            "openai-responses-mcp-tool",
            "response.output_text.delta\".*?\"delta\":\"((?:[^\"\\\\]|\\\\.)*)\"",
            0),

    /** A chat completion ends with its connection. */
    RESTARTS("chat", "openai-chat-text", "\"delta\":\\{(?:[^{}]*?,)?\"content\":\"((?:[^\"\\\\]|\\\\.)*)\"", 1);

    /** The client is cut off after this many chunks. */
    static final int KILL_AFTER_CHUNKS = 150;

    private final String api;
    private final String recording;
    private final Pattern delta;
    private final int restarts;

    Script(String api, String recording, String delta, int restarts) {
        this.api = api;
        this.recording = recording;
        this.delta = Pattern.compile(delta);
        this.restarts = restarts;
    }

    String api() {
        return api;
    }

    String model() {
        return recording;
    }

    /** How often the client must be told to start again. */
    int promisedRestarts() {
        return restarts;
    }

    /** The text of the answer as the provider sent it, taken from the recording itself and not from anything Holdfast made of it. */
    String recordedText() {
        StringBuilder text = new StringBuilder();
        for (String event : Recording.named(recording).orElseThrow().events()) {
            Matcher matcher = delta.matcher(event);
            if (matcher.find()) {
                text.append(Json.unescape(matcher.group(1)));
            }
        }
        return text.toString();
    }
}
