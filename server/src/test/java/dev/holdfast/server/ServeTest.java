package dev.holdfast.server;

import static dev.holdfast.server.Parsed.settings;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.ProxyHeaders;
import dev.holdfast.http.chat.ChatSettings;
import dev.holdfast.http.durablestreams.DurableStreamsSettings;
import dev.holdfast.http.durablestreams.DurableStreamsSettings.Origins;
import dev.holdfast.models.CompactingAgent;
import dev.holdfast.models.OpenAiChatAgent;
import dev.holdfast.stream.Retention;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What {@code serve} refuses, with which exit code and in which words. */
final class ServeTest {

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int serve(Map<String, String> environment, String... options) {
        CommandLine commandLine = new CommandLine(new Main());
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        List<String> arguments = new ArrayList<>(List.of("serve"));
        arguments.addAll(List.of(options));
        return Main.run(commandLine, new Environment(environment), arguments.toArray(String[]::new));
    }

    private Path file(String... lines) throws IOException {
        return Files.write(folder.resolve("holdfast.properties"), List.of(lines));
    }

    private String data() {
        return folder.resolve("data").toString();
    }

    private void assertOneLine() {
        assertThat(err.toString().strip().lines()).as(err.toString()).hasSize(1);
        assertThat(err.toString()).startsWith("holdfast: ").doesNotContain("Exception");
    }

    private void assertOneSentenceAndAHint(String command) {
        assertThat(err.toString().strip().lines()).as(err.toString()).hasSize(2);
        assertThat(err.toString())
                .startsWith("holdfast: ")
                .endsWith("Try \"" + command + " --help\"." + System.lineSeparator());
        assertThat(err.toString()).doesNotContain("Exception").doesNotContain("\tat ");
    }

    @Test
    void an_option_comes_from_the_command_line_then_the_environment_then_the_file_then_its_default() throws Exception {
        String config = file("port=1111", "host=localhost", "heartbeat=3s").toString();
        Map<String, String> environment = Map.of("HOLDFAST_PORT", "2222", "HOLDFAST_HOST", "127.0.0.1");
        ServerSettings settings = settings(environment, "--config", config, "--port", "3333");
        assertThat(settings.port()).isEqualTo(3333);
        assertThat(settings.host()).isEqualTo("127.0.0.1");
        assertThat(settings.events().heartbeat()).hasSeconds(3);
        assertThat(settings.drainGrace()).hasSeconds(10);
        assertThat(settings(environment, "--config=" + config).port()).isEqualTo(2222);
        assertThat(settings(Map.of("HOLDFAST_CONFIG", config)).port()).isEqualTo(1111);
        assertThat(settings(Map.of()).port()).isEqualTo(4437);
    }

    @Test
    void the_streams_of_the_protocol_have_options_of_their_own() throws Exception {
        DurableStreamsSettings plain = settings(Map.of()).streamWire();
        assertThat(plain.prefix()).isEqualTo("/v1/stream");
        assertThat(plain.longPoll()).hasSeconds(30);
        assertThat(plain.keepAlive()).hasSeconds(15);
        assertThat(plain.rotateAfter()).hasSeconds(60);
        assertThat(plain.origins()).isEqualTo(Origins.ANY);
        assertThat(plain.retention()).isNull();
        assertThat(plain.proxy()).isEqualTo(ProxyHeaders.NONE);
        assertThat(settings(Map.of("HOLDFAST_PROXY_HEADERS", "x-forwarded"))
                        .streamWire()
                        .proxy())
                .isEqualTo(ProxyHeaders.X_FORWARDED);
        assertThat(settings(Map.of(), "--proxy-headers", "forwarded")
                        .streamWire()
                        .proxy())
                .isEqualTo(ProxyHeaders.FORWARDED);
        assertThat(settings(Map.of()).subscriptions().keyAge()).isZero();
        assertThat(settings(Map.of("HOLDFAST_WEBHOOK_KEY_AGE", "90d"))
                        .subscriptions()
                        .keyAge())
                .isEqualTo(Duration.ofDays(90));
        String config = file("stream-mount=/streams", "stream-origins=listed", "stream-max-age=7d")
                .toString();
        DurableStreamsSettings set = settings(
                        Map.of("HOLDFAST_LONG_POLL_MS", "500"),
                        "--config",
                        config,
                        "--stream-rotate-after",
                        "0",
                        "--heartbeat",
                        "3s")
                .streamWire();
        assertThat(set.prefix()).isEqualTo("/streams");
        assertThat(set.origins()).isEqualTo(Origins.LISTED);
        assertThat(set.longPoll()).hasMillis(500);
        assertThat(set.keepAlive()).hasSeconds(3);
        assertThat(set.rotateAfter()).isZero();
        assertThat(set.retention()).isEqualTo(Retention.ofAge(Duration.ofDays(7)));
    }

    @Test
    void the_chat_wire_has_options_of_its_own() {
        ChatSettings plain = settings(Map.of()).chat();
        assertThat(plain.path()).isEqualTo("/api/chat");
        assertThat(plain.major()).isEqualTo(5);
        ChatSettings set = settings(Map.of("HOLDFAST_CHAT_CLIENT_MAJOR", "7"), "--chat-path", "/chat")
                .chat();
        assertThat(set.path()).isEqualTo("/chat");
        assertThat(set.major()).isEqualTo(7);
        assertThat(serve(Map.of(), "--chat-client-major", "4")).isEqualTo(2);
        assertOneSentenceAndAHint("holdfast serve");
    }

    @Test
    @Tag("wire-stall")
    void stalled_turns_are_watched_only_where_a_time_is_given() {
        assertThat(settings(Map.of()).stallTimeout()).isZero();
        ServerSettings watching = settings(Map.of("HOLDFAST_STALL_TIMEOUT", "2m"));
        assertThat(watching.stallTimeout()).hasMinutes(2);
        assertThat(Agents.of(watching).recovery().stallTimeout()).hasMinutes(2);
    }

    @Test
    void a_model_reads_summaries_of_long_conversations_unless_it_is_told_not_to() {
        String[] model = {"--model-url", "http://localhost:1/v1", "--model-name", "m"};
        assertThat(settings(Map.of(), model).model().orElseThrow().compactAfter())
                .isEqualTo(100_000);
        assertThat(Agents.of(settings(Map.of(), model)).agents().get("default")).isInstanceOf(CompactingAgent.class);
        ServerSettings never = settings(Map.of("HOLDFAST_COMPACT_AFTER", "0"), model);
        assertThat(Agents.of(never).agents().get("default")).isInstanceOf(OpenAiChatAgent.class);
        assertThat(serve(Map.of("HOLDFAST_COMPACT_AFTER", "5"), model)).isEqualTo(2);
        assertThat(err.toString()).contains("--compact-after is 0 for never, or at least 2000");
    }

    @Test
    void a_key_of_the_file_that_is_no_option_is_refused_and_named() throws Exception {
        assertThat(serve(Map.of(), "--config", file("prot=1").toString())).isEqualTo(2);
        assertOneSentenceAndAHint("holdfast");
        assertThat(err.toString()).contains("\"prot\"").contains("port");
    }

    @Test
    void a_missing_file_is_refused() {
        assertThat(serve(Map.of(), "--config", folder.resolve("none").toString()))
                .isEqualTo(2);
        assertOneSentenceAndAHint("holdfast");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.1"})
    void an_address_that_other_machines_reach_needs_a_key(String host) {
        assertThat(serve(Map.of(), "--host", host, "--data", data())).isEqualTo(2);
        assertThat(err.toString()).contains("needs an API key");
    }

    @Test
    void with_a_key_any_address_and_any_host_name_is_fine() {
        ServerSettings settings = settings(Map.of("HOLDFAST_API_KEY", "a-long-secret"), "--host", "0.0.0.0");
        assertThat(settings.trust().hosts()).containsExactly("*");
        assertThat(settings.toString()).doesNotContain("a-long-secret");
    }

    @Test
    void keys_come_from_options_and_a_file_together() throws Exception {
        Path keys = Files.write(folder.resolve("keys"), List.of("# ours", "", " first-secret ", "second-secret"));
        ServerSettings settings = settings(Map.of(), "--api-key", "third-secret", "--api-key-file", keys.toString());
        for (String key : List.of("first-secret", "second-secret", "third-secret")) {
            assertThat(settings.trust().keys().identify(key)).isPresent();
        }
        assertThat(settings.trust().keys().identify("# ours")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "--port, 70000",
        "--port, x",
        "--port, tcp://10.0.0.1:4437",
        "--heartbeat, soon",
        "--heartbeat, -1s",
        "--model-api, telepathy",
        "--stall-timeout, never",
        "--compact-after, many",
        "--log-level, LOUD",
        "--api-key, short",
        "--model-name, alone",
        "--model-url, http://x",
        "--max-connections, 0",
        "--long-poll-ms, 0",
        "--stream-origins, some",
        "--proxy-headers, yes",
        "--webhook-key-age, 23h",
        "--stream-mount, streams",
        "--stream-mount, /a/",
        "--stream-mount, /api/v1",
        "--stream-rotate-after, soon",
        "--stream-max-age, 10ms",
        "--stream-max-bytes, -1",
        "--no-such-option, 1"
    })
    void an_option_that_makes_no_sense_is_exit_code_2(String option, String value) {
        assertThat(serve(Map.of(), "--data", data(), option, value)).isEqualTo(2);
        assertOneSentenceAndAHint("holdfast serve");
    }

    @Test
    void what_kubernetes_sets_for_a_service_of_this_name_is_refused_with_what_to_do() {
        Map<String, String> kubernetes = Map.of("HOLDFAST_PORT", "tcp://10.0.0.1:4437");
        assertThat(serve(kubernetes, "--data", data())).isEqualTo(2);
        assertOneSentenceAndAHint("holdfast serve");
        assertThat(err.toString())
                .contains(
                        "HOLDFAST_PORT is \"tcp://10.0.0.1:4437\"",
                        "Rename the service",
                        "enableServiceLinks: false",
                        "--port");
        assertThat(settings(kubernetes, "--port", "8080").port()).isEqualTo(8080);
    }

    @Test
    void an_option_that_is_none_is_named() {
        assertThat(serve(Map.of(), "--prot", "1")).isEqualTo(2);
        assertThat(err.toString()).contains("\"--prot\" is no option of \"holdfast serve\"");
    }

    @Test
    void a_model_needs_its_url_and_its_name_and_its_key_is_never_shown() {
        ServerSettings settings = settings(
                Map.of("HOLDFAST_MODEL_KEY", "sk-secret"), "--model-url", "http://localhost:1/v1", "--model-name", "m");
        assertThat(settings.model()).isPresent();
        assertThat(settings.toString()).contains("m at http://localhost:1/v1").doesNotContain("sk-secret");
    }

    @Test
    void a_port_in_use_is_one_line_and_exit_code_1() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(serve(Map.of(), "--data", data(), "--port", "" + taken.getLocalPort()))
                    .isEqualTo(1);
        }
        assertOneLine();
        assertThat(err.toString()).contains("in use");
    }

    @Test
    void a_data_folder_that_is_none_is_one_line_and_exit_code_1() throws Exception {
        Path notAFolder = Files.writeString(folder.resolve("plain"), "x");
        assertThat(serve(Map.of(), "--port", "0", "--data", notAFolder.toString()))
                .isEqualTo(1);
        assertOneLine();
        assertThat(serve(
                        Map.of(),
                        "--port",
                        "0",
                        "--data",
                        notAFolder.resolve("x").toString()))
                .isEqualTo(1);
    }

    @Test
    void a_folder_that_another_server_has_open_is_one_line_and_exit_code_1() throws Exception {
        try (HoldfastServer first = HoldfastServer.start(settings(Map.of(), "--port", "0", "--data", data()))) {
            assertThat(first.uri().getPort()).isPositive();
            assertThat(serve(Map.of(), "--port", "0", "--data", data())).isEqualTo(1);
        }
        assertOneLine();
    }

    @Test
    void a_damaged_store_is_one_line_and_exit_code_1_and_verbose_shows_where() throws Exception {
        HoldfastServer.start(settings(Map.of(), "--port", "0", "--data", data()))
                .close();
        try (var files = Files.list(Path.of(data()))) {
            for (Path each : files.filter(Files::isRegularFile).toList()) {
                if (Files.size(each) > 0) {
                    Files.writeString(each, "this is no database, and it is longer than a header would be".repeat(100));
                }
            }
        }
        assertThat(serve(Map.of(), "--port", "0", "--data", data())).isEqualTo(1);
        assertOneLine();
        assertThat(serve(Map.of(), "--port", "0", "--data", data(), "--verbose"))
                .isEqualTo(1);
        assertThat(err.toString()).contains("\tat ");
    }
}
