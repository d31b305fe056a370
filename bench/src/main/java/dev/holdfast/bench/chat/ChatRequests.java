package dev.holdfast.bench.chat;

import dev.holdfast.bench.http.wire.Requests;
import java.nio.charset.StandardCharsets;

/** What a chat client sends. */
final class ChatRequests {

    private static final String TEXT = "How do you keep what you said, so that nobody has to hear it twice?";

    /** The user's message as it is stored. */
    static final byte[] QUESTION = message("question").getBytes(StandardCharsets.UTF_8);

    private ChatRequests() {}

    private static String message(String id) {
        return "{\"id\":\"%s\",\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"%s\"}]}".formatted(id, TEXT);
    }

    static byte[] post(String chat, String messageId, String agent) {
        String body = "{\"id\":\"%s\",\"trigger\":\"submit-message\",\"agent\":\"%s\",\"message\":%s}"
                .formatted(chat, agent, message(messageId));
        return Requests.post("/api/chat", "application/json", body.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] resume(String chat) {
        return Requests.get("/api/chat/" + chat + "/stream");
    }
}
