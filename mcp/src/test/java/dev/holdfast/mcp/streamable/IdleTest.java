package dev.holdfast.mcp.streamable;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Connections that have nothing to write. */
@Timeout(60)
final class IdleTest {

    private static final int CONNECTIONS = 40;

    @TempDir
    private Path folder;

    private int dumps;

    /** Virtual threads that serve a connection at this moment. */
    private long servingThreads() {
        try {
            Path dump = folder.resolve("threads-" + dumps++ + ".json");
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                    .dumpThreads(dump.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.JSON);
            return Files.readAllLines(dump).stream()
                    .filter(line -> line.contains("\"name\": \"holdfast-http") && !line.contains("holdfast-http-timer"))
                    .count();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void connections_that_wait_hold_no_thread_and_still_are_told() throws Exception {
        try (Site site = Site.open(folder.resolve("store"));
                Client one = Client.of(site)) {
            try (Sse busy = one.script(1, "a")) {
                busy.next();
            }
            List<Client> clients = new ArrayList<>();
            List<Sse> streams = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                Client client = Client.of(site);
                clients.add(client);
                Sse stream = client.get(null);
                stream.next();
                streams.add(stream);
            }
            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> servingThreads() < CONNECTIONS / 2);
            site.transport()
                    .notifyClients("notifications/x", Map.of("data", "hello"))
                    .block();
            for (Sse stream : streams) {
                assertThat(stream.message().text()).isEqualTo("hello");
                stream.close();
            }
            clients.forEach(Client::close);
        }
    }
}
