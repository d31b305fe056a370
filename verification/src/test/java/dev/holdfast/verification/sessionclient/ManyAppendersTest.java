package dev.holdfast.verification.sessionclient;

import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.client.SessionClient;
import dev.holdfast.verification.rig.Http;
import dev.holdfast.verification.rig.ServerProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many threads append to sessions while the clients that watch them come and go: each client's list is the store's. */
final class ManyAppendersTest {

    private static final int THREADS = 8;
    private static final int APPENDS = 40;
    private static final int CLIENTS = 3;
    private static final List<String> SESSIONS = List.of("a", "b");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource
    void appends_from_many_threads_during_reconnects_M80(Way way) throws Exception {
        List<Followed> all = new ArrayList<>();
        try (ServerProcess server = ServerProcess.start(folder, folder.resolve("data"), 0);
                Http http = new Http(server.uri());
                SessionClient sender = way.client(server.uri());
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (String session : SESSIONS) {
                http.post("/api/v1/sessions", "{\"id\":\"%s\"}".formatted(session));
            }
            sender.connect();
            List<SessionClient> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                SessionClient client = way.client(server.uri());
                clients.add(client);
                client.connect();
                for (String session : SESSIONS) {
                    Followed followed = new Followed();
                    all.add(followed);
                    client.watch(session, null, followed);
                }
            }
            await().until(() -> all.stream().allMatch(followed -> followed.attaches() > 0));
            List<Future<Boolean>> appends = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                appends.add(threads.submit(appends(sender, t)));
            }
            AtomicBoolean over = new AtomicBoolean();
            Future<?> reconnects = threads.submit(() -> {
                while (!over.get()) {
                    int before = all.getFirst().attaches();
                    clients.forEach(SessionClient::reopen);
                    await().until(() -> over.get() || all.getFirst().attaches() > before);
                }
            });
            for (Future<Boolean> append : appends) {
                assertThat(append.get()).isTrue();
            }
            over.set(true);
            reconnects.get();
            await().until(() -> all.stream()
                    .allMatch(followed -> followed.feedNumbers().size() == THREADS * APPENDS / SESSIONS.size()));
            clients.forEach(SessionClient::close);
            server.kill();
        }
        for (String session : SESSIONS) {
            List<Long> stored = Stored.feedNumbers(folder.resolve("data"), session);
            for (int i = SESSIONS.indexOf(session); i < all.size(); i += SESSIONS.size()) {
                assertThat(all.get(i).feedNumbers()).isEqualTo(stored);
                assertThat(all.get(i).attaches()).isGreaterThan(1);
            }
        }
    }

    private static Callable<Boolean> appends(SessionClient sender, int thread) {
        String session = SESSIONS.get(thread % SESSIONS.size());
        return () -> {
            for (int i = 0; i < APPENDS; i++) {
                String mode = "mode-%d-%d".formatted(thread, i);
                assertThat(sender.mode(session, mode)
                                .orTimeout(2, TimeUnit.MINUTES)
                                .join()
                                .mode())
                        .isEqualTo(mode);
            }
            return true;
        };
    }
}
