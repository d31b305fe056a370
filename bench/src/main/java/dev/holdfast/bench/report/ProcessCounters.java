package dev.holdfast.bench.report;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the process has used so far, or between two moments.
 *
 * <p><b>Bytes</b> are those handed to the kernel in write calls: {@code wchar} of Linux' {@code /proc/self/io}. For SQLite these are the
 * frames of the write-ahead log and the pages that checkpoints copy into the database file; its shared-memory index is mapped and not
 * counted. {@code write_bytes} of the same file looks more like what the device sees, but it counts page-cache pages at the moment they
 * become dirty and is off by large factors where files are overwritten in place, as a write-ahead log is. What a file system adds with its
 * own journal is in neither, and is the same for everything that syncs as often.
 *
 * @param writtenBytes bytes, or -1 where the system does not tell
 * @param cpuNanos processor time of all threads, the collector's and the compilers' too
 */
public record ProcessCounters(long writtenBytes, long cpuNanos) {

    private static final Path IO = Path.of("/proc/self/io");
    private static final String WRITTEN = "wchar: ";

    /** What was used so far. */
    public static ProcessCounters now() {
        long cpu = ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? system.getProcessCpuTime()
                : 0;
        return new ProcessCounters(written(), cpu);
    }

    /** What was used since an earlier moment. */
    public ProcessCounters since(ProcessCounters earlier) {
        return new ProcessCounters(
                writtenBytes < 0 ? -1 : writtenBytes - earlier.writtenBytes, cpuNanos - earlier.cpuNanos);
    }

    private static long written() {
        if (!Files.isReadable(IO)) {
            return -1;
        }
        try {
            for (String line : Files.readAllLines(IO)) {
                if (line.startsWith(WRITTEN)) {
                    return Long.parseLong(line.substring(WRITTEN.length()).strip());
                }
            }
            return -1;
        } catch (IOException e) {
            return -1;
        }
    }
}
