package dev.holdfast.bench.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** The machine a run was taken on, as far as figures depend on it. */
public final class Machine {

    private static final int FSYNC_PROBES = 200;
    private static final int PROBE_BYTES = 4096;

    private Machine() {}

    /** Looks at the machine; measures what a sync costs in this folder, since every other figure rests on it. */
    public static Map<String, Object> describe(Path folder) throws IOException {
        Map<String, Object> machine = new LinkedHashMap<>();
        machine.put("os", System.getProperty("os.name"));
        machine.put("kernel", System.getProperty("os.version"));
        machine.put("arch", System.getProperty("os.arch"));
        machine.put("processor", processor());
        machine.put("cores", Runtime.getRuntime().availableProcessors());
        machine.put("jdk", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        machine.put("maxHeapBytes", Runtime.getRuntime().maxMemory());
        machine.put("loadAverage", ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
        machine.put("fileSystem", Files.getFileStore(folder).type());
        long[] syncs = syncNanos(folder);
        machine.put("fsyncP50Micros", syncs[syncs.length / 2] / 1e3);
        machine.put("fsyncP99Micros", syncs[syncs.length * 99 / 100] / 1e3);
        return machine;
    }

    private static String processor() {
        try {
            return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
                    .filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) { // not Linux
            return "unknown";
        }
    }

    /** What it costs to append a page to a file and sync it, in ascending order. */
    private static long[] syncNanos(Path folder) throws IOException {
        Path file = Files.createTempFile(folder, "fsync", ".probe");
        long[] nanos = new long[FSYNC_PROBES];
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            ByteBuffer page = ByteBuffer.allocateDirect(PROBE_BYTES);
            for (int i = 0; i < nanos.length; i++) {
                long before = System.nanoTime();
                page.clear();
                channel.write(page);
                channel.force(false);
                nanos[i] = System.nanoTime() - before;
            }
        } finally {
            Files.delete(file);
        }
        Arrays.sort(nanos);
        return nanos;
    }
}
