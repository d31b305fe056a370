package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.Holdfast;
import dev.holdfast.cluster.Peers;
import dev.holdfast.http.durablestreams.subscriptions.SubscriptionProblem.Code;
import dev.holdfast.session.Properties;
import dev.holdfast.store.PropertyRow.Owner;
import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.stream.Streams;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The subscriptions of a tenant: durable cursors over streams that wake workers, by a signed webhook or through a wake stream.
 *
 * <p>Everything that a client was told survives the process: subscriptions, links with what was acknowledged, leases, generations and retries
 * are properties of the tenant, each change of a state conditional on the version before it. In memory is what they say, and the tails of the
 * streams. There is one instance per tenant and store; in a cluster one on each node, of which one keeps the subscriptions and the others hand on to
 * it what they are asked, and what the streams do that they write. The one that keeps them delivers the wakes. If it is lost, another one goes on as
 * after a restart.
 *
 * <p>Thread-safe. Close it before the store.
 */
public final class Subscriptions implements AutoCloseable {

    private final SubscriptionSettings settings;
    private final Streams streams;
    private final Time time;
    private final Timers timers;
    private final WebhookTargets targets;
    private final WebhookSender sender;
    private final ExecutorService threads;
    private final Keys keys;
    private final SubscriptionViews views;
    private final SubscriptionTable table;
    private final SubscriptionWrites writes;
    private final Followers followers;
    private final StreamScan scan;
    private final Wakes wakes;
    private final Keeping keeping;
    private final Peers peers;
    private final ConcurrentHashMap<String, Subscription> byId = new ConcurrentHashMap<>();

    /** One subscription is created at a time. */
    private final ReentrantLock creating = new ReentrantLock();

    private Subscriptions(
            Holdfast holdfast, SubscriptionSettings settings, WebhookTargets targets, WebhookSender sender) {
        Properties properties = holdfast.properties(new Owner.Tenant(settings.tenant()));
        this.settings = settings;
        this.streams = holdfast.streams(settings.tenant());
        this.time = settings.time();
        this.timers = settings.timers().get();
        this.targets = targets;
        this.sender = sender;
        this.threads = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("holdfast-subscription-", 0).factory());
        this.keys = Keys.of(properties, time, settings.keyAge());
        this.views = new SubscriptionViews(keys);
        this.table = new SubscriptionTable(properties);
        this.writes = new SubscriptionWrites(table);
        Webhooks webhooks = new Webhooks(sender, keys, views, time);
        this.wakes = new Wakes(writes, time, timers, threads, new WakeStream(streams, time), webhooks);
        this.followers = new Followers(wakes::signal);
        this.scan = new StreamScan(streams, followers);
        this.peers = holdfast.peers();
        this.keeping = new Keeping(peers, settings.tenant(), new Kept(), followers, threads, timers);
    }

    /** What is kept while this node keeps it. */
    private final class Kept implements Keeping.Keeper {

        @Override
        public void takeUp() {
            recover();
        }

        @Override
        public void rest() {
            creating.lock();
            try {
                for (Subscription each : byId.values()) {
                    end(each);
                    followers.remove(each);
                }
                byId.clear();
            } finally {
                creating.unlock();
            }
        }

        @Override
        public void lookAgain() {
            if (!byId.isEmpty()) {
                scan.catchUp(byId.values());
                byId.values().forEach(wakes::signal);
            }
        }

        @Override
        public boolean any() {
            return table.any();
        }
    }

    /** Takes up the subscriptions that there are, and listens to the streams. */
    public static Subscriptions open(Holdfast holdfast, SubscriptionSettings settings) {
        WebhookTargets targets = new WebhookTargets(settings.localWebhooks(), WebhookTargets.dns());
        return open(holdfast, settings, targets, new JettyWebhookSender(targets));
    }

    static Subscriptions open(
            Holdfast holdfast, SubscriptionSettings settings, WebhookTargets targets, WebhookSender sender) {
        Subscriptions subscriptions = new Subscriptions(holdfast, settings, targets, sender);
        subscriptions.keeping.begin(subscriptions.streams);
        return subscriptions;
    }

    private void recover() {
        Map<String, List<Link.Saved>> links = table.links();
        for (SubscriptionTable.Found found : table.all()) {
            Links own = new Links(SubscriptionLimits.MAX_LINKS);
            own.load(
                    Optional.ofNullable(links.remove(found.definition().key())).orElse(List.of()),
                    found.state().beginnings());
            Subscription subscription =
                    new Subscription(found.definition(), found.base(), found.state(), found.stateVersion(), own);
            subscription.backfilled();
            byId.put(subscription.id(), subscription);
            followers.add(subscription);
        }
        links.keySet().forEach(table::deleteLinks); // of subscriptions that were half made or half deleted
        if (!byId.isEmpty()) {
            scan.catchUp(byId.values());
        }
        byId.values().forEach(wakes::signal);
    }

    /** Whether this node keeps the subscriptions; otherwise it must not be asked for any. */
    boolean keeps() {
        return keeping.keeps();
    }

    /** The node that keeps them, or 0 if none does at the moment. */
    long keeper() {
        return keeping.keeper();
    }

    /** Runs something when this is closed. */
    void endsWith(Runnable ending) {
        keeping.endsWith(ending);
    }

    Peers peers() {
        return peers;
    }

    String tenant() {
        return settings.tenant();
    }

    /** The path of the mount. */
    String prefix() {
        return settings.prefix();
    }

    Followers followers() {
        return followers;
    }

    SubscriptionViews views() {
        return views;
    }

    Keys keys() {
        return keys;
    }

    /**
     * @throws SubscriptionProblem if there is none
     */
    Subscription get(String id) {
        return Optional.ofNullable(byId.get(id)).orElseThrow(() -> SubscriptionProblem.notFound(id));
    }

    /**
     * Creates a subscription, or confirms one that was created alike.
     *
     * @param base where the client reaches the streams of this server
     * @return whether it was created
     * @throws SubscriptionProblem if there is another one of that id, if its webhook may not be used, or if it would be one too many
     */
    boolean create(String id, CreateRequest request, String base) {
        creating.lock();
        try {
            Subscription there = byId.get(id);
            if (there != null) {
                confirm(there, request, base);
                return false;
            }
            if (byId.size() >= SubscriptionLimits.MAX_SUBSCRIPTIONS) {
                throw new SubscriptionProblem(
                        Code.LIMIT_EXCEEDED, "There are %d subscriptions already. Delete one.".formatted(byId.size()));
            }
            boolean first = byId.isEmpty();
            if (first) {
                keeping.wanted();
            }
            make(id, request, base);
            if (first) {
                keeping.wanted(); // by those, too, that came meanwhile and did not find it stored
                scan.catchUp(byId.values());
                byId.values().forEach(wakes::signal);
            }
            return true;
        } finally {
            creating.unlock();
        }
    }

    private void confirm(Subscription there, CreateRequest request, String base) {
        if (!there.definition().hash().equals(request.hash())) {
            throw new SubscriptionProblem(
                    Code.SUBSCRIPTION_ALREADY_EXISTS,
                    "The subscription \"%s\" exists with another configuration. Delete it first, or take another id."
                            .formatted(there.id()));
        }
        if (!there.base().equals(base)) {
            wakes.operate(there, now -> {
                table.rebase(there.definition(), base);
                there.base(base);
                return base;
            });
        }
    }

    /** It listens first, then links what there is, then becomes durable, and then catches up with what happened in between. */
    private void make(String id, CreateRequest request, String base) {
        String webhook = request.webhook();
        URI target = webhook == null ? null : targets.check(webhook);
        String key = "%016x".formatted(time.randomLong());
        Definition definition = request.definition(id, key, target, time.wallMillis());
        Subscription made =
                new Subscription(definition, base, WakeState.FIRST, 0, new Links(SubscriptionLimits.MAX_LINKS));
        followers.add(made);
        try {
            ask(made, request.streams());
            if (definition.pattern() != null) {
                scan.backfill(made);
            }
            made.backfilled();
            writes.saveLinks(made);
            made.installed(WakeState.FIRST, table.create(definition, base, WakeState.FIRST));
            byId.put(id, made);
        } catch (RuntimeException e) {
            made.end();
            followers.remove(made);
            table.deleteLinks(key);
            throw e;
        }
        scan.catchUp(List.of(made));
        wakes.signal(made);
    }

    /** Deletes a subscription. Whoever works for it learns so at the next call. */
    void delete(String id) {
        creating.lock();
        try {
            Subscription there = byId.get(id);
            if (there == null) {
                return;
            }
            wakes.operate(there, now -> {
                table.delete(id);
                there.end();
                return id;
            });
            byId.remove(id);
            followers.remove(there);
            table.deleteLinks(there.definition().key());
        } finally {
            creating.unlock();
        }
    }

    /** Links streams by name, at their tails; those that are linked stay where they are. */
    void addStreams(Subscription subscription, List<String> names) {
        CreateRequest.refuseOwnWakeStream(subscription.definition().wakeStream(), names);
        wakes.operate(subscription, now -> {
            ask(subscription, names);
            writes.saveLinks(subscription);
            return names;
        });
    }

    private void ask(Subscription subscription, List<String> names) {
        List<Link.Saved> asked = new ArrayList<>();
        for (String name : names) {
            Optional<StreamStatus> status = Present.of(streams, name);
            asked.add(new Link.Saved(
                    name,
                    false,
                    true,
                    status.map(StreamStatus::incarnation).orElse(Link.NONE),
                    0,
                    status.map(StreamStatus::tail).orElse(0L)));
        }
        subscription.links().ask(asked);
        for (String name : names) {
            followers.follow(name, subscription);
            Present.of(streams, name).ifPresent(s -> scan.bringUp(subscription.links(), s)); // grew meanwhile
        }
    }

    /** Takes back that a stream was linked by name. */
    void removeStream(Subscription subscription, String name) {
        wakes.operate(subscription, now -> {
            if (subscription.links().unask(name)) {
                followers.unfollow(name, subscription);
            }
            writes.saveLinks(subscription);
            return name;
        });
    }

    Wakes wakes() {
        return wakes;
    }

    SubscriptionWrites writes() {
        return writes;
    }

    private static void end(Subscription subscription) {
        subscription.lock().lock();
        try {
            subscription.end();
        } finally {
            subscription.lock().unlock();
        }
    }

    /** Deliveries are cut; everything goes on after the next open. */
    @Override
    public void close() {
        keeping.close();
        byId.values().forEach(Subscriptions::end);
        timers.close();
        sender.close();
        threads.close();
    }
}
