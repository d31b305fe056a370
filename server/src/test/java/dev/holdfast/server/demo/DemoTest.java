package dev.holdfast.server.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The demonstration itself: real processes, a real kill, and a verdict that can be wrong. */
class DemoTest {

    @Test
    void a_server_killed_in_the_middle_of_an_answer_loses_and_doubles_nothing() {
        StringWriter text = new StringWriter();
        CommandLine demo = new CommandLine(new DemoCommand());
        demo.setOut(new PrintWriter(text, true));
        demo.setErr(new PrintWriter(text, true));

        int exit = demo.execute("--events-per-second", "400");

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
}
