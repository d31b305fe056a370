package dev.holdfast.bench.report;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A whole run: the machine, the sections, and every bar. */
public final class Report {

    private static final int EXIT_MISSED = 1;

    private final String name;
    private final Instant startedAt;
    private final Map<String, Object> machine;
    private final Map<String, Object> options;
    private final List<Section> sections = new ArrayList<>();

    /** Begins a run in a folder, which is made if missing: looks at the machine and its disk, and says what it found. */
    public static Report begin(String name, Path folder, Map<String, Object> options, PrintStream out)
            throws IOException {
        Files.createDirectories(folder);
        Map<String, Object> machine = Machine.describe(folder);
        out.println(machine);
        return new Report(name, Instant.now(), machine, options);
    }

    public Report(String name, Instant startedAt, Map<String, Object> machine, Map<String, Object> options) {
        this.name = name;
        this.startedAt = startedAt;
        this.machine = machine;
        this.options = options;
    }

    public void add(Section section) {
        sections.add(section);
    }

    public List<Bar> bars() {
        return sections.stream().flatMap(section -> section.bars().stream()).toList();
    }

    /** How many bars were missed. One that was not measured is not missed. */
    public long missed() {
        return bars().stream().filter(bar -> bar.verdict() == Bar.Verdict.MISS).count();
    }

    /**
     * Prints the bars, and writes the file if one is given. A missed bar is a finding, not a failure: the exit code is 0 all the same, unless
     * the caller is strict.
     *
     * @return the command's exit code
     */
    public int conclude(PrintStream out, @Nullable Path file, boolean strict) throws IOException {
        out.printf("%nBars%n");
        bars().forEach(bar -> out.println(bar.line()));
        long measured = bars().stream()
                .filter(bar -> bar.verdict() != Bar.Verdict.NOT_MEASURED)
                .count();
        out.printf("%d of %d bars missed%n", missed(), measured);
        if (file != null) {
            writeTo(file);
            out.println("Written to " + file);
        }
        return missed() > 0 && strict ? EXIT_MISSED : 0;
    }

    public String toJson() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("benchmark", name);
        all.put("startedAt", startedAt.toString());
        all.put("machine", machine);
        all.put("options", options);
        for (Section section : sections) {
            all.put(section.name(), section.figures());
        }
        all.put("bars", bars().stream().map(Bar::asMap).toList());
        all.put("missed", missed());
        return Json.write(all);
    }

    public void writeTo(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        Files.writeString(file, toJson());
    }
}
