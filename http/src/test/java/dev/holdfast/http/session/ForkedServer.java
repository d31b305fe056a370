package dev.holdfast.http.session;

import dev.holdfast.http.Json;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A {@link TransportServer} in a JVM of its own. Orders go to its standard input, a line each, and a line comes back for each. It is killed with SIGKILL; and
 * it halts when its input ends, so that it does not outlive tests that were killed themselves.
 */
final class ForkedServer implements OrderedServer {

    private static final int KILLED = 128 + 9;

    private final Process process;
    private final BufferedReader replies;
    private final BufferedWriter orders;
    private final Path complaints;

    private ForkedServer(Process process, Path complaints) {
        this.process = process;
        this.replies = process.inputReader(StandardCharsets.UTF_8);
        this.orders = process.outputWriter(StandardCharsets.UTF_8);
        this.complaints = complaints;
    }

    /** Starts one. It takes its first order once it can be used. */
    static ForkedServer start(Path store, Plan plan) throws IOException {
        Path complaints = Files.createTempFile(store, "server-", ".err");
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xshare:auto",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-Xmx256m",
                "-ea",
                "-Djava.io.tmpdir=" + store, // what a kill leaves there goes with it
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                ForkedServer.class.getName(),
                store.toString(),
                Json.MAPPER.writeValueAsString(plan));
        return new ForkedServer(
                new ProcessBuilder(command).redirectError(complaints.toFile()).start(), complaints);
    }

    @Override
    public synchronized JsonNode order(ObjectNode order) throws IOException {
        String line = answer(order.toString());
        if (line == null) {
            throw new AssertionError("The server ended by itself: " + Files.readString(complaints));
        }
        JsonNode reply = Json.MAPPER.readTree(line);
        if (reply.has("failure")) {
            throw new AssertionError("The server could not %s: %s%n%s"
                    .formatted(order, reply.get("failure").stringValue(), Files.readString(complaints)));
        }
        return reply;
    }

    /** The line that comes back, or null if the server has ended. */
    private @Nullable String answer(String order) {
        try {
            orders.write(order);
            orders.write('\n');
            orders.flush();
            return replies.readLine();
        } catch (IOException e) {
            return null; // nobody is there to take it
        }
    }

    Process process() {
        return process;
    }

    /** SIGKILL. That it lived until then is part of every test. */
    @Override
    public void close() {
        process.toHandle().destroyForcibly();
        try {
            int code = process.waitFor();
            if (code != KILLED) {
                throw new AssertionError("The server ended with %d and not by the kill: %s"
                        .formatted(code, Files.readString(complaints)));
            }
            replies.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    /** Arguments: the folder of the store, and the plan as JSON. */
    public static void main(String[] arguments) throws Exception {
        PrintStream replies = System.out;
        System.setOut(System.err); // what is logged must not stand among replies
        TransportServer server =
                new TransportServer(Path.of(arguments[0]), Json.MAPPER.readValue(arguments[1], Plan.class));
        Orders orders = new Orders(server);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Writer out = new OutputStreamWriter(replies, StandardCharsets.UTF_8);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            ObjectNode reply;
            try {
                reply = orders.run(Json.MAPPER.readTree(line));
            } catch (Exception e) {
                e.printStackTrace();
                reply = Json.MAPPER.createObjectNode().put("failure", e.toString());
            }
            out.write(reply.toString());
            out.write('\n');
            out.flush();
        }
        Runtime.getRuntime().halt(0);
    }
}
