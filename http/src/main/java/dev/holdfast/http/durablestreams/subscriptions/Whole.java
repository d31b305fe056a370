package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.http.Exchange;
import dev.holdfast.http.Headers;
import dev.holdfast.http.RequestHead;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * An exchange whose request was read, and whose answer is one piece: for another node to hand on, or for the client whose request it was. One thread at
 * a time.
 */
final class Whole implements Exchange {

    private final RequestHead head;
    private final byte[] body;
    private final @Nullable Exchange client;
    private int status;
    private Headers headers = new Headers();
    private byte[] answer = {};

    /**
     * @param client is answered; null to keep the answer for {@link #writeTo}
     */
    Whole(RequestHead head, byte[] body, @Nullable Exchange client) {
        this.head = head;
        this.body = body;
        this.client = client;
    }

    @Override
    public RequestHead head() {
        return head;
    }

    @Override
    public InputStream body() {
        return new ByteArrayInputStream(body);
    }

    @Override
    public Sink respond(int code, Headers fields) {
        throw new UnsupportedOperationException("What is answered here is one piece");
    }

    @Override
    public void answer(int code, Headers fields, byte[] bytes) throws IOException {
        status = code;
        headers = fields;
        answer = bytes;
        if (client != null) {
            client.answer(code, fields, bytes);
        }
    }

    /** What was answered. */
    void writeTo(ObjectNode node) {
        node.put("status", status).put("body", answer);
        ArrayNode fields = node.putArray("headers");
        headers.forEach((name, value) -> fields.addObject().put("name", name).put("value", value));
    }

    @Override
    public boolean responding() {
        return status != 0;
    }

    @Override
    public void abort() {
        if (client != null) {
            client.abort();
        }
    }

    @Override
    public boolean gone() {
        return client != null && client.gone();
    }
}
