package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.http.Json;
import dev.holdfast.store.Time;
import java.io.IOException;
import java.net.URI;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends the wakes of webhook subscriptions, so many at once; the others wait in the order in which they came. Thread-safe. */
final class Webhooks {

    private static final Logger LOG = LoggerFactory.getLogger(Webhooks.class);
    private static final long MILLIS_PER_SECOND = 1000;

    private final WebhookSender sender;
    private final Keys keys;
    private final SubscriptionViews views;
    private final Time time;
    private final Semaphore slots = new Semaphore(SubscriptionLimits.MAX_CONCURRENT_WEBHOOKS, true);

    Webhooks(WebhookSender sender, Keys keys, SubscriptionViews views, Time time) {
        this.sender = sender;
        this.keys = keys;
        this.views = views;
        this.time = time;
    }

    /** Sends the wake in flight and tells what came back. Blocks; returns early when the delivery is cancelled. */
    void deliver(Subscription subscription, Delivery delivery, Wakes wakes) {
        WebhookSender.Answer answer = null;
        try {
            slots.acquire();
            try {
                WakeState wake = wakes.begin(subscription, delivery);
                if (wake == null) {
                    return;
                }
                answer = post(subscription, delivery, wake);
            } finally {
                slots.release();
            }
        } catch (InterruptedException e) {
            return; // its wake is over
        }
        wakes.answered(subscription, delivery, answer);
    }

    private WebhookSender.@Nullable Answer post(Subscription subscription, Delivery delivery, WakeState wake)
            throws InterruptedException {
        URI target = Objects.requireNonNull(subscription.definition().webhook());
        byte[] body = Json.MAPPER.writeValueAsBytes(views.wake(subscription, wake, delivery.told()));
        String signature = keys.signing().current().sign(time.wallMillis() / MILLIS_PER_SECOND, body);
        try {
            WebhookSender.Answer answer = sender.post(target, signature, body);
            if (!answer.accepted()) {
                LOG.warn("Webhook of subscription {} was answered with status {}", subscription.id(), answer.status());
            }
            return answer;
        } catch (IOException e) {
            LOG.warn("Webhook of subscription {} failed: {}", subscription.id(), e.toString());
            return null;
        } catch (RuntimeException e) {
            LOG.error("Webhook of subscription {} failed by a defect", subscription.id(), e);
            return null;
        }
    }
}
