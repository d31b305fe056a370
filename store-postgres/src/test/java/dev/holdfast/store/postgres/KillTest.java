package dev.holdfast.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.StreamState;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.testkit.Leash;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A process that is killed while it writes, and another one that takes over its shard. */
final class KillTest {

    private static final int ROUNDS = "nightly".equals(System.getProperty("holdfast.profile")) ? 30 : 3;

    private final PostgresServer server = PostgresServer.shared();
    private final PostgresSettings settings = server.settings();

    /** What the killed process said. */
    private static final class Said {
        final Map<String, Integer> chunks = new HashMap<>();
        final Set<String> ended = new HashSet<>();

        void hear(String line) {
            String[] words = line.split(" ", -1);
            switch (words[0]) {
                case "chunk" -> {
                    if (words.length == 3 && !words[2].isEmpty()) {
                        chunks.put(words[1], Integer.parseInt(words[2]) + 1);
                    }
                }
                case "end" -> ended.add(words[1]);
                default -> throw new AssertionError(line);
            }
        }
    }

    private Process start(long epoch, int round) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp"));
        command.add(System.getProperty("java.class.path"));
        command.add(Leash.class.getName());
        command.add(StoreProcess.class.getName());
        command.addAll(List.of(server.jdbcUrl(), settings.schema(), Long.toString(epoch), Integer.toString(round)));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private Said runAndKill(long epoch, int round) throws Exception {
        Said said = new Said();
        Process process = start(epoch, round);
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(output.readLine()).isEqualTo("open");
            for (int i = 0; i < 150 + 37 * round; i++) {
                said.hear(output.readLine());
            }
            boolean unused =
                    process.toHandle().destroyForcibly(); // unlike the process's own method, it leaves what was printed
            String line = output.readLine();
            for (String next = output.readLine(); line != null; next = next == null ? null : output.readLine()) {
                if (next != null) {
                    said.hear(line); // the last line may be torn
                }
                line = next;
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
        return said;
    }

    @Test
    void a_killed_writer_leaves_the_exact_prefix_or_the_message_and_never_both_EXACT_PREFIX_NEVER_BOTH()
            throws Exception {
        try (PostgresDatabase database = PostgresDatabase.open(settings)) {
            server.run("CREATE TABLE " + settings.schema() + ".finished (name text PRIMARY KEY)");
            for (int round = 1; round <= ROUNDS; round++) {
                Said said = runAndKill(database.claim(0), round);
                try (Holdfast holdfast =
                        Holdfast.open(database.store(0, database.claim(0)), HoldfastSettings.defaults())) {
                    assertThat(said.ended).isNotEmpty();
                    for (String name : said.chunks.keySet()) {
                        check(holdfast, said, name);
                    }
                }
            }
        }
    }

    private void check(Holdfast holdfast, Said said, String name) throws Exception {
        boolean finished =
                server.number("SELECT count(*) FROM " + settings.schema() + ".finished WHERE name = '" + name + "'")
                        == 1;
        Optional<StreamStatus> stream = holdfast.streams().status(name);
        assertThat(stream.isPresent()).as("%s: either live or finished", name).isNotEqualTo(finished);
        if (said.ended.contains(name)) {
            assertThat(finished).as(name).isTrue();
        }
        if (stream.isPresent()) {
            assertThat(stream.get().state()).isEqualTo(StreamState.LIVE);
            List<Chunk> chunks = holdfast.streams().read(name, 0, 1 << 20).chunks();
            assertThat(chunks.size()).isBetween(said.chunks.getOrDefault(name, 0), StoreProcess.CHUNKS_PER_TURN);
            for (int i = 0; i < chunks.size(); i++) {
                assertThat(new String(chunks.get(i).toByteArray(), StandardCharsets.UTF_8))
                        .isEqualTo(name + ":" + i);
            }
        }
    }
}
