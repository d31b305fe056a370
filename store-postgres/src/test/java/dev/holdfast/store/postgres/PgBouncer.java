package dev.holdfast.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;

/** PgBouncer in transaction mode before the shared server, with few connections, so that each transaction lands on another one. */
final class PgBouncer implements AutoCloseable {

    private static final Duration MAX_START = Duration.ofMinutes(1);
    private static final String PROGRAM = "pgbouncer";
    /** Set where its tests must not be skipped. */
    private static final String REQUIRED = "HOLDFAST_PGBOUNCER_REQUIRED";

    private final int port;
    private final Process process;

    private PgBouncer(int port, Process process) {
        this.port = port;
        this.process = process;
    }

    /** Starts it; skips the test where the program is not installed, except where it is required. */
    static PgBouncer start(PostgresServer server) throws IOException {
        boolean here = isInstalled();
        if (System.getenv(REQUIRED) != null) {
            assertThat(here)
                    .as("there is a pgbouncer on the PATH, as " + REQUIRED + " demands")
                    .isTrue();
        }
        assumeTrue(here, "there is a pgbouncer on the PATH (Debian: apt install pgbouncer)");
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Path folder = Files.createTempDirectory(
                "holdfast-pgbouncer",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        folder.toFile().deleteOnExit();
        Path users = Files.writeString(folder.resolve("users.txt"), "\"postgres\" \"\"\n");
        Path configuration =
                Files.writeString(folder.resolve("pgbouncer.ini"), """
                [databases]
                postgres = host=127.0.0.1 port=%d dbname=postgres user=postgres
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                auth_type = trust
                auth_file = %s
                pool_mode = transaction
                default_pool_size = 4
                server_round_robin = 1
                ignore_startup_parameters = extra_float_digits
                """.formatted(server.port(), port, users));
        users.toFile().deleteOnExit();
        configuration.toFile().deleteOnExit();
        List<String> command = new ArrayList<>(List.of(PROGRAM));
        if ("root".equals(System.getProperty("user.name"))) {
            command.addAll(List.of("-u", "nobody"));
        }
        command.add(configuration.toString());
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Awaitility.await().atMost(MAX_START).until(() -> accepts(port));
        return new PgBouncer(port, process);
    }

    private static boolean isInstalled() throws IOException {
        try {
            Process probe = new ProcessBuilder(PROGRAM, "--version")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return probe.waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static boolean accepts(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    String jdbcUrl() {
        return PostgresServer.jdbcUrl(port);
    }

    @Override
    public void close() {
        process.destroy();
    }
}
