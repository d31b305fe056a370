package dev.holdfast.http.admin;

import dev.holdfast.Holdfast;
import dev.holdfast.http.Answers;
import dev.holdfast.http.Call;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.Json;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import tools.jackson.databind.node.ObjectNode;

/**
 * Liveness and readiness in one: 200 while this process can write, 503 once its store is poisoned (only a new process heals that), once a
 * read found it damaged (only a backup heals that), or while it drains. Thread-safe.
 */
public final class Health {

    private final Holdfast holdfast;
    private final AtomicBoolean draining = new AtomicBoolean();

    public Health(Holdfast holdfast) {
        this.holdfast = holdfast;
    }

    /** From now on the answer is that the process is about to end. */
    public void drain() {
        draining.set(true);
    }

    private String status() {
        if (!holdfast.healthy()) {
            return "store-poisoned";
        }
        if (!holdfast.intact()) {
            return "store-damaged";
        }
        return draining.get() ? "draining" : "ok";
    }

    void answer(Call call) throws IOException {
        String status = status();
        ObjectNode body = Json.MAPPER.createObjectNode();
        body.put("status", status);
        Headers headers = new Headers();
        boolean ready = status.equals("ok");
        if (!ready) {
            headers.set("Retry-After", Integer.toString(HttpLimits.RETRY_AFTER_SECONDS));
        }
        Answers.json(call.exchange(), ready ? 200 : 503, headers, body);
    }
}
