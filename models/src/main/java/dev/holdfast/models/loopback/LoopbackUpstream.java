package dev.holdfast.models.loopback;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A model's provider on the loopback address that replays recorded answers over real HTTP, at a chosen pace. The model that a request names is the
 * recording it gets: see {@link Recording#NAMES}. Where a recording is of several requests of one turn, a request with N results of tools gets the
 * answer after the Nth.
 *
 * <ul>
 *   <li>{@code POST /v1/chat/completions} and {@code POST /v1/messages} stream an answer that ends with its connection.
 *   <li>{@code POST /v1/responses} with {@code background} starts a run that goes on without a reader;
 *       {@code GET /v1/responses/{id}?stream=true&starting_after=N} reads it from an event on, and
 *       {@code POST /v1/responses/{id}/cancel} ends it.
 * </ul>
 *
 * <p>It runs inside a test, or as a process of its own that outlives the server under test: {@link #main}. Thread-safe; its state is guarded by its
 * lock.
 */
public final class LoopbackUpstream implements AutoCloseable {

    private static final int MAX_RUNS = 1000;
    private static final int MAX_REQUESTS_KEPT = 10_000;
    private static final Pattern MODEL = Pattern.compile("\"model\"\\s*:\\s*\"([^\"]*)\"");
    private static final Pattern TOOL_RESULT = Pattern.compile("\"type\"\\s*:\\s*\"tool_result\"");
    private static final Pattern BACKGROUND = Pattern.compile("\"background\"\\s*:\\s*true");
    private static final Pattern RUN_PATH = Pattern.compile("/v1/responses/([^/]+)(/cancel)?");

    private final ServerSocket server;
    private final Pace pace;
    private final Semaphore gate = new Semaphore(0);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<String, Run> runs = new LinkedHashMap<>();
    private final List<LoopbackRequest> requests = new ArrayList<>();
    private final Deque<Fault> faults = new ArrayDeque<>();
    private final Deque<Recording> answers = new ArrayDeque<>();
    private Function<LoopbackRequest, Optional<Recording>> script = request -> Optional.empty();
    private int lostReaders;
    private int started;

    private LoopbackUpstream(ServerSocket server, Pace pace) {
        this.server = server;
        this.pace = pace;
    }

    /** Starts one on a free port. */
    public static LoopbackUpstream start(Pace pace) {
        return start(0, pace);
    }

    /** Starts one on a port; 0 for a free one. */
    public static LoopbackUpstream start(int port, Pace pace) {
        try {
            LoopbackUpstream upstream =
                    new LoopbackUpstream(new ServerSocket(port, 100, InetAddress.getLoopbackAddress()), pace);
            Thread.ofVirtual().name("loopback-accept").start(upstream::accept);
            return upstream;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Runs one as a process, until it is killed. Arguments: {@code --port N} (8089 unless given) and {@code --events-per-second N} (as fast as they
     * are read unless given).
     */
    @SuppressWarnings("SystemOut") // says where it listens, to whoever started it
    public static void main(String[] args) throws InterruptedException {
        int port = 8089;
        Pace pace = Pace.unlimited();
        for (int i = 0; i + 1 < args.length; i += 2) {
            int value = Integer.parseInt(args[i + 1]);
            switch (args[i]) {
                case "--port" -> port = value;
                case "--events-per-second" -> pace = Pace.eventsPerSecond(value);
                default -> throw new IllegalArgumentException("Unknown option " + args[i]);
            }
        }
        try (LoopbackUpstream upstream = start(port, pace)) {
            System.out.println("Loopback upstream listening on " + upstream.baseUrl());
            Thread.currentThread().join();
        }
    }

    /** Up to and including the version, as agents take it. */
    public URI baseUrl() {
        return URI.create("http://127.0.0.1:" + server.getLocalPort() + "/v1");
    }

    /** Lets a gated upstream produce so many more events, over all its answers. */
    public void release(int events) {
        gate.release(events);
    }

    /** Misbehaves on the next connections that stream or start an answer, one fault each. */
    public void misbehave(Fault... next) {
        locked(() -> faults.addAll(List.of(next)));
    }

    /** Answers the next requests with these, one each, whatever model they name. */
    public void answer(Recording... next) {
        locked(() -> answers.addAll(List.of(next)));
    }

    /** Answers each further request with what this says, whatever model it names; empty to answer as its model says. */
    public void script(Function<LoopbackRequest, Optional<Recording>> answering) {
        locked(() -> script = answering);
    }

    /** The requests so far, oldest first. */
    public List<LoopbackRequest> requests() {
        lock.lock();
        try {
            return List.copyOf(requests);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until so many readers have gone away before their answer ended. */
    public void awaitLostReaders(int count) throws InterruptedException {
        lock.lock();
        try {
            while (lostReaders < count) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** How many readers have gone away before their answer ended; it is noticed when something is written to them. */
    public int lostReaders() {
        lock.lock();
        try {
            return lostReaders;
        } finally {
            lock.unlock();
        }
    }

    /** The state of a run, as the provider's API names it; empty if there is no such run. */
    public Optional<String> status(String run) {
        return run(run).map(Run::status);
    }

    /** Waits until a run, which exists, is in this state. */
    public void awaitStatus(String run, String status) throws InterruptedException {
        run(run).orElseThrow().awaitStatus(status);
    }

    /** Forgets all runs, as a provider does after a while. */
    public void forgetRuns() {
        locked(runs::clear);
    }

    @Override
    public void close() {
        lock.lock();
        try {
            runs.values().forEach(Run::cancel);
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            lock.unlock();
        }
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                Thread.ofVirtual().name("loopback-connection").start(() -> serve(socket));
            } catch (IOException e) {
                // Closed, or a connection that was gone before it was accepted.
            }
        }
    }

    private void serve(Socket socket) {
        try (LoopbackConnection connection = new LoopbackConnection(socket)) {
            LoopbackRequest request = connection.read();
            Fault fault = note(request);
            if (fault instanceof Fault.Refuse refuse) {
                connection.answer(refuse.status(), refuse.body());
                return;
            }
            serve(request, connection, fault);
        } catch (IOException e) {
            locked(() -> lostReaders++);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private @Nullable Fault note(LoopbackRequest request) {
        boolean streams = request.path().matches("/v1/(chat/completions|messages|responses)")
                || "true".equals(request.query().get("stream"));
        lock.lock();
        try {
            if (requests.size() < MAX_REQUESTS_KEPT) {
                requests.add(request);
                changed.signalAll();
            }
            return streams ? faults.poll() : null;
        } finally {
            lock.unlock();
        }
    }

    private void serve(LoopbackRequest request, LoopbackConnection connection, @Nullable Fault fault)
            throws IOException, InterruptedException {
        switch (request.method() + " " + request.path()) {
            case "POST /v1/chat/completions" -> answer(request, connection, Optional.of("[DONE]"), fault);
            case "POST /v1/messages", "POST /v1/responses" -> answer(request, connection, Optional.empty(), fault);
            default -> serveRun(request, connection, fault);
        }
    }

    private void answer(
            LoopbackRequest request, LoopbackConnection connection, Optional<String> mark, @Nullable Fault fault)
            throws IOException, InterruptedException {
        Optional<Recording> recording = recording(request);
        if (recording.isEmpty()) {
            connection.answer(404, error("There is no such model. There are: " + String.join(", ", Recording.NAMES)));
            return;
        }
        boolean kept = request.path().equals("/v1/responses")
                && BACKGROUND.matcher(request.body()).find();
        Run run = start(recording.get());
        boolean stayed = false;
        try {
            stayed = connection.stream(run, 0, mark, fault);
        } finally {
            if (!kept) {
                run.cancel();
            }
        }
        noteReader(stayed);
    }

    private Optional<Recording> recording(LoopbackRequest request) {
        lock.lock();
        try {
            Optional<Recording> scripted = answers.isEmpty() ? script.apply(request) : Optional.of(answers.remove());
            if (scripted.isPresent()) {
                return scripted;
            }
        } finally {
            lock.unlock();
        }
        Matcher model = MODEL.matcher(request.body());
        int results = (int) TOOL_RESULT.matcher(request.body()).results().count();
        return model.find()
                ? Recording.named(model.group(1)).map(recorded -> recorded.answer(results))
                : Optional.empty();
    }

    private void serveRun(LoopbackRequest request, LoopbackConnection connection, @Nullable Fault fault)
            throws IOException, InterruptedException {
        Matcher path = RUN_PATH.matcher(request.path());
        Optional<Run> run = path.matches() ? run(path.group(1)) : Optional.empty();
        if (run.isEmpty()) {
            connection.answer(404, error("There is nothing at " + request.path()));
        } else if (path.group(2) != null) {
            run.get().cancel();
            connection.answer(200, status(run.get()));
        } else if ("true".equals(request.query().get("stream"))) {
            int after = Integer.parseInt(request.query().getOrDefault("starting_after", "-1"));
            noteReader(connection.stream(run.get(), after + 1, Optional.empty(), fault));
        } else {
            connection.answer(200, status(run.get()));
        }
    }

    private Run start(Recording recording) {
        lock.lock();
        try {
            String id = "resp_loopback_" + ++started;
            Run run = new Run(id, recording.withResponseId(id).events(), pace, gate);
            runs.put(id, run);
            if (runs.size() > MAX_RUNS) {
                String oldest = runs.keySet().iterator().next();
                runs.remove(oldest);
            }
            run.start();
            return run;
        } finally {
            lock.unlock();
        }
    }

    private Optional<Run> run(String id) {
        lock.lock();
        try {
            return Optional.ofNullable(runs.get(id));
        } finally {
            lock.unlock();
        }
    }

    private void noteReader(boolean stayed) {
        if (!stayed) {
            locked(() -> lostReaders++);
        }
    }

    private void locked(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private static String status(Run run) {
        return "{\"id\":\"%s\",\"object\":\"response\",\"status\":\"%s\"}".formatted(run.id(), run.status());
    }

    private static String error(String message) {
        return "{\"error\":{\"message\":\"%s\",\"type\":\"not_found\"}}".formatted(message.replace('"', '\''));
    }
}
