package dev.holdfast.bench.postgres;

import dev.holdfast.HoldfastSettings;
import dev.holdfast.bench.command.JavaCommand;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.store.postgres.PostgresSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** A node in a process of its own, which holds the database's only shard until it is killed. It ends by itself when its parent does. */
public final class NodeProcess implements AutoCloseable {

    /** The name under which {@code Main} reaches it; not for people. */
    public static final String COMMAND = "postgres-node";

    /** Where the URL is passed on: unlike arguments, nobody else sees it. */
    private static final String URL = "HOLDFAST_BENCH_DATABASE";

    /** Tells what the child says from what the JVM says beside it. */
    private static final String HOLDING = "holding";

    private final Process process;

    private NodeProcess(Process process) {
        this.process = process;
    }

    /** The child's side. Arguments: the schema, and the lease in milliseconds. */
    public static void run(List<String> arguments) throws IOException, InterruptedException {
        PostgresSettings settings =
                Database.settings(Objects.requireNonNull(System.getenv(URL), URL), arguments.getFirst(), 1);
        NodeSettings node =
                NodeSettings.named("to be killed").withLease(Duration.ofMillis(Long.parseLong(arguments.get(1))));
        Member unused = Member.join(settings, HoldfastSettings.defaults(), node).holding(1);
        System.out.println(HOLDING);
        System.out.flush();
        while (System.in.read() >= 0) {
            // the parent says nothing as long as it lives
        }
        Runtime.getRuntime().halt(0);
    }

    /** Starts it, and waits until it holds the shard. */
    static NodeProcess start(String url, PostgresSettings settings, Duration lease) throws IOException {
        List<String> command = JavaCommand.server(
                "dev.holdfast.bench.Main", List.of(COMMAND, settings.schema(), Long.toString(lease.toMillis())));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put(URL, url);
        NodeProcess node = new NodeProcess(builder.start());
        node.awaitHolding();
        return node;
    }

    private void awaitHolding() throws IOException {
        StringBuilder said = new StringBuilder();
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.equals(HOLDING)) {
                return;
            }
            said.append(line).append('\n');
        }
        throw new IOException("the node's process ended:\n" + said);
    }

    /** Kills it, as often as one likes; returns when it is gone. */
    void kill() {
        var unused = process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        kill();
    }
}
