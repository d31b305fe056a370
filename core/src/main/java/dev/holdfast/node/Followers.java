package dev.holdfast.node;

import dev.holdfast.cluster.Coordination;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what is read here of other nodes' shards up to date: by hints, and by looks of its own, as hints may be lost (NO-SEAM). Thread-safe.
 */
final class Followers implements Coordination.Listener {

    private static final Logger LOG = LoggerFactory.getLogger(Followers.class);

    private final List<Follower> followers;
    private final ClusterView view;
    private final Mail mail;
    private final Signal tick;
    private final Duration between;
    private final Thread polling;
    private volatile boolean closed;

    /**
     * @param followers one for each shard
     * @param tick set when leases may have changed hands
     * @param between looks
     */
    Followers(List<Follower> followers, ClusterView view, Mail mail, Signal tick, Duration between) {
        this.followers = followers;
        this.view = view;
        this.mail = mail;
        this.tick = tick;
        this.between = between;
        this.polling = Thread.ofVirtual().name("holdfast-poll").unstarted(this::pollOn);
    }

    void start() {
        polling.start();
    }

    /** No look is begun after this. */
    void close() {
        closed = true;
        polling.interrupt();
    }

    private void pollOn() {
        while (!closed) {
            try {
                lookAtAll();
            } catch (RuntimeException e) {
                LOG.error("A look at other nodes' shards was not begun", e);
            }
            try {
                Thread.sleep(between);
            } catch (InterruptedException e) {
                return; // the node is being closed
            }
        }
    }

    private void lookAtAll() {
        followers.forEach(follower -> follower.changed(new long[0]));
    }

    @Override
    public void letters(long to) {
        if (to == view.self()) {
            mail.arrived();
        }
    }

    @Override
    public void changed(int shard, long[] keys) {
        if (shard >= 0 && shard < followers.size()) {
            followers.get(shard).changed(keys);
        }
    }

    @Override
    public void leases() {
        tick.set();
    }

    @Override
    public void lost() {
        tick.set();
        mail.arrived();
        lookAtAll();
    }
}
