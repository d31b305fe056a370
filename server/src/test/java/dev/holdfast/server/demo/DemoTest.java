package dev.holdfast.server.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.Main;
import dev.holdfast.stream.Cursor;
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The demonstration itself: real processes, a real kill, and a verdict that can be wrong. */
final class DemoTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** Events in a second: so slow that the second half of an answer, for which the kill must not come too late, takes seconds. */
    private static final int PACE = 50;

    @Test
    void a_server_killed_in_the_middle_of_an_answer_loses_and_doubles_nothing() {
        StringWriter text = new StringWriter();
        CommandLine demo = new CommandLine(new DemoCommand());
        demo.setOut(new PrintWriter(text, true));
        demo.setErr(new PrintWriter(text, true));

        int exit = demo.execute("--events-per-second", Integer.toString(PACE));

        assertThat(exit).as(text.toString()).isZero();
        assertThat(text.toString().lines().filter(line -> line.endsWith(" ok"))).hasSize(20);
        assertThat(text.toString()).doesNotContain("WRONG");
    }

    @Test
    void one_wrong_line_makes_the_verdict_wrong() {
        StringWriter text = new StringWriter();
        Verdict verdict = new Verdict(new PrintWriter(text, true));

        verdict.line("chunks lost", 0, true);
        assertThat(verdict.right()).isTrue();
        verdict.line("chunks duplicated", 1, false);
        verdict.line("streams left", 0, true);

        assertThat(verdict.right()).isFalse();
        assertThat(text.toString()).contains("WRONG");
    }

    @Test
    void the_recorded_text_is_taken_from_the_recording_alone() {
        assertThat(Script.RESTARTS.recordedText()).startsWith("**Holiday Name:** Harmony Day");
        assertThat(Script.RESUMES.recordedText()).isNotBlank();
    }

    private final StringWriter said = new StringWriter();
    private final Watcher watcher = new Watcher(HttpClient.newHttpClient(), new PrintWriter(said, true));

    /** A chunk of which the server says that it is the one of this number, from 0. */
    private void chunk(long seq) {
        watcher.take("", new Cursor(1, seq + 1).token(), "{\"type\":\"text-delta\",\"delta\":\"x\"}");
    }

    private void end(long chunks) {
        watcher.take("turn-ended", new Cursor(1, chunks).token(), "{\"outcome\":\"completed\"}");
    }

    @Test
    void a_client_that_missed_or_repeated_a_chunk_says_so() {
        chunk(0);
        chunk(1);
        assertThat(watcher.lost()).isZero();
        assertThat(watcher.duplicated()).isZero();
        chunk(1);
        assertThat(watcher.duplicated()).isEqualTo(1);
        chunk(4);
        assertThat(watcher.lost()).as("2 and 3").isEqualTo(2);
        end(5);
        assertThat(watcher.lost()).isEqualTo(2);
        assertThat(watcher.outcome()).contains("completed");
    }

    @Test
    void chunks_that_are_missing_at_the_end_are_lost_too() {
        chunk(0);
        chunk(1);
        end(4);
        assertThat(watcher.lost()).isEqualTo(2);
    }

    @Test
    void what_came_before_a_restart_does_not_count() {
        chunk(0);
        chunk(7);
        watcher.take("restarted", new Cursor(2, 0).token(), "{}");
        chunk(0);
        end(1);
        assertThat(watcher.lost()).isZero();
        assertThat(watcher.restarts()).isEqualTo(1);
    }

    @Test
    void a_message_written_twice_or_a_stream_that_is_left_is_judged_wrong() {
        PrintWriter out = new PrintWriter(said, true);
        Act act = new Act("an act", Script.RESTARTS, out, Path.of("unused"), "unused");
        assertThat(act.judge(watcher, true, new Act.Found(2, "", 1))).isFalse();
        assertThat(said.toString()).containsPattern("message written +2 times +WRONG");
        assertThat(said.toString()).containsPattern("streams left +1 +WRONG");
    }

    @Test
    void a_wrong_act_ends_with_exit_code_1() throws Exception {
        PrintWriter out = new PrintWriter(said, true);
        assertThat(DemoCommand.perform(out, List.of(() -> true, () -> true))).isZero();
        assertThat(said.toString()).doesNotContain("WRONG");
        assertThat(DemoCommand.perform(out, List.of(() -> false, () -> true))).isEqualTo(1);
        assertThat(said.toString()).contains("WRONG");
    }

    @Test
    void a_demo_that_is_asked_to_end_takes_its_processes_with_it() throws Exception {
        Process demo = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "demo",
                        "--events-per-second",
                        "1")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (BufferedReader lines = demo.inputReader()) {
            String line = lines.readLine();
            while (line != null && !line.startsWith("1. ")) {
                line = lines.readLine();
            }
            List<ProcessHandle> children = awaitTwoChildren(demo);
            demo.destroy();
            assertThat(demo.waitFor()).isEqualTo(143);
            for (ProcessHandle child : children) {
                await().atMost(PATIENCE).until(() -> !child.isAlive());
            }
        } finally {
            demo.descendants().forEach(ProcessHandle::destroyForcibly);
            demo.destroyForcibly();
        }
    }

    /** The provider and the server. */
    private static List<ProcessHandle> awaitTwoChildren(Process demo) {
        return await().atMost(PATIENCE).until(() -> demo.descendants().toList(), children -> children.size() == 2);
    }
}
