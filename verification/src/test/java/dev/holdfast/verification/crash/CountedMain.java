package dev.holdfast.verification.crash;

import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.verification.rig.AppTable;
import dev.holdfast.verification.rig.Instance;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The child whose syncs are counted: many producers at once, then one cutover. Says between which lines how many commits were made. */
final class CountedMain {

    static final int PRODUCERS = 64;
    static final int APPENDS = 20;

    private CountedMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        Report report = Report.onStandardOutput();
        try (Instance instance = new Instance(Path.of(arguments[0]))) {
            List<StreamWriter> writers = new ArrayList<>();
            for (int i = 0; i < PRODUCERS; i++) {
                writers.add(instance.streams().open("s" + i));
            }
            instance.settleDown();
            report.line("BEGIN group");
            long before = instance.committer().commits();
            appendFromAll(writers);
            instance.settleDown();
            report.line("END group", instance.committer().commits() - before);

            report.line("BEGIN cutover");
            before = instance.committer().commits();
            writers.getFirst().settle(Settlement.completed().discard().commit(AppTable.message("s0", APPENDS)));
            report.line("TOLD cutover", instance.committer().commits() - before);
            instance.settleDown();
            report.line("END cutover", instance.committer().commits() - before);
        }
    }

    private static void appendFromAll(List<StreamWriter> writers) throws InterruptedException {
        List<Thread> producers = new ArrayList<>();
        for (StreamWriter writer : writers) {
            producers.add(Thread.ofVirtual().start(() -> {
                for (int i = 0; i < APPENDS; i++) {
                    writer.append("chunk " + i);
                }
            }));
        }
        for (Thread producer : producers) {
            producer.join();
        }
    }
}
