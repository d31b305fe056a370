package dev.holdfast.server;

import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.Trust;
import dev.holdfast.http.chat.ChatSettings;
import dev.holdfast.http.durablestreams.DurableStreamsSettings;
import dev.holdfast.http.durablestreams.subscriptions.SubscriptionSettings;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.store.postgres.CoordinationSettings;
import dev.holdfast.store.postgres.PostgresSettings;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a server runs with.
 *
 * @param host the address to listen on
 * @param port the port, or 0 for any
 * @param data the folder of the store
 * @param database the database of the cluster that the server is a node of, or empty for the folder
 * @param trust who is let in
 * @param limits limits of the wires
 * @param events how event streams behave
 * @param streamWire how the Durable Streams protocol is served
 * @param subscriptions how its subscriptions behave
 * @param chat how chat clients are served
 * @param model the model that answers, or empty for the demo
 * @param stallTimeout how long a running turn may emit nothing before its agent is given up and the turn recovered; zero for as long as it likes
 * @param drainGrace how long running turns may go on once the process is asked to end
 */
record ServerSettings(
        String host,
        int port,
        Path data,
        Optional<Database> database,
        Trust trust,
        HttpLimits limits,
        SseSettings events,
        DurableStreamsSettings streamWire,
        SubscriptionSettings subscriptions,
        ChatSettings chat,
        Optional<Model> model,
        Duration stallTimeout,
        Duration drainGrace) {

    /** A cluster's databases, the nodes' home first, and how this node takes part. */
    record Database(List<PostgresSettings> postgres, CoordinationSettings coordination, NodeSettings node) {}

    /** Which API a model speaks. */
    enum ModelApi {
        chat,
        responses,
        messages
    }

    /**
     * A model behind a URL. Its text form has no key.
     *
     * @param url up to and including the version, such as {@code https://api.openai.com/v1}
     * @param name the model's name
     * @param key its key, or empty
     * @param api the API it speaks
     * @param compactAfter estimated tokens of a conversation after which its older part is summed up; 0 for never
     */
    record Model(URI url, String name, Optional<String> key, ModelApi api, long compactAfter) {
        @Override
        public String toString() {
            return "%s at %s (%s API)".formatted(name, url, api);
        }
    }
}
