package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.PreconditionFailed;
import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives the subscriptions: whenever one is signalled it takes a step, which ends a lease that lapsed, begins a wake if there is something new
 * and none is in flight, sends what is due, and sets the one alarm for what comes next. Whatever is sent or answered rests on a state that was
 * made durable before (VISIBLE-IS-DURABLE), so a crash in between repeats a delivery and loses none. A subscription with nothing new has no
 * alarm and no thread (IDLE-IS-SILENT).
 */
final class Wakes {

    private static final Logger LOG = LoggerFactory.getLogger(Wakes.class);

    private final SubscriptionWrites writes;
    private final Time time;
    private final Timers timers;
    private final Executor threads;
    private final WakeStream wakeStream;
    private final Webhooks webhooks;

    /**
     * @param threads runs steps and deliveries, each on a thread that may block
     */
    Wakes(
            SubscriptionWrites writes,
            Time time,
            Timers timers,
            Executor threads,
            WakeStream wakeStream,
            Webhooks webhooks) {
        this.writes = writes;
        this.time = time;
        this.timers = timers;
        this.threads = threads;
        this.wakeStream = wakeStream;
        this.webhooks = webhooks;
    }

    /** There may be something to do for a subscription. Returns at once; any thread. */
    void signal(Subscription subscription) {
        if (!subscription.isEnded() && subscription.signalled().compareAndSet(false, true)) {
            run(() -> {
                subscription.signalled().set(false);
                attempt(subscription, () -> step(subscription));
            });
        }
    }

    private void run(Runnable work) {
        try {
            threads.execute(work);
        } catch (RejectedExecutionException e) {
            LOG.debug("Nothing more is done for a subscription: the server closes");
        }
    }

    /**
     * Runs an operation of a client alone, on a state whose lease did not lapse, and takes a step after it.
     *
     * @param work given the wall clock's time
     * @throws SubscriptionProblem as the operation does, or if the subscription was deleted, or changed by another instance
     */
    <T> T operate(Subscription subscription, LongFunction<T> work) {
        subscription.lock().lock();
        try {
            if (subscription.isEnded()) {
                throw SubscriptionProblem.notFound(subscription.id());
            }
            long now = time.wallMillis();
            lapse(subscription, now);
            return work.apply(now);
        } catch (PreconditionFailed e) {
            reload(subscription);
            throw SubscriptionProblem.fenced(subscription.state().generation());
        } finally {
            attempt(subscription, () -> step(subscription));
            subscription.lock().unlock();
        }
    }

    /** Does something of the server's own. What fails is tried again later. */
    private void attempt(Subscription subscription, Runnable work) {
        subscription.lock().lock();
        try {
            if (!subscription.isEnded()) {
                work.run();
                subscription.failedSteps(0);
            }
        } catch (PreconditionFailed e) {
            reload(subscription);
            signal(subscription);
        } catch (HoldfastException.Closed | HoldfastException.StorePoisoned e) {
            LOG.debug("Subscription {} rests until the next start", subscription.id(), e);
        } catch (HoldfastException e) {
            subscription.failedSteps(subscription.failedSteps() + 1);
            long wait = RetryWait.after(subscription.failedSteps(), time);
            LOG.warn("Subscription {} tries again in {} ms", subscription.id(), wait, e);
            alarmIn(subscription, wait);
        } finally {
            subscription.lock().unlock();
        }
    }

    private void reload(Subscription subscription) {
        LOG.info("Another instance changed subscription {}; going on from what it wrote", subscription.id());
        if (!writes.reload(subscription)) {
            subscription.end();
        }
    }

    private void step(Subscription subscription) {
        long now = time.wallMillis();
        lapse(subscription, now);
        WakeState state = subscription.state();
        if (state.idle() && state.attemptAt() <= now && subscription.links().hasPending()) {
            writes.save(subscription, woken(subscription, state, now), List.of());
        }
        writes.saveLinks(subscription);
        send(subscription, now);
        arm(subscription, now);
    }

    /** Ends a wake whose lease, or the time for whose delivery, is over. */
    private void lapse(Subscription subscription, long now) {
        WakeState state = subscription.state();
        Delivery delivery = subscription.delivery();
        if (state.hasLapsed(now)) {
            writes.save(subscription, state.ended(), List.of());
            subscription.replaceDelivery(null);
        } else if (delivery != null && !state.leased() && delivery.deadline() > 0 && delivery.deadline() <= now) {
            LOG.warn("Webhook of subscription {} was not answered within its lease", subscription.id());
            long wait = RetryWait.after(state.failures() + 1, time);
            writes.save(subscription, state.unanswered(now + wait), List.of());
            subscription.replaceDelivery(null);
        }
    }

    /** The state with a new wake. */
    WakeState woken(Subscription subscription, WakeState state, long now) {
        String id = "w_%016x%08x".formatted(time.randomLong(), (int) time.randomLong());
        return state.woken(id, subscription.definition().isWebhook() ? now : 0);
    }

    private void send(Subscription subscription, long now) {
        WakeState state = subscription.state();
        if (state.idle() || state.leased()) {
            return;
        }
        if (!subscription.definition().isWebhook()) {
            if (!subscription.announced()) {
                subscription.announced(wakeStream.announce(subscription));
            }
        } else if (subscription.delivery() == null && state.attemptAt() <= now) {
            Delivery delivery = new Delivery();
            subscription.replaceDelivery(delivery);
            run(() -> webhooks.deliver(subscription, delivery, this));
        }
    }

    /** The one alarm: for the end of the lease or of the delivery's time, or for the next attempt. */
    private void arm(Subscription subscription, long now) {
        WakeState state = subscription.state();
        Delivery delivery = subscription.delivery();
        long at = state.leaseUntil();
        if (at == 0 && delivery != null) {
            at = delivery.deadline();
        } else if (at == 0 && (!state.idle() || subscription.links().hasPending())) {
            at = state.attemptAt();
        }
        if (at == 0) {
            subscription.alarm(null);
        } else {
            alarmIn(subscription, Math.max(0, at - now));
        }
    }

    private void alarmIn(Subscription subscription, long millis) {
        subscription.alarm(timers.after(Duration.ofMillis(millis), () -> signal(subscription)));
    }

    /**
     * A request is about to be sent; it may go unanswered as long as a lease lasts.
     *
     * @return the wake that it is for, or null if that is over
     */
    @Nullable
    WakeState begin(Subscription subscription, Delivery delivery) {
        subscription.lock().lock();
        try {
            if (subscription.isEnded() || subscription.delivery() != delivery) {
                return null;
            }
            long now = time.wallMillis();
            WakeState state = subscription.state();
            delivery.begin(
                    subscription.links().standings(SubscriptionLimits.MAX_STREAMS_PER_WAKE, state.beginnings()),
                    now + subscription.definition().lease().toMillis());
            arm(subscription, now);
            return state;
        } finally {
            subscription.lock().unlock();
        }
    }

    /**
     * A request was answered, or not.
     *
     * @param answer null if there was none
     */
    void answered(Subscription subscription, Delivery delivery, WebhookSender.@Nullable Answer answer) {
        attempt(subscription, () -> {
            delivery.finish();
            if (subscription.delivery() == delivery) { // else the wake that it was for is over
                subscription.forgetDelivery(); // if the answer cannot be kept, the wake is still due
                settle(subscription, delivery, answer);
                step(subscription);
            }
        });
    }

    private void settle(Subscription subscription, Delivery delivery, WebhookSender.@Nullable Answer answer) {
        WakeState state = subscription.state();
        if (answer != null && answer.accepted() && answer.done()) {
            writes.save(subscription, state.ended(), subscription.links().acksOf(delivery.told()));
        } else if (state.leased()) {
            LOG.debug("Subscription {} was called back before its webhook was answered", subscription.id());
        } else if (answer != null && answer.accepted()) {
            writes.save(subscription, state.kept(delivery.deadline()), List.of());
        } else {
            long wait = RetryWait.after(state.failures() + 1, time);
            writes.save(subscription, state.refused(time.wallMillis() + wait), List.of());
        }
    }
}
