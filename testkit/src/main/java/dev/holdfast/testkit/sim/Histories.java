package dev.holdfast.testkit.sim;

import dev.holdfast.store.Committer;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.testkit.ScriptedDisk.Fault;
import dev.holdfast.testkit.sim.Op.Expecting;
import dev.holdfast.testkit.sim.Op.Numbering;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Makes a history from a seed. Each seed has its own taste (how many streams, how large chunks, how much trouble), so that over many seeds
 * the rare combinations come up as well.
 */
final class Histories {

    static final int TAGS = 3;

    /** Names of streams, beside those of a chain. */
    static final int STREAMS = 5;

    private static final int MAX_OPS = 90;
    private static final int LARGE_BYTES = 300 << 10;

    private final Random random;
    private final int streams;
    private final int trouble;
    private final int reading;
    private final boolean large;
    private final boolean bursts;
    private final boolean expiry;
    private final NamedHistories named;

    /** What a history starts from. */
    record Setup(StreamLimits streams, Committer.Limits committer) {}

    private Histories(long seed) {
        random = new Random(seed);
        streams = 1 + random.nextInt(STREAMS);
        trouble = random.nextInt(3) * 4;
        reading = 5 + random.nextInt(25);
        large = random.nextInt(12) == 0;
        bursts = random.nextBoolean();
        expiry = random.nextInt(4) == 0;
        named = new NamedHistories(random, streams, expiry, this::sizes);
    }

    static Setup setup(long seed) {
        Random random = new Random(~seed);
        boolean tight = random.nextInt(4) != 0;
        StreamLimits limits = StreamLimits.defaults().withMaxLinger(Duration.ofSeconds(30));
        if (tight) {
            limits = limits.withMaxJournalBytes(400 + random.nextInt(8_000))
                    .withMaxOpenBytes(100 + random.nextInt(4_000));
        }
        if (random.nextInt(3) == 0) {
            limits = limits.withMaxCachedStreams(random.nextInt(3));
        }
        long batch = random.nextInt(3) == 0 ? 200 + random.nextInt(800) : 8L << 20;
        return new Setup(limits, new Committer.Limits(64L << 20, batch));
    }

    static List<Op> ops(long seed) {
        return new Histories(seed).ops();
    }

    private List<Op> ops() {
        List<Op> ops = new ArrayList<>();
        int count = 10 + random.nextInt(MAX_OPS - 10);
        ops.add(open());
        while (ops.size() < count) {
            ops.add(next());
        }
        return ops;
    }

    private Op next() {
        if (named.comesNext()) {
            return named.next();
        }
        int dice = random.nextInt(100 + trouble + reading);
        if (dice < 24) {
            return append();
        } else if (dice < 36) {
            return open();
        } else if (dice < 40) {
            return checkpoint();
        } else if (dice < 50) {
            return settle();
        } else if (dice < 54) {
            return new Op.Trim(named.stream(), random.nextInt(1200));
        } else if (dice < 57) {
            return new Op.Delete(named.stream());
        } else if (dice < 58) {
            // with expiry in play a sweep's count depends on moments that the model does not know
            return expiry ? new Op.Verify() : new Op.Reclaim(1 + random.nextInt(TAGS - 1), random.nextInt(3) * 20);
        } else if (dice < 88) {
            return new Op.Step(bursts ? 1 : 1 + random.nextInt(3));
        } else if (dice < 94) {
            return new Op.Advance(random.nextBoolean() ? random.nextInt(1_500) : random.nextInt(60_000));
        } else if (dice < 96) {
            return new Op.Verify();
        } else if (dice < 98) {
            return new Op.Restart(fate());
        } else if (dice < 100) {
            return new Op.ReadCheckpoint(random.nextInt(8));
        } else if (dice < 100 + trouble) {
            return trouble();
        }
        return reading();
    }

    private Op open() {
        int ttl = expiry && random.nextInt(3) == 0 ? 1 + random.nextInt(60) : 0;
        return new Op.Open(random.nextInt(streams), random.nextInt(4) == 0, random.nextInt(TAGS), ttl);
    }

    private Op append() {
        boolean plain = random.nextInt(3) != 0;
        Numbering numbering = plain ? Numbering.NONE : pick(Numbering.values());
        Expecting expecting = random.nextInt(6) == 0 ? pick(Expecting.values()) : Expecting.NOTHING;
        return new Op.Append(
                random.nextInt(8), sizes(1), numbering, random.nextInt(2), expecting, random.nextInt(3) == 0);
    }

    private Op checkpoint() {
        return new Op.Checkpoint(random.nextInt(8), sizes(0), random.nextInt(100));
    }

    private Op settle() {
        return new Op.Settle(
                random.nextInt(8),
                random.nextInt(3) == 0,
                random.nextInt(4) == 0,
                random.nextBoolean(),
                sizes(0),
                random.nextBoolean() ? Op.Callback.NONE : pick(Op.Callback.values()));
    }

    private List<Integer> sizes(int least) {
        int count = least + (random.nextInt(3) == 0 ? random.nextInt(6) : random.nextInt(2));
        List<Integer> sizes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sizes.add(large && random.nextInt(4) == 0 ? random.nextInt(LARGE_BYTES) : random.nextInt(120));
        }
        return sizes;
    }

    private Op trouble() {
        if (random.nextInt(4) == 0) {
            return new Op.Crash(fate(), random.nextBoolean() ? 0 : 1 + random.nextInt(25));
        }
        return new Op.PlanFault(pick(Fault.values()), 1 + random.nextInt(random.nextBoolean() ? 4 : 25), fate());
    }

    private Op reading() {
        int maxBytes = 1 + random.nextInt(400);
        return switch (random.nextInt(8)) {
            case 0, 1 -> new Op.Attach(named.stream(), random.nextInt(1200), maxBytes, random.nextBoolean());
            case 2 -> new Op.Resume(random.nextInt(8), maxBytes, random.nextBoolean());
            case 3 -> new Op.CloseReader(random.nextInt(8));
            default -> new Op.Read(random.nextInt(8), maxBytes);
        };
    }

    /** Nothing, all, or a torn part. */
    private int fate() {
        return switch (random.nextInt(3)) {
            case 0 -> 0;
            case 1 -> 1000;
            default -> random.nextInt(1000);
        };
    }

    private <T> T pick(T[] values) {
        return values[random.nextInt(values.length)];
    }
}
