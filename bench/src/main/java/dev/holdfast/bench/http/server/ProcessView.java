package dev.holdfast.bench.http.server;

import dev.holdfast.bench.command.JavaCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What can be read off another process of this machine: Linux' {@code /proc}, and {@code jcmd} for a JVM. */
public record ProcessView(long pid) {

    /** A clock tick of {@code /proc/PID/stat}; {@code USER_HZ} is 100 on every Linux that a JVM runs on. */
    private static final long NANOS_PER_TICK = 10_000_000;

    private static final int USER_TIME = 11;
    private static final int SYSTEM_TIME = 12;
    private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");
    private static final Pattern HEAP_USED = Pattern.compile("(?:heap|Heap).*?used (\\d+)K");

    /** Processor time that all threads have used so far, or 0 where the system does not tell. */
    public long cpuNanos() {
        try {
            return cpuNanos(Path.of("/proc/" + pid + "/stat"));
        } catch (IOException e) {
            return 0;
        }
    }

    /** The same thread by thread, summed up by their names without numbers. */
    public Map<String, Long> cpuNanosByThread() throws IOException {
        Map<String, Long> all = new TreeMap<>();
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/" + pid + "/task"))) {
            for (Path thread : threads) {
                try {
                    String name =
                            Files.readString(thread.resolve("comm")).strip().replaceAll("[0-9]+", "N");
                    all.merge(name, cpuNanos(thread.resolve("stat")), Long::sum);
                } catch (NoSuchFileException e) {
                    // the thread ended in between
                }
            }
        }
        return all;
    }

    private static long cpuNanos(Path stat) throws IOException {
        String text = Files.readString(stat);
        String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[SYSTEM_TIME])) * NANOS_PER_TICK;
    }

    /** Memory that it occupies, in bytes; NaN where the system does not tell. */
    public double residentBytes() {
        try {
            Matcher matcher = RESIDENT.matcher(Files.readString(Path.of("/proc/" + pid + "/status")));
            return matcher.find() ? Long.parseLong(matcher.group(1)) * 1024.0 : Double.NaN;
        } catch (IOException e) {
            return Double.NaN;
        }
    }

    /** Bytes of a JVM's heap that are in use after two full collections. */
    public double heapBytesAfterCollections() throws IOException, InterruptedException {
        String unused = jcmd("GC.run");
        unused = jcmd("GC.run");
        Matcher matcher = HEAP_USED.matcher(jcmd("GC.heap_info"));
        return matcher.find() ? Long.parseLong(matcher.group(1)) * 1024.0 : Double.NaN;
    }

    /**
     * Asks a JVM.
     *
     * @throws IOException if it refuses
     */
    public String jcmd(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(JavaCommand.tool("jcmd").toString(), Long.toString(pid)));
        command.addAll(Arrays.asList(words));
        Process jcmd = new ProcessBuilder(command).redirectErrorStream(true).start();
        String answer = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (jcmd.waitFor() != 0) {
            throw new IOException("%s failed: %s".formatted(command, answer));
        }
        return answer;
    }
}
