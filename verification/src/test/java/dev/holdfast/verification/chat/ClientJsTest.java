package dev.holdfast.verification.chat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.verification.rig.NodeProject;
import dev.holdfast.verification.rig.VitestReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The client for browsers and Node, {@code client-js}: its types, its own tests, and the package as it is published. */
final class ClientJsTest {

    private static final int MINUTES = 10;

    /** Fewer would mean that files were left out. */
    private static final int LEAST_TESTS = 300;

    private static final int LEAST_TESTS_WITH_A_SERVER = 96;

    @TempDir
    private Path scratch;

    private static NodeProject project;

    @BeforeAll
    static void install() throws Exception {
        project = NodeProject.installed("client-js", Path.of("..", "client-js"));
    }

    private static Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>();
        environment.put("HOLDFAST_SCHEMA", schema().toString());
        return environment;
    }

    private static Path schema() {
        return Path.of("..", "docs", "wires", "session.schema.json")
                .toAbsolutePath()
                .normalize();
    }

    private static void run(String name, String... arguments) throws Exception {
        Path log = project.folder().resolve(name + ".log");
        Process process = project.node(log, environment(), arguments);
        NodeProject.expect(process, MINUTES, log);
        assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    }

    @Test
    void its_types_are_right_and_what_is_published_can_be_imported() throws Exception {
        for (String types : List.of("tsconfig.json", "tsconfig.ai5.json", "tsconfig.ai6.json")) {
            run("types", "node_modules/typescript/bin/tsc", "-p", types, "--noEmit");
        }
        run("build", "node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json");
        run("package", "scripts/check-package.mjs");
    }

    @Test
    void all_its_tests_pass_against_a_scripted_network() throws Exception {
        VitestReport.of(project, environment(), MINUTES).expectAllPassed(LEAST_TESTS);
    }

    @Test
    void it_has_what_the_store_has_against_real_servers_and_a_network_that_breaks() throws Exception {
        try (ScriptedModel model = new ScriptedModel();
                Scene scene = new Scene(scratch, model)) {
            Map<String, String> environment = environment();
            environment.put("HOLDFAST_URL", scene.uri().toString());
            VitestReport.of(project, environment, MINUTES, "--config", "vitest.server.config.ts")
                    .expectAllPassed(LEAST_TESTS_WITH_A_SERVER);
        }
    }
}
