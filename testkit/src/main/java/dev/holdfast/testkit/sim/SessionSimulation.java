package dev.holdfast.testkit.sim;

import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.testkit.ScriptedDisk;
import dev.holdfast.testkit.ScriptedDisk.Fault;
import dev.holdfast.testkit.SimTime;
import dev.holdfast.testkit.SimulatedCrash;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Plays one history of sessions and turns on the real runtime: clients, agents, supervisors, the committer and those who take up lost turns
 * are all fibers of one thread, so that a history is the same each time. After each commit the {@link SessionLedger} explains what the disk
 * has, and the {@link SessionVerification} holds the whole of it against the model.
 */
final class SessionSimulation {

    private static final int MAX_STEPS_TO_REST = 20_000;

    final SessionProcess.Setup setup;
    final SimTime time = new SimTime();
    final ScriptedDisk disk = new ScriptedDisk();
    final Fibers fibers = new Fibers();
    final SessionModel model = new SessionModel();
    final Jobs jobs;
    final SessionLedger ledger;
    final EarlyCalls early = new EarlyCalls(this);
    final AgentReports reports = new AgentReports(this);
    final Watchers watchers = new Watchers(this);
    private final SessionClients clients = new SessionClients(this);
    private final SessionVerification verification = new SessionVerification(this);
    private final Consumer<String> transcript;

    SessionProcess process;

    /** Counts the processes; a turn of an earlier life is a lost one. */
    int life;

    private final List<Runnable> acknowledgements = new ArrayList<>();
    private final List<Runnable> findings = new ArrayList<>();
    private final Map<String, Integer> waiting = new HashMap<>();
    private final Set<Fault> struck = EnumSet.noneOf(Fault.class);
    private @Nullable Thread syncing;
    private @Nullable Throwable uncaught;
    private boolean closing;
    private long seenCommits = -1;
    private int fate;
    private int faults;

    SessionSimulation(SessionProcess.Setup setup, Consumer<String> transcript) {
        this.setup = setup;
        this.transcript = transcript;
        this.jobs = new Jobs(this);
        this.ledger = new SessionLedger(this);
        this.process = new SessionProcess(disk, time, setup, fibers, jobs.settings());
        disk.whileWaitingForSync(this::letOthersRun);
    }

    /** Plays the history, lets it come to rest, and looks at everything, before and after a last crash. */
    void play(List<SessionOp> history) {
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {
            if (!(error instanceof SimulatedCrash)) {
                uncaught = error;
            }
        });
        try {
            for (SessionOp op : history) {
                transcript.accept(op.toString());
                perform(op);
            }
            perform(new SessionOp.Verify());
            perform(new SessionOp.Crash(0, 0));
            perform(new SessionOp.Verify());
            endProcess(true);
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    private void perform(SessionOp op) {
        switch (op) {
            case SessionOp.Create o -> clients.create(o);
            case SessionOp.Put o -> clients.put(o);
            case SessionOp.DeleteMessage o -> clients.deleteMessage(o);
            case SessionOp.Clear o -> clients.clear(o);
            case SessionOp.DeleteSession o -> clients.delete(o);
            case SessionOp.SetProperty o -> clients.setProperty(o);
            case SessionOp.DeleteProperty o -> clients.deleteProperty(o);
            case SessionOp.Start o -> clients.start(o);
            case SessionOp.ClearQueue o -> clients.clearQueue(o);
            case SessionOp.Nest o -> clients.nest(o);
            case SessionOp.Emit o -> clients.emit(o);
            case SessionOp.Return o -> clients.finish(o);
            case SessionOp.Stop o -> clients.stop(o);
            case SessionOp.Answer o -> early.answer(o);
            case SessionOp.Resume o -> clients.resume(o);
            case SessionOp.Watch o -> watchers.watch(o);
            case SessionOp.ComeBack o -> watchers.comeBack(o);
            case SessionOp.Leave o -> watchers.leave(o);
            case SessionOp.Step o -> {
                for (int i = 0; i < o.batches(); i++) {
                    step();
                }
            }
            case SessionOp.Advance o -> advance(Duration.ofMillis(o.millis()));
            case SessionOp.PlanFault o -> {
                disk.plan(o.fault(), o.steps());
                fate = o.survivingPerMille();
            }
            case SessionOp.Crash o -> crash(o.survivingPerMille(), o.recoverySteps());
            case SessionOp.Restart o -> restart(o.survivingPerMille());
            case SessionOp.Verify o -> verify();
        }
        if (disk.dead()) {
            crash(fate, 0);
        }
    }

    /** Whether the process is dead, closing, or writes no more. */
    boolean down() {
        noteFaults();
        return disk.dead() || closing || (process.committer.poison() != null && struck.contains(Fault.SYNC_FAILS));
    }

    void submit(SessionCall call, Consumer<SessionCall> body) {
        if (process.committer.poison() != null) {
            return; // refused at once; the verification looks at that
        }
        ledger.submitted(call);
        fibers.start("client", () -> body.accept(call));
        pump();
    }

    /** In the middle of a commit all others run, as threads would. */
    private void letOthersRun() {
        Thread committer = Thread.currentThread();
        syncing = committer;
        while (syncing == committer) {
            LockSupport.park(this);
        }
    }

    /** Lets fibers run, and looks at what they did, also in the middle of a commit. */
    void pump() {
        fibers.run();
        while (syncing != null) {
            look();
            Thread committer = syncing;
            syncing = null;
            LockSupport.unpark(committer);
            fibers.run();
        }
        look();
    }

    private void look() {
        Throwable failed = uncaught;
        if (failed != null) {
            uncaught = null;
            throw failed instanceof Violation v ? v : new Violation("a thread died of " + failed, failed);
        }
        noteFaults();
        runAll(acknowledgements);
        ledger.balance();
        long commits = process.committer.commits();
        if (commits != seenCommits) {
            seenCommits = commits;
            verification.diskEqualsTheModel();
        }
        runAll(findings);
    }

    private static void runAll(List<Runnable> actions) {
        for (int i = 0; i < actions.size(); i++) {
            actions.get(i).run();
        }
        actions.clear();
    }

    /** An agent was told that something is durable; judged before all else. */
    void acknowledge(Runnable acknowledgement) {
        acknowledgements.add(acknowledgement);
    }

    /** Something that is judged once the model has caught up. */
    void find(Runnable finding) {
        findings.add(finding);
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** A client begins or ends to wait for a turn's rest. */
    void waiting(SessionProcess where, String messageId, int change) {
        if (where == process) {
            waiting.merge(messageId, change, Integer::sum);
        }
    }

    Map<String, Integer> waiting() {
        return waiting;
    }

    /** One batch. Returns whether there was anything to do. */
    boolean step() {
        int before = faults;
        boolean[] worked = new boolean[1];
        fibers.start("committer", () -> worked[0] = process.committer.step());
        pump();
        StorePoisoned poison = process.committer.poison();
        if (poison != null) {
            Violation.unless(
                    disk.dead() || struck.contains(Fault.SYNC_FAILS),
                    "the committer gave up without a reason: %s",
                    String.valueOf(poison.getCause()));
        } else if (faults > before && !disk.dead()) {
            verification.memoryEqualsARebuild();
        }
        return worked[0];
    }

    private void noteFaults() {
        String fault = disk.takeStruck().orElse(null);
        if (fault != null) {
            faults++;
            transcript.accept("  -- " + fault);
            struck.add(Fault.valueOf(fault.substring(0, fault.indexOf(' '))));
        }
    }

    /** Steps until nothing is to be done (IDLE-IS-SILENT), or the process died. */
    void rest() {
        pump();
        int steps = 0;
        while (!disk.dead() && step()) {
            Violation.unless(++steps < MAX_STEPS_TO_REST, "IDLE-IS-SILENT: the committer never comes to rest");
        }
    }

    void advance(Duration by) {
        fibers.start("clock", () -> time.advance(by)); // what timers start is then a fiber as well
        fibers.run();
        model.notice(time.wallMillis(), setup.stallTimeout().toMillis());
        pump();
    }

    private void verify() {
        disk.heal();
        rest();
        if (process.committer.poison() != null) {
            restart(fate);
            rest();
        }
        verification.comeToRest();
        verification.everything();
    }

    /** The process dies, now or where it did, and another one takes the disk; it may die in its recovery. */
    private void crash(int survivingPerMille, int recoverySteps) {
        disk.kill();
        endProcess(true);
        reopen(survivingPerMille, recoverySteps);
    }

    private void restart(int survivingPerMille) {
        rest();
        if (disk.dead()) {
            crash(survivingPerMille, 0);
            return;
        }
        endProcess(false);
        if (disk.dead()) {
            crash(survivingPerMille, 0);
            return;
        }
        process.store.close();
        reopen(survivingPerMille, 0);
    }

    private void endProcess(boolean dead) {
        closing = true;
        if (dead) {
            disk.kill();
        }
        watchers.processEnds();
        fibers.start("close", process::close);
        pump();
        jobs.killAll();
        pump();
        ledger.processEnded();
        closing = false;
    }

    private void reopen(int survivingPerMille, int recoverySteps) {
        struck.clear();
        waiting.clear();
        findings.clear();
        time.close();
        disk.restart(survivingPerMille);
        if (recoverySteps > 0) {
            disk.plan(Fault.CRASH, recoverySteps);
        }
        process = opened();
        noteFaults();
        seenCommits = -1;
        new PendingChunks(this).resolve();
        ledger.resolve();
        verification.diskEqualsTheModel();
        life++;
        fibers.start("recovery", process.runtime::recover);
        pump();
    }

    private SessionProcess opened() {
        while (true) {
            try {
                return new SessionProcess(disk, time, setup, fibers, jobs.settings());
            } catch (SimulatedCrash e) {
                transcript.accept("  -- it died in its recovery at " + e.getMessage());
                time.close();
                disk.restart(0);
            } catch (StoreDamaged e) {
                throw new Violation("EXACT-PREFIX: the store cannot be opened any more: " + e.getMessage(), e);
            }
        }
    }
}
