package dev.holdfast.node;

import dev.holdfast.cluster.Peers;
import dev.holdfast.store.Placement;
import java.util.Optional;
import java.util.Set;

/** The other nodes, as the wires of this one see them. */
final class NodePeers implements Peers {

    private final ClusterView view;
    private final Placement placement;
    private final Mail mail;
    private final Changes changes;

    NodePeers(ClusterView view, Placement placement, Mail mail, Changes changes) {
        this.view = view;
        this.placement = placement;
        this.mail = mail;
        this.changes = changes;
    }

    @Override
    public long self() {
        return view.self();
    }

    @Override
    public Set<Long> others() {
        return view.others();
    }

    @Override
    public Set<Long> othersNow() {
        return view.othersNow();
    }

    @Override
    public boolean isAlive(long node) {
        return view.isAlive(node);
    }

    @Override
    public long holder(String tenant, String name) {
        return view.holder(placement.of(tenant, name));
    }

    @Override
    public Runnable onChange(Runnable told) {
        return changes.add(told);
    }

    @Override
    public Runnable answer(String topic, Handler handler) {
        return mail.answer(topic, handler);
    }

    @Override
    public Optional<byte[]> ask(long node, String topic, byte[] question) {
        return mail.ask(node, topic, question);
    }
}
