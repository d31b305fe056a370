package dev.holdfast.verification.mcp;

import dev.holdfast.store.postgres.PostgresServer;
import dev.holdfast.verification.rig.Child;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Three processes of the fixture on one database. One thread at a time. */
final class Nodes implements AutoCloseable {

    static final int COUNT = 3;
    static final int SHARDS = 8;

    private static final String LEASE_SECONDS = "2";
    private static final AtomicInteger SCHEMAS = new AtomicInteger();

    private final List<Child> children = new ArrayList<>();
    private final List<URI> addresses = new ArrayList<>();

    Nodes(Path scratch) {
        String schema = "mcp_nodes_" + SCHEMAS.incrementAndGet();
        for (int i = 0; i < COUNT; i++) {
            Child child = Child.start(
                    scratch,
                    List.of(),
                    List.of("-Dlogback.configurationFile=logback.xml"),
                    NodeMain.class,
                    PostgresServer.shared().jdbcUrl(),
                    schema,
                    "node-" + i,
                    LEASE_SECONDS);
            children.add(child);
            AtomicReference<String> address = new AtomicReference<>("");
            child.readUntil(line -> line.startsWith("http://"), line -> {
                if (line.startsWith("http://")) {
                    address.set(line);
                }
            });
            addresses.add(URI.create(address.get()));
        }
    }

    List<URI> addresses() {
        return addresses;
    }

    /** SIGKILL. */
    void kill(int node) {
        children.get(node).kill(line -> {});
    }

    /** What all of them wrote to their standard errors. */
    String logs() {
        StringBuilder all = new StringBuilder();
        children.forEach(child -> all.append(child.complaints()).append('\n'));
        return all.toString();
    }

    @Override
    public void close() {
        children.forEach(Child::close);
    }
}
