package dev.holdfast.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ServerEndsWithTestsTest {

    /** Starts a server and waits for ever. */
    static final class Starter {
        public static void main(String[] arguments) throws IOException, InterruptedException {
            PostgresServer server = PostgresServer.startOn(Path.of(arguments[0]), Map.of());
            System.out.println("port " + server.port());
            new CountDownLatch(1).await();
        }
    }

    @TempDir
    private Path folder;

    @Test
    void a_server_does_not_outlive_tests_that_were_killed() throws Exception {
        Process starter = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Starter.class.getName(),
                        folder.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader output = starter.inputReader()) {
            String line = output.readLine();
            while (line != null && !line.startsWith("port ")) {
                line = output.readLine();
            }
            assertThat(line).isNotNull();
            int port = Integer.parseInt(line.substring("port ".length()));
            assertThat(answers(port)).isTrue();
            assertThat(starter.toHandle().destroyForcibly()).isTrue();
            await().until(() -> !answers(port));
        }
    }

    private static boolean answers(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }
}
