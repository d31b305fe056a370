package dev.holdfast.verification.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.verification.launcher.Checkout.Started;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the launcher finds, builds and says on machines of all kinds. */
final class LauncherTest {

    @TempDir
    private Path folder;

    private Checkout checkout;

    @BeforeEach
    void copy() throws IOException {
        checkout = new Checkout(folder.resolve("holdfast"));
    }

    private static void assertFailsWithOneLine(Started start, String... words) throws Exception {
        assertThat(start.end()).as(start.err()).isEqualTo(1);
        assertThat(start.err().lines()).as(start.err()).hasSize(1);
        assertThat(start.err()).contains(words);
    }

    private void assertServes(Started start) throws Exception {
        assertThat(start.end()).as(start.err()).isZero();
        assertThat(start.out().lines())
                .startsWith(checkout.home().resolve(".jdks/jdk-99/bin/java").toString())
                .endsWith("dev.holdfast.server.Main", "serve", "--port", "0");
    }

    @Test
    void a_jdk_17_in_JAVA_HOME_or_on_PATH_gives_way_to_a_newer_one() throws Exception {
        Path old = Checkout.jdk(folder.resolve("jdk-17"), 17);
        String path = old.resolve("bin") + ":" + System.getenv("PATH");
        assertServes(checkout.start(Map.of("JAVA_HOME", old.toString(), "PATH", path), "serve", "--port", "0"));
        assertServes(checkout.start(Map.of("PATH", path), "serve", "--port", "0"));
    }

    @Test
    void a_jdk_in_JAVA_HOME_that_is_new_enough_is_taken_though_there_is_a_newer_one() throws Exception {
        Path chosen = Checkout.jdk(folder.resolve("jdk-21"), 21);
        Started start = checkout.start(Map.of("JAVA_HOME", chosen.toString()), "serve");
        assertThat(start.end()).as(start.err()).isZero();
        assertThat(start.out()).startsWith(chosen.toString());
    }

    @Test
    void without_a_jdk_it_says_so_in_one_sentence() throws Exception {
        Path finder = checkout.root().resolve(".mvn/find-jdk.sh");
        String text = Files.readString(finder);
        assertThat(text).contains("HOLDFAST_MIN_JDK=21");
        Files.writeString(finder, text.replace("HOLDFAST_MIN_JDK=21", "HOLDFAST_MIN_JDK=1000"));
        assertFailsWithOneLine(checkout.start("serve"), "needs a JDK 1000 or newer", "set JAVA_HOME");
        assertThat(checkout.calls()).isEmpty();
    }

    @Test
    void a_path_with_spaces() throws Exception {
        checkout = new Checkout(folder.resolve("a folder with spaces").resolve("the checkout"));
        assertServes(checkout.start("serve", "--port", "0"));
        Path link = Files.createSymbolicLink(
                folder.resolve("a link"), checkout.root().resolve("holdfast"));
        assertServes(checkout.run(link, Map.of(), "serve", "--port", "0"));
        assertThat(checkout.calls()).as("built once").hasSize(2);
    }

    @Test
    void what_was_built_is_built_again_after_a_change_only() throws Exception {
        assertServes(checkout.start("serve", "--port", "0"));
        assertServes(checkout.start("serve", "--port", "0"));
        assertThat(checkout.calls()).hasSize(2);
        Path stamp = checkout.root().resolve("server/target/holdfast/stamp");
        checkout.write("server/src/main/java/New.java", "");
        Files.setLastModifiedTime(stamp, java.nio.file.attribute.FileTime.fromMillis(1_000_000));
        assertServes(checkout.start("serve", "--port", "0"));
        assertThat(checkout.calls()).hasSize(4);
    }

    @Test
    void the_examples_are_built_and_run_apart_from_the_server() throws Exception {
        Started documents = checkout.start("mcp-documents", "a folder", "--port", "0");
        assertThat(documents.end()).as(documents.err()).isZero();
        assertThat(documents.out().lines())
                .endsWith("dev.holdfast.examples.mcp.DocumentsMain", "a folder", "--port", "0");
        Started fixture = checkout.start("mcp-fixture");
        assertThat(fixture.end()).as(fixture.err()).isZero();
        assertThat(fixture.out().lines()).endsWith("dev.holdfast.examples.mcp.FixtureMain");
        assertThat(checkout.calls()).as("built once").hasSize(2);
        assertServes(checkout.start("serve", "--port", "0"));
        assertThat(checkout.calls()).as("the server as well").hasSize(4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"target", "server/target"})
    void a_folder_that_cannot_be_written_is_named(String place) throws Exception {
        checkout.write(place, "a file is in its place");
        assertFailsWithOneLine(
                checkout.start("serve"),
                "cannot write " + checkout.root().toRealPath().resolve(place) + ";");
        assertThat(checkout.calls()).isEmpty();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void a_folder_that_is_there_and_takes_no_files_is_named_also_to_root() throws Exception {
        Files.createSymbolicLink(checkout.root().resolve("target"), Path.of("/proc"));
        assertFailsWithOneLine(checkout.start("serve"), "cannot write ", "/target;");
        assertFailsWithOneLine(checkout.start("build"), "cannot write ", "/target;");
    }

    @Test
    void the_help_names_every_command_also_before_the_first_build() throws Exception {
        Started help = checkout.start("--help");
        assertThat(help.end()).isZero();
        assertThat(help.out())
                .contains(
                        "  build ", "  test ", "  bench ", "  serve ", "  demo ", "  mcp-documents ", "  mcp-fixture ");
        assertThat(checkout.calls()).isEmpty();
    }

    @Test
    void the_check_without_node_ends_before_it_starts_unless_it_needs_none() throws Exception {
        Checkout.program(folder.resolve("bin/node"), "#!/bin/sh\necho v18.20.1\n");
        Map<String, String> old = Map.of("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"));
        assertFailsWithOneLine(checkout.start(old, "test"), "Node.js 20", "v18.20.1", "npm");
        assertThat(checkout.calls()).isEmpty();
        assertThat(checkout.start(old, "test", "-pl", "core").end()).isZero();
        assertThat(checkout.calls()).first().asString().contains("verify", "-pl core", "-am");
    }

    @Test
    void the_check_ends_with_the_tests_that_were_skipped_and_why() throws Exception {
        Checkout.program(checkout.root().resolve("mvnw"), """
                #!/bin/sh
                mkdir -p server/target/surefire-reports
                cat >server/target/surefire-reports/TEST-Some.xml <<'EOF'
                  <testcase name="runs" classname="dev.Some" time="0.1"/>
                  <testcase name="needs_strace" classname="dev.Some" time="0.1">
                    <skipped message="Assumption failed: strace can be run here" type="org.opentest4j.TestAbortedException"/>
                  </testcase>
                EOF
                exit 3
                """);
        Started check = checkout.start("test", "-pl", "server");
        assertThat(check.end()).as("Maven's exit code").isEqualTo(3);
        assertThat(check.out().lines()).endsWith("  dev.Some.needs_strace: not so: strace can be run here");
        assertThat(check.out()).doesNotContain("dev.Some.runs");
    }
}
