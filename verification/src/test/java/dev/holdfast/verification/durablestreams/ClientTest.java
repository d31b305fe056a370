package dev.holdfast.verification.durablestreams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.verification.rig.LastingPort;
import dev.holdfast.verification.rig.NodeProject;
import dev.holdfast.verification.rig.ServerProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The published client, unchanged, writes and reads while its server is killed again and again. */
final class ClientTest {

    private static final int MESSAGES = 2000;
    private static final List<String> KILL_AT = List.of("written 200", "written 700", "written 1200");

    @TempDir
    private Path scratch;

    @ParameterizedTest
    @ValueSource(strings = {"json", "bytes"})
    void every_reader_gets_exactly_what_was_written_although_the_server_is_killed_in_between_S33(String kind)
            throws Exception {
        NodeProject project = NodeProject.installed("conformance");
        ServerProcess server = start(LastingPort.find());
        try {
            int port = server.uri().getPort();
            Process client = project.talkingNode(
                    "client.mjs", server.uri() + "/v1/stream/" + kind, kind, Integer.toString(MESSAGES));
            try (BufferedReader said = client.inputReader(StandardCharsets.UTF_8)) {
                List<String> lines = new ArrayList<>();
                for (String moment : KILL_AT) {
                    readUntil(said, moment, lines);
                    server.kill();
                    server = start(port);
                }
                readUntil(said, "done", lines);
                assertThat(lines).filteredOn(line -> line.startsWith("exact")).hasSize(3);
            } finally {
                client.destroyForcibly();
            }
        } finally {
            server.close();
        }
    }

    private ServerProcess start(int port) {
        return ServerProcess.start(scratch, scratch.resolve("data"), port, "--long-poll-ms", "1000");
    }

    private static void readUntil(BufferedReader said, String last, List<String> lines) throws IOException {
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            lines.add(line);
            if (line.equals(last)) {
                return;
            }
        }
        throw new AssertionError("the client ended before it said \"" + last + "\":\n" + String.join("\n", lines));
    }
}
