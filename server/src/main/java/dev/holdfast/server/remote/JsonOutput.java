package dev.holdfast.server.remote;

import dev.holdfast.client.message.MessageJson;
import dev.holdfast.client.message.ServerMessage.Attached;
import dev.holdfast.client.message.SessionEvent;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Each message of the transport as a line of JSON, for programs. */
final class JsonOutput implements Output {

    private final PrintWriter out;

    JsonOutput(PrintWriter out) {
        this.out = out;
    }

    @Override
    public void attached(Attached attached) {
        print(MessageJson.write(attached));
    }

    @Override
    public void events(String session, List<SessionEvent> events, String cursor) {
        Map<String, Object> frame = new LinkedHashMap<>();
        frame.put("type", "events");
        frame.put("session", session);
        frame.put("cursor", cursor);
        frame.put("events", events);
        print(MessageJson.writeValue(frame));
    }

    private void print(String json) {
        out.println(json);
        out.flush();
    }
}
