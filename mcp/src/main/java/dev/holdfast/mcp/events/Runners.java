package dev.holdfast.mcp.events;

import dev.holdfast.Holdfast;
import dev.holdfast.cluster.NodeMark;
import dev.holdfast.cluster.Peers;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.PreconditionFailed;
import dev.holdfast.session.Properties;
import dev.holdfast.session.Property;
import dev.holdfast.session.PropertyWrite;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.stream.StreamStatus;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * On which node the work runs that a stream is the log of. The id of the work names the node that began it; a node that takes it up, when that one is
 * gone, writes its number beside the stream, in one conditional step: of several that want to, one does. Thread-safe.
 */
public final class Runners {

    private static final String PROPERTY = "mcp/runner";

    private final Holdfast holdfast;
    private final Peers peers;

    public Runners(Holdfast holdfast) {
        this.holdfast = holdfast;
        this.peers = holdfast.peers();
    }

    /**
     * The node that the work runs on, dead or alive; 0 for a process that is alone.
     *
     * @param id of the work, as {@link NodeMark} marks it
     */
    public long of(String id, StreamStatus stream) {
        long first = NodeMark.nodeOf(id);
        if (!peers.isCluster() || (first != 0 && peers.isAlive(first))) {
            return first;
        }
        return taken(stream).map(Runners::node).orElse(first);
    }

    private static long node(Property property) {
        return Long.parseLong(new String(property.value(), StandardCharsets.US_ASCII));
    }

    private Optional<Property> taken(StreamStatus stream) {
        return properties(stream).get(PROPERTY);
    }

    private Properties properties(StreamStatus stream) {
        return holdfast.properties(
                new PropertyRow.Owner.Stream(stream.position().key()));
    }

    /**
     * Takes work over whose node is gone. A process that is alone takes all.
     *
     * @return false if it runs on a node that is alive, or another one was quicker. This node may have taken it before, and not be done
     */
    public boolean take(String id, StreamStatus stream) {
        if (!peers.isCluster()) {
            return true;
        }
        long first = NodeMark.nodeOf(id);
        if (first != 0 && peers.isAlive(first)) {
            return false; // on this node as well: what is begun here is done here
        }
        try {
            Optional<Property> taken = taken(stream);
            long self = peers.self();
            if (taken.isPresent() && peers.isAlive(node(taken.get()))) {
                return node(taken.get()) == self;
            }
            PropertyWrite write = PropertyWrite.of(PROPERTY, Long.toString(self).getBytes(StandardCharsets.US_ASCII));
            long unused = properties(stream)
                    .put(taken.isPresent() ? write.ifVersion(taken.get().version()) : write.ifAbsent());
            return true;
        } catch (PreconditionFailed | HoldfastException.StreamNotFound e) { // another node was quicker, or it has ended
            return false;
        }
    }
}
