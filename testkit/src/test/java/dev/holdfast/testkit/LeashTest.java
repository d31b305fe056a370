package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class LeashTest {

    private static ProcessBuilder java(Class<?>... mains) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))));
        for (Class<?> each : mains) {
            command.add(each.getName());
        }
        return new ProcessBuilder(command);
    }

    /** Starts another process, which writes to the same output, and waits for ever. */
    static final class Starter {
        public static void main(String[] arguments) throws IOException, InterruptedException {
            Process started = java(Leash.class, Server.class)
                    .redirectOutput(Redirect.INHERIT)
                    .redirectError(Redirect.INHERIT)
                    .start();
            started.waitFor();
        }
    }

    /** Never ends by itself. */
    static final class Server {
        public static void main(String[] arguments) throws InterruptedException {
            System.out.println("ready");
            new CountDownLatch(1).await();
        }
    }

    /** Fails. */
    static final class Failing {
        public static void main(String[] arguments) {
            if (arguments.length == 0) {
                throw new IllegalStateException("of the main class itself");
            }
        }
    }

    @Test
    @Timeout(60)
    void a_process_does_not_outlive_a_starter_that_was_killed() throws Exception {
        Process starter = java(Starter.class).redirectError(Redirect.INHERIT).start();
        try (BufferedReader output = starter.inputReader()) {
            assertThat(output.readLine()).isEqualTo("ready");
            assertThat(starter.toHandle().destroyForcibly()).isTrue();
            assertThat(output.readLine()).as("the output ends when both have").isNull();
        }
    }

    @Test
    void the_main_class_fails_as_it_would_by_itself() throws Exception {
        Process failing = java(Leash.class, Failing.class).start();
        try (BufferedReader errors = failing.errorReader()) {
            assertThat(errors.readLine())
                    .isEqualTo(
                            "Exception in thread \"main\" java.lang.IllegalStateException: of the main class itself");
            assertThat(failing.waitFor()).isEqualTo(1);
        }
    }
}
