package dev.holdfast.verification.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.verification.launcher.Checkout.Started;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where {@code mvnw} keeps Maven when nobody says. It is stopped before it would download anything: the archive it is to get is none. */
final class MavenWrapperTest {

    private static final String NO_ARCHIVE = "https://nowhere.invalid/org/apache/maven/none.txt";

    @TempDir
    private Path folder;

    private Checkout checkout;
    private Path wrapper;

    @BeforeEach
    void copy() throws IOException {
        checkout = new Checkout(folder.resolve("holdfast"));
        wrapper = checkout.root().resolve("mvnw");
        Files.copy(Path.of("..", "mvnw"), wrapper, StandardCopyOption.REPLACE_EXISTING);
        checkout.write(".mvn/wrapper/maven-wrapper.properties", "distributionUrl=" + NO_ARCHIVE + "\n");
    }

    private Started run(Map<String, String> variables) throws IOException {
        return checkout.run(wrapper, variables);
    }

    private static void assertKeptIn(String place, Started start) throws Exception {
        assertThat(start.end()).isEqualTo(1);
        assertThat(start.err()).contains("MAVEN_USER_HOME=" + place + "\n", "but found '" + NO_ARCHIVE + "'");
    }

    private String jdk() {
        return checkout.home().resolve(".jdks/jdk-99").toString();
    }

    @Test
    void an_empty_home() throws Exception {
        Map<String, String> variables = Map.of("HOME", "", "JAVA_HOME", jdk(), "MVNW_VERBOSE", "debug");
        String ofTheUser = System.getProperty("user.home") + "/.m2";
        assertKeptIn(ofTheUser, run(variables));
        assertKeptIn(ofTheUser, checkout.run(Path.of("env"), variables, "-u", "HOME", wrapper.toString()));
    }

    @Test
    void a_home_is_not_looked_up_when_it_is_there() throws Exception {
        Started start = run(Map.of("JAVA_HOME", jdk(), "MVNW_VERBOSE", "debug"));
        assertKeptIn(checkout.home() + "/.m2", start);
    }

    @Test
    void a_user_whom_the_machine_does_not_know_is_told_what_to_set() throws Exception {
        Checkout.program(folder.resolve("bin/id"), "#!/bin/sh\nexit 1\n");
        String path = folder.resolve("bin") + ":" + System.getenv("PATH");
        Started start = run(Map.of("HOME", "", "JAVA_HOME", jdk(), "PATH", path));
        assertThat(start.end()).isEqualTo(1);
        assertThat(start.err().lines()).hasSize(1);
        assertThat(start.err()).contains("set HOME, or MAVEN_USER_HOME");
    }

    @Test
    void a_folder_for_maven_itself_makes_up_for_a_home() throws Exception {
        Checkout.program(folder.resolve("bin/id"), "#!/bin/sh\nexit 1\n");
        String path = folder.resolve("bin") + ":" + System.getenv("PATH");
        Started start = run(Map.of(
                "HOME",
                "",
                "JAVA_HOME",
                jdk(),
                "PATH",
                path,
                "MAVEN_USER_HOME",
                folder.resolve("maven").toString(),
                "MVNW_VERBOSE",
                "debug"));
        assertKeptIn(folder.resolve("maven").toString(), start);
    }
}
