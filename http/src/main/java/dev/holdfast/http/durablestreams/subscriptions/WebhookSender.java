package dev.holdfast.http.durablestreams.subscriptions;

import java.io.IOException;
import java.net.URI;

/** Posts a webhook and waits for its answer. Thread-safe. */
interface WebhookSender extends AutoCloseable {

    /**
     * An answer.
     *
     * @param status its HTTP status
     * @param done whether it says that the work is done
     */
    record Answer(int status, boolean done) {
        boolean accepted() {
            return status >= 200 && status < 300;
        }
    }

    /**
     * @param signature for the header {@code Webhook-Signature}
     * @throws IOException if there is no whole answer
     * @throws InterruptedException if the answer does not matter any more; the connection is cut
     */
    Answer post(URI target, String signature, byte[] body) throws IOException, InterruptedException;

    @Override
    void close();
}
