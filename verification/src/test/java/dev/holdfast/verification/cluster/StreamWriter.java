package dev.holdfast.verification.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.Set;

/** A writer of a Durable Stream whose appends can be repeated, each at whatever server there is. */
final class StreamWriter {

    private static final Set<Integer> WRITTEN = Set.of(200, 204);

    private final Client client;
    private final String stream;
    private volatile int acknowledged;

    StreamWriter(Client client, String stream) {
        this(client, stream, 0);
    }

    /** One that goes on where another one is. */
    StreamWriter(Client client, String stream, int acknowledged) {
        this.client = client;
        this.stream = stream;
        this.acknowledged = acknowledged;
    }

    static String path(String stream) {
        return "/v1/stream/" + stream;
    }

    /** A message that only this position of this stream has. */
    static String message(String stream, int number) {
        return stream + ":" + number;
    }

    /** The headers of an append. */
    static String[] headers(int number) {
        return new String[] {
            "Content-Type", "application/json",
            "Producer-Id", "writer",
            "Producer-Epoch", "0",
            "Producer-Seq", Integer.toString(number)
        };
    }

    int acknowledged() {
        return acknowledged;
    }

    String stream() {
        return stream;
    }

    void create() throws InterruptedException {
        HttpResponse<String> made = client.insist("PUT", path(stream), "", "Content-Type", "application/json");
        assertThat(made.statusCode()).as(made.body()).isIn(200, 201);
    }

    void append() throws InterruptedException {
        int number = acknowledged;
        HttpResponse<String> answer =
                client.insist("POST", path(stream), "[\"%s\"]".formatted(message(stream, number)), headers(number));
        assertThat(answer.statusCode())
                .as("append %d to %s: %s %s", number, stream, answer.headers().map(), answer.body())
                .isIn(WRITTEN);
        acknowledged = number + 1;
    }

    void finish() throws InterruptedException {
        HttpResponse<String> closed = client.insist("POST", path(stream), "", "Stream-Closed", "true");
        assertThat(closed.statusCode()).as(closed.body()).isEqualTo(204);
    }
}
