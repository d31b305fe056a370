package dev.holdfast.bench.http.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server in a process of its own, which printed the address it listens on. Killed when closed. */
public final class ServerProcess implements AutoCloseable {

    private static final Pattern LISTENING = Pattern.compile("listening on (http://\\S+)");
    private static final long START_SECONDS = 60;
    private static final int REMEMBERED_LINES = 50;

    private final Process process;
    private final CompletableFuture<URI> uri = new CompletableFuture<>();
    private final Deque<String> said = new ArrayDeque<>();

    private ServerProcess(Process process) {
        this.process = process;
        Thread.ofVirtual().start(this::listen);
    }

    /**
     * Starts it and waits until it listens.
     *
     * @throws IOException with what it printed, if it does not
     */
    public static ServerProcess start(List<String> command) throws IOException, InterruptedException {
        ServerProcess server = new ServerProcess(
                new ProcessBuilder(command).redirectErrorStream(true).start());
        try {
            URI unused = server.uri.get(START_SECONDS, TimeUnit.SECONDS);
            return server;
        } catch (ExecutionException | TimeoutException e) {
            server.close();
            throw new IOException("%s did not start:%n%s".formatted(command.getFirst(), server.output()), e);
        } catch (InterruptedException e) {
            server.close();
            throw e;
        }
    }

    private void listen() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                remember(line);
                Matcher matcher = LISTENING.matcher(line);
                if (matcher.find()) {
                    uri.complete(URI.create(matcher.group(1)));
                }
            }
        } catch (IOException e) {
            uri.completeExceptionally(e);
        }
        uri.completeExceptionally(new IOException("the process ended"));
    }

    private void remember(String line) {
        synchronized (said) {
            if (said.size() == REMEMBERED_LINES) {
                said.removeFirst();
            }
            said.addLast(line);
        }
    }

    /** The last lines that it printed. */
    public String output() {
        synchronized (said) {
            return String.join("\n", said);
        }
    }

    public URI uri() {
        return uri.join();
    }

    public InetSocketAddress address() {
        return new InetSocketAddress(uri().getHost(), uri().getPort());
    }

    public ProcessView view() {
        return new ProcessView(process.pid());
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
