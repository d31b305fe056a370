package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** {@code tail} and {@code send}, against a server. */
final class RemoteCommandsTest {

    private static final String KEY = "a-long-secret";
    private static final Pattern CURSOR = Pattern.compile("go on with --from (\\S+)");

    @TempDir
    private Path folder;

    private StringWriter out = new StringWriter();
    private StringWriter err = new StringWriter();

    private HoldfastServer start(String... options) throws Exception {
        List<String> all = new ArrayList<>(
                List.of("--port", "0", "--data", folder.resolve("data").toString()));
        all.addAll(List.of(options));
        ServerSettings settings = Parsed.settings(all.toArray(String[]::new));
        return HoldfastServer.start(settings, Agents.of(settings, Duration.ZERO));
    }

    private int run(Map<String, String> environment, String... arguments) {
        out = new StringWriter();
        err = new StringWriter();
        CommandLine commandLine = new CommandLine(new Main());
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return Main.run(commandLine, new Environment(environment), arguments);
    }

    private int run(HoldfastServer server, String... arguments) {
        return run(Map.of("HOLDFAST_SERVER", server.uri().toString()), arguments);
    }

    private void assertOneSentence() {
        assertThat(err.toString().strip().lines()).as(err.toString()).hasSize(1);
        assertThat(err.toString())
                .startsWith("holdfast: ")
                .doesNotContain("Exception")
                .doesNotContain("\tat ");
    }

    @Test
    void a_message_is_sent_and_its_receipt_printed_and_tail_shows_the_conversation() throws Exception {
        try (HoldfastServer server = start()) {
            assertThat(run(server, "send", "demo", "Hello there")).isZero();
            assertThat(out.toString()).matches("turn turn-\\S+ in session demo: \\w+, message \\S+\\R");
            assertThat(run(server, "tail", "demo", "--once")).isZero();
            assertThat(out.toString())
                    .startsWith("user: Hello there")
                    .containsOnlyOnce("assistant: ")
                    .doesNotContain("{");
            assertThat(err.toString()).contains("connected to " + server.uri()).containsPattern(CURSOR);
        }
    }

    @Test
    void with_wait_the_answer_is_printed_and_the_exit_code_tells_how_it_ended() throws Exception {
        try (HoldfastServer server = start()) {
            assertThat(run(server, "send", "demo", "Hello", "--wait")).isZero();
            String answer = out.toString().strip();
            assertThat(answer).isNotEmpty();
            assertThat(run(server, "tail", "demo", "--once")).isZero();
            assertThat(out.toString()).contains("assistant: " + answer);
        }
    }

    @Test
    void tail_goes_on_at_a_cursor() throws Exception {
        try (HoldfastServer server = start()) {
            assertThat(run(server, "send", "demo", "First", "--wait")).isZero();
            assertThat(run(server, "tail", "demo", "--once")).isZero();
            Matcher cursor = CURSOR.matcher(err.toString());
            assertThat(cursor.find()).isTrue();
            assertThat(run(server, "send", "demo", "Second", "--wait")).isZero();
            assertThat(run(server, "tail", "demo", "--once", "--from", cursor.group(1)))
                    .isZero();
            assertThat(out.toString())
                    .startsWith("user: Second")
                    .contains("completed]")
                    .doesNotContain("First");
        }
    }

    @Test
    void with_json_each_line_is_a_message() throws Exception {
        try (HoldfastServer server = start()) {
            assertThat(run(server, "send", "demo", "Hello", "--wait")).isZero();
            assertThat(run(server, "tail", "demo", "--once", "--json")).isZero();
            assertThat(out.toString().lines())
                    .isNotEmpty()
                    .allSatisfy(
                            line -> assertThat(line).startsWith("{\"type\":\"").endsWith("}"))
                    .first()
                    .satisfies(line -> assertThat(line).contains("\"attached\"", "\"cursor\"", "Hello"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tail demo", "send demo Hello", "send demo Hello --wait"})
    void without_a_server_there_is_one_sentence(String arguments) {
        List<String> all = new ArrayList<>(List.of(arguments.split(" ", -1)));
        all.addAll(List.of("--server", "http://127.0.0.1:1"));
        assertThat(run(Map.of(), all.toArray(String[]::new))).isEqualTo(1);
        assertOneSentence();
        assertThat(err.toString()).contains("http://127.0.0.1:1", "Is the server running?");
    }

    @Test
    void a_session_that_is_not_there_and_an_agent_that_is_not_there_are_one_sentence() throws Exception {
        try (HoldfastServer server = start()) {
            assertThat(run(server, "tail", "nobody", "--once")).isEqualTo(1);
            assertThat(err.toString().lines().toList().getLast())
                    .startsWith("holdfast: ")
                    .contains("nobody");
            assertThat(run(server, "send", "demo", "Hello", "--agent", "nobody"))
                    .isEqualTo(1);
            assertThat(err.toString().lines().toList().getLast())
                    .startsWith("holdfast: ")
                    .contains("nobody");
        }
    }

    @Test
    void a_key_comes_from_an_option_a_file_or_a_variable_and_without_it_the_way_is_told() throws Exception {
        Path file = Files.write(folder.resolve("key"), List.of("# mine", "", " " + KEY));
        try (HoldfastServer server = start("--api-key", KEY)) {
            String uri = server.uri().toString();
            assertThat(run(server, "send", "demo", "Hello")).isEqualTo(1);
            assertOneSentence();
            assertThat(err.toString()).contains("401", "--key-file");
            assertThat(run(server, "send", "demo", "Hello", "--key-file", file.toString()))
                    .isZero();
            assertThat(run(server, "tail", "demo", "--once", "--key", KEY)).isZero();
            assertThat(run(Map.of("HOLDFAST_SERVER", uri, "HOLDFAST_KEY", KEY), "tail", "demo", "--once"))
                    .isZero();
            assertThat(run(
                            Map.of("HOLDFAST_SERVER", uri, "HOLDFAST_KEY_FILE", file.toString()),
                            "tail",
                            "demo",
                            "--once"))
                    .isZero();
            assertThat(err.toString()).doesNotContain(KEY);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tail",
                "tail demo --server nowhere",
                "tail demo --server ftp://x",
                "tail demo --key-file /no/such/file",
                "send demo",
                "send demo Hello --policy never",
                "send demo Hello --loud"
            })
    void what_makes_no_sense_is_one_sentence_and_a_hint(String arguments) throws IOException {
        assertThat(run(Map.of(), arguments.split(" ", -1))).isEqualTo(2);
        assertThat(err.toString().strip().lines()).as(err.toString()).hasSize(2);
        assertThat(err.toString()).startsWith("holdfast: ").contains("--help").doesNotContain("Exception");
    }
}
