package dev.holdfast.verification;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The BOM has no parent, so nothing but this test keeps it in step with the modules. */
final class BomTest {

    private static final Path ROOT = Path.of("..");
    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");
    private static final Pattern NAME = Pattern.compile("(?m)^  <artifactId>holdfast-([^<]+)</artifactId>");
    private static final Pattern VERSION = Pattern.compile("(?m)^  <version>([^<]+)</version>");
    private static final Pattern MANAGED = Pattern.compile("<artifactId>holdfast-([^<]+)</artifactId>\\s*<version>");
    private static final List<String> NOT_PUBLISHED = List.of("bom", "bench", "examples", "verification");

    @Test
    void the_bom_lists_every_published_module() throws IOException {
        List<String> published = new ArrayList<>();
        for (String module : all(MODULE, read("pom.xml"))) {
            if (!NOT_PUBLISHED.contains(module)) {
                published.addAll(all(NAME, read(module + "/pom.xml")));
            }
        }
        String bom = read("bom/pom.xml");
        String managed = bom.substring(bom.indexOf("<dependencyManagement>"));
        assertThat(all(MANAGED, managed)).containsExactlyInAnyOrderElementsOf(published);
    }

    @Test
    void the_bom_has_the_version_of_the_build() throws IOException {
        assertThat(all(VERSION, read("bom/pom.xml"))).isEqualTo(all(VERSION, read("pom.xml")));
    }

    private static String read(String file) throws IOException {
        return Files.readString(ROOT.resolve(file));
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult r) -> r.group(1))
                .toList();
    }
}
