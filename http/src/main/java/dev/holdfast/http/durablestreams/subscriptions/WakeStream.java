package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.StreamClosed;
import dev.holdfast.error.HoldfastException.StreamGone;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.http.Json;
import dev.holdfast.store.Time;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.Producer;
import dev.holdfast.stream.Streams;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes the wakes of pull-wake subscriptions to their wake streams, each exactly once: a subscription is an idempotent producer there whose
 * epoch is the generation. Writing one again, after a crash or when in doubt, does nothing.
 */
final class WakeStream {

    private static final Logger LOG = LoggerFactory.getLogger(WakeStream.class);

    private final Streams streams;
    private final Time time;

    WakeStream(Streams streams, Time time) {
        this.streams = streams;
        this.time = time;
    }

    /**
     * Writes the wake in flight.
     *
     * @return false if there is no stream that takes it; it is worth another try when there is
     */
    boolean announce(Subscription subscription) {
        String stream = subscription.definition().wakeStream();
        if (stream == null) {
            return true;
        }
        long generation = subscription.state().generation();
        ObjectNode event = Json.MAPPER.createObjectNode();
        event.put("type", "wake");
        event.put("subscription_id", subscription.id());
        event.put("stream", subscription.links().firstPending().orElse(""));
        event.put("generation", generation);
        event.put("ts", time.wallMillis());
        Producer producer = new Producer("ds/" + subscription.definition().key(), generation, 0);
        try {
            streams.append(
                    stream,
                    AppendRequest.of(List.of(Json.MAPPER.writeValueAsBytes(event)))
                            .from(producer));
            return true;
        } catch (StreamNotFound | StreamClosed | StreamGone | LimitExceeded e) {
            LOG.warn(
                    "Subscription {} cannot wake anyone over its wake stream \"{}\": {}",
                    subscription.id(),
                    stream,
                    e.getMessage());
            return false;
        }
    }
}
