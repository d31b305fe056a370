package dev.holdfast.verification.crash;

import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.verification.rig.AppTable;
import dev.holdfast.verification.rig.Instance;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** The child whose syncs are counted: producers that wait at the same time, then one cutover. Says between which lines how many
 * commits were made. */
final class CountedMain {

    static final int PRODUCERS = 64;
    private static final int CHUNK_BYTES = 100;

    private CountedMain() {}

    public static void main(String[] arguments) throws Exception {
        Report report = Report.onStandardOutput();
        try (Instance instance = new Instance(Path.of(arguments[0]))) {
            List<StreamWriter> writers = new ArrayList<>();
            for (int i = 0; i < PRODUCERS; i++) {
                writers.add(instance.streams().open("s" + i));
            }
            instance.settleDown();
            CountDownLatch release = instance.hold();
            List<Thread> producers = new ArrayList<>();
            producers.add(append(writers.getFirst()));
            long one = awaitQueued(instance, 1);
            writers.stream().skip(1).forEach(writer -> producers.add(append(writer)));
            long unused = awaitQueued(instance, PRODUCERS * one);
            report.line("BEGIN group");
            long before = instance.committer().commits();
            release.countDown();
            for (Thread producer : producers) {
                producer.join();
            }
            report.line("END group", instance.committer().commits() - before);

            report.line("BEGIN cutover");
            before = instance.committer().commits();
            long own = instance.commitsOf(() -> {
                writers.getFirst().settle(Settlement.completed().discard().commit(AppTable.message("s0", 1)));
                report.line("TOLD cutover");
            });
            report.line("OWN cutover", own);
            instance.settleDown();
            report.line("END cutover", instance.committer().commits() - before);
        }
    }

    private static Thread append(StreamWriter writer) {
        return Thread.ofPlatform().start(() -> writer.append(new byte[CHUNK_BYTES]));
    }

    private static long awaitQueued(Instance instance, long bytes) {
        while (instance.committer().queuedBytes() < bytes) {
            Thread.onSpinWait();
        }
        return instance.committer().queuedBytes();
    }
}
