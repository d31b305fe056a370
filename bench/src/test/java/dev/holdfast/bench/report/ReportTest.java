package dev.holdfast.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReportTest {

    private final Report report = new Report("core", Instant.EPOCH, Map.of("cores", 2), Map.of("quick", true));

    @Test
    void json_has_the_machine_the_figures_and_a_verdict_for_each_bar() {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("fsyncs", 402);
        figures.put("ratios", List.of(0.5, Double.NaN));
        report.add(new Section("turn", figures, List.of(Bar.atMost("time", 3, 2, "ms"))));

        assertThat(report.toJson()).isEqualTo("""
                {
                  "benchmark": "core",
                  "startedAt": "1970-01-01T00:00:00Z",
                  "machine": {
                    "cores": 2
                  },
                  "options": {
                    "quick": true
                  },
                  "turn": {
                    "fsyncs": 402,
                    "ratios": [
                      0.5,
                      null
                    ]
                  },
                  "bars": [
                    {
                      "name": "time",
                      "verdict": "MISS",
                      "measured": 3.0,
                      "direction": "<=",
                      "limit": 2.0,
                      "unit": "ms"
                    }
                  ],
                  "missed": 1
                }
                """);
    }

    @Test
    void text_is_escaped() {
        assertThat(Json.write(Map.of("a\"b", "c\\d\n"))).contains("\"a\\\"b\": \"c\\\\d\\u000a\"");
    }

    @Test
    void a_bar_that_was_not_measured_does_not_count_as_missed() {
        report.add(new Section("a", Map.of(), List.of(Bar.atLeast("x", Double.NaN, 1, "x"))));

        assertThat(report.missed()).isZero();
    }

    @Test
    void the_file_s_folder_is_made_if_it_is_missing(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("results/core.json");

        report.writeTo(file);

        assertThat(Files.readString(file)).isEqualTo(report.toJson());
    }
}
