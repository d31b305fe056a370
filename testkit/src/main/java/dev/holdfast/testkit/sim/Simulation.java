package dev.holdfast.testkit.sim;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.CallbackFailed;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.error.HoldfastException.StoreFull;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.testkit.ScriptedDisk;
import dev.holdfast.testkit.ScriptedDisk.Fault;
import dev.holdfast.testkit.SimTime;
import dev.holdfast.testkit.SimulatedCrash;
import dev.holdfast.testkit.sim.Clients.Call;
import dev.holdfast.testkit.sim.Model.Action;
import dev.holdfast.testkit.sim.SimProcess.Writer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Plays one history: calls go out from fibers and queue up, the committer is stepped, and after each step the answers are compared with the
 * model's, in the order in which the calls were submitted.
 *
 * <p>A call that the disk failed with a known fate must have done nothing. One whose fate is unknown (the sync failed, or the process died)
 * is settled after the restart: what is there then must be what the model has after some first part of those calls, the earlier without
 * the later, and with all that was answered before (EXACT-PREFIX, VISIBLE-IS-DURABLE).
 */
final class Simulation {

    private static final int MAX_STEPS_TO_REST = 20_000;
    static final Duration BACKOFF = Duration.ofMillis(1_001);

    final Histories.Setup setup;
    final SimTime time = new SimTime();
    final ScriptedDisk disk = new ScriptedDisk();
    final Fibers fibers = new Fibers();
    final Readings readings = new Readings(this);
    private final Verification verification = new Verification(this);
    private final Clients clients = new Clients(time);
    private final NamedCalls named = new NamedCalls(this, clients, time);
    private final Set<String> names = new LinkedHashSet<>();
    private final Consumer<String> transcript;

    SimProcess process;
    Model model = new Model();
    private final List<Call> calls = new ArrayList<>();
    private final List<Unknown> unknown = new ArrayList<>();
    private final Set<Fault> struck = EnumSet.noneOf(Fault.class);

    /** What survives of the unsynced at a crash that the script decided on. */
    private int fate;

    private int faults;

    /** A call whose fate is unknown, and when it would have been decided. */
    record Unknown(Action action, long at) {}

    Simulation(Histories.Setup setup, Consumer<String> transcript) {
        this.setup = setup;
        this.transcript = transcript;
        this.process = new SimProcess(disk, time, setup, fibers);
        for (int i = 0; i < Histories.STREAMS; i++) {
            names.add(Clients.streamName(i));
        }
        disk.whileWaitingForSync(this::pump);
    }

    /** Plays the history, lets it come to rest, and looks at everything, before and after a last crash. */
    void play(List<Op> history) {
        for (Op op : history) {
            transcript.accept(op.toString());
            perform(op);
        }
        perform(new Op.Verify());
        perform(new Op.Crash(0, 0));
        perform(new Op.Verify());
    }

    private void perform(Op op) {
        switch (op) {
            case Op.Open o -> {
                Call call = clients.open(o);
                submit(call, () -> Clients.run(call, o, process));
            }
            case Op.Append o -> append(o);
            case Op.Checkpoint o -> checkpoint(o);
            case Op.ReadCheckpoint o -> {
                Writer writer = writer(o.writer());
                if (writer != null) {
                    Call call = Clients.checkpoint(o, writer);
                    submit(call, () -> Clients.runCheckpoint(call, writer));
                }
            }
            case Op.Settle o -> settle(o);
            case Op.ByName o -> named.perform(o);
            case Op.Trim o -> trim(o);
            case Op.Delete o -> {
                String name = name(o.stream());
                Call call = new Call(o, (m, now) -> m.delete(name, now));
                submit(call, () -> call.run(() -> "deleted " + process.streams.delete(name)));
            }
            case Op.Reclaim o -> new Sweep(this).reclaim(o);
            case Op.Attach o -> readings.attach(o);
            case Op.Resume o -> readings.resume(o);
            case Op.Read o -> readings.read(o);
            case Op.CloseReader o -> readings.close(o);
            case Op.Step o -> {
                for (int i = 0; i < o.batches(); i++) {
                    step();
                }
            }
            case Op.Advance o -> {
                time.advance(Duration.ofMillis(o.millis()));
                pump();
            }
            case Op.PlanFault o -> {
                disk.plan(o.fault(), o.steps());
                fate = o.survivingPerMille();
            }
            case Op.Crash o -> crash(o.survivingPerMille(), o.recoverySteps());
            case Op.Restart o -> restart(o.survivingPerMille());
            case Op.Verify o -> verify();
        }
        if (disk.dead()) {
            crash(fate, 0);
        }
    }

    /** A stream's name, which is looked at from now on. */
    String name(int stream) {
        String name = Clients.streamName(stream);
        names.add(name);
        return name;
    }

    /** All names that a stream may have. */
    Set<String> names() {
        return names;
    }

    @Nullable
    Writer writer(int number) {
        List<Writer> writers = process.writers;
        return writers.isEmpty() ? null : writers.get(number % writers.size());
    }

    private void append(Op.Append op) {
        Writer writer = writer(op.writer());
        if (writer != null) {
            AppendRequest request = clients.request(
                    op.sizes(), op.numbering(), op.producer(), op.expecting(), model.stream(writer.serial()));
            Call call = Clients.append(op, writer, request);
            submit(
                    call,
                    op.async()
                            ? () -> Clients.runAsync(call, writer, request)
                            : () -> Clients.run(call, writer, request));
        }
    }

    private void checkpoint(Op.Checkpoint op) {
        Writer writer = writer(op.writer());
        if (writer != null) {
            AppendRequest request = clients.request(op);
            Call call = Clients.append(op, writer, request);
            submit(call, () -> Clients.run(call, writer, request));
        }
    }

    private void settle(Op.Settle op) {
        Writer writer = writer(op.writer());
        if (writer != null) {
            String name = model.stream(writer.serial()).name;
            Settlement settlement = clients.settlement(op, name);
            Writer by = op.byName() ? null : writer;
            Call call = Clients.settle(op, by, name, settlement);
            submit(call, () -> Clients.run(call, by, name, settlement, process));
        }
    }

    private void trim(Op.Trim op) {
        String name = name(op.stream());
        long tail = model.named(name).map(ModelStream::tail).orElse(0L);
        long before = tail * op.perMille() / 1000;
        AtomicLong first = new AtomicLong(-1);
        Call call = new Call(op, (m, now) -> m.trim(name, before, first.get(), now));
        submit(
                call,
                () -> call.run(() -> {
                    first.set(process.streams.trim(name, before));
                    return "first is " + first;
                }));
    }

    void submit(Call call, Runnable body) {
        if (process.committer.poison() != null) {
            return; // refused at once; the verification looks at that
        }
        calls.add(call);
        fibers.start("client", body);
        pump();
    }

    /** Lets fibers run, compares answers, and then what readers found. Also in the middle of a commit, as threads would. */
    void pump() {
        fibers.run();
        noteFaults();
        while (!calls.isEmpty() && calls.getFirst().answer != null) {
            judge(calls.removeFirst());
        }
        for (Call call : calls) {
            Violation.unless(call.answer == null, "%s was answered before an earlier call", call.op);
        }
        readings.judge();
    }

    /** One batch. Returns whether there was anything to do. */
    boolean step() {
        int before = faults;
        boolean worked = process.committer.step();
        pump();
        if (process.committer.poison() != null) {
            Violation.unless(
                    disk.dead() || struck.contains(Fault.SYNC_FAILS),
                    "the committer gave up without a reason: %s",
                    String.valueOf(process.committer.poison().getCause()));
        } else if (faults > before && !disk.dead()) {
            verification.memoryEqualsARebuild();
        }
        return worked;
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

    /** Something of unknown fate was done in part; looks at what is left. */
    void undecided(List<Action> actions) {
        actions.forEach(action -> unknown.add(new Unknown(action, time.wallMillis())));
        if (disk.dead()) {
            crash(fate, 0);
        } else if (process.committer.poison() != null) {
            restart(fate);
        } else {
            verification.resolve(unknown);
        }
    }

    void judge(Call call) {
        transcript.accept("     " + call.op.getClass().getSimpleName() + ": " + call.answer);
        HoldfastException error = call.error;
        if (error instanceof StorePoisoned) {
            Violation.unless(
                    disk.dead() || struck.contains(Fault.SYNC_FAILS),
                    "%s was refused as poisoned without a reason: %s",
                    call.op,
                    String.valueOf(error.getCause()));
            unknown.add(new Unknown(call.action(), time.wallMillis()));
        } else if (error instanceof StoreFull || error instanceof StoreBusy || error instanceof StoreFailed) {
            Violation.expectFault(error);
        } else if (error instanceof CallbackFailed && error.getCause() instanceof HoldfastException fault) {
            Violation.expectFault(fault); // it struck in the middle of the callback
        } else {
            Expiry.apply(this, call);
            if (call.opened != null) {
                opened(call, model.named(call.opened).orElseThrow());
            }
        }
    }

    private void opened(Call call, ModelStream stream) {
        if (stream.incarnation == 0) {
            Violation.unless(model.incarnation(call.incarnation).isEmpty(), "an incarnation was used twice");
            stream.incarnation = call.incarnation;
        }
        Violation.unless(stream.incarnation == call.incarnation, "%s is another incarnation", stream.name);
        StreamWriter writer = call.writer;
        if (writer != null) {
            process.writers.add(new Writer(writer, stream.serial, writer.epoch()));
        }
    }

    private void verify() {
        disk.heal();
        rest();
        if (process.committer.poison() != null) {
            restart(fate);
        }
        time.advance(BACKOFF);
        rest();
        while (time.hasDue()) { // timers for a time that passed before they were set
            time.advance(Duration.ZERO);
            rest();
        }
        verification.everything();
    }

    /** The process dies, now or where it did, and another one takes the disk; it may die in its recovery. */
    private void crash(int survivingPerMille, int recoverySteps) {
        disk.kill();
        readings.processDied();
        for (int steps = 0; process.committer.step(); steps++) {
            Violation.unless(steps < MAX_STEPS_TO_REST, "a dead committer goes on and on");
        }
        model.forgetUses();
        reopen(survivingPerMille, recoverySteps);
    }

    private void restart(int survivingPerMille) {
        rest();
        process.committer.close();
        pump();
        if (disk.dead()) {
            crash(survivingPerMille, 0);
            return;
        }
        readings.processDied();
        process.store.close();
        if (!struck.isEmpty()) {
            model.forgetUses(); // what failed may have been the writing of a later deadline
        }
        reopen(survivingPerMille, 0);
    }

    private void reopen(int survivingPerMille, int recoverySteps) {
        pump();
        readings.abandonAll();
        pump();
        Violation.unless(calls.isEmpty(), "a call waits for ever in a process that is gone: %s", calls);
        noteFaults();
        struck.clear();
        time.close();
        disk.restart(survivingPerMille);
        if (recoverySteps > 0) {
            disk.plan(Fault.CRASH, recoverySteps);
            recoverAndDie();
        } else {
            process = opened();
        }
        readings.processBegan();
        model.reviveLapsed();
        verification.resolve(unknown);
    }

    private SimProcess opened() {
        try {
            return new SimProcess(disk, time, setup, fibers);
        } catch (StoreDamaged e) {
            throw new Violation("EXACT-PREFIX: the store cannot be opened any more", e);
        }
    }

    /** A process that dies while it opens, or in the upkeep that the one before left; then the one that stays. */
    private void recoverAndDie() {
        try {
            process = opened();
            rest();
        } catch (SimulatedCrash e) {
            transcript.accept("  -- it died in its recovery at " + e.getMessage());
        }
        noteFaults();
        disk.kill();
        for (int steps = 0; process.committer.step(); steps++) {
            Violation.unless(steps < MAX_STEPS_TO_REST, "a dead committer goes on and on");
        }
        struck.clear();
        time.close();
        disk.restart(fate);
        process = opened();
    }
}
