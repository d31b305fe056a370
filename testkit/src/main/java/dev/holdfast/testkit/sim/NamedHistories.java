package dev.holdfast.testkit.sim;

import dev.holdfast.testkit.sim.NamedOp.Branch;
import dev.holdfast.testkit.sim.NamedOp.Terms;
import dev.holdfast.testkit.sim.Op.Expecting;
import dev.holdfast.testkit.sim.Op.Numbering;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Makes the events of a history that name their stream: forks, orders, retention, appends that settle. */
final class NamedHistories {

    /** A little more than a chain may have. */
    private static final int LINKS = 258;

    private final Random random;
    private final int streams;
    private final boolean expiry;
    private final IntFunction<List<Integer>> sizes;
    private final int perCent;

    /** Little but forks of forks, and deletions. */
    private final boolean family;

    private final boolean forks;
    private final boolean ages;
    private final boolean bytes;
    private final boolean chain;
    private boolean begun;

    /**
     * @param sizes makes sizes of chunks, of so many at least
     */
    NamedHistories(Random random, int streams, boolean expiry, IntFunction<List<Integer>> sizes) {
        this.random = random;
        this.streams = streams;
        this.expiry = expiry;
        this.sizes = sizes;
        family = random.nextInt(8) == 0;
        perCent = family ? 70 : random.nextInt(3) * 25;
        forks = family || random.nextInt(3) != 0;
        ages = random.nextInt(4) == 0;
        bytes = random.nextInt(4) == 0;
        chain = random.nextInt(400) == 0;
    }

    /** Whether the next event is one of these. */
    boolean comesNext() {
        return (chain && !begun) || random.nextInt(100) < perCent;
    }

    /** Some stream's number. */
    int stream() {
        return chain && random.nextInt(3) == 0
                ? NamedCalls.CHAIN + random.nextInt(LINKS)
                : random.nextInt(family ? Histories.STREAMS : streams);
    }

    Op next() {
        if (chain && !begun) {
            begun = true;
            return new Op.ByName(new NamedOp.Chain(1 + random.nextInt(LINKS)));
        }
        if (family && random.nextBoolean()) {
            return random.nextInt(3) == 0 ? new Op.Delete(stream()) : new Op.ByName(child());
        }
        return switch (random.nextInt(12)) {
            case 0, 1, 2, 3 -> new Op.ByName(create());
            case 4 -> new Op.ByName(new NamedOp.Touch(stream()));
            case 5 -> forks ? new Op.Delete(stream()) : new Op.ByName(send());
            default -> new Op.ByName(send());
        };
    }

    private NamedOp child() {
        Branch tail = new Branch(stream(), -1, 0, false);
        return new NamedOp.Create(stream(), new Terms(0, 0, 0, 0, 0, 0), sizes.apply(0), false, tail);
    }

    private NamedOp create() {
        boolean sliding = expiry && random.nextInt(4) == 0;
        boolean fixed = expiry && !sliding && random.nextInt(4) == 0;
        Terms terms = new Terms(
                random.nextInt(6) == 0 ? random.nextInt(Histories.TAGS) : 0,
                random.nextInt(8) == 0 ? random.nextInt(NamedCalls.types()) : 0,
                sliding ? 1 + random.nextInt(60) : 0,
                fixed ? 1 + random.nextInt(60) : 0,
                ages && random.nextBoolean() ? 1 + random.nextInt(40) : 0,
                bytes && random.nextBoolean() ? 1 + random.nextInt(1_500) : 0);
        return new NamedOp.Create(stream(), terms, sizes.apply(0), random.nextInt(15) == 0, branch());
    }

    private @Nullable Branch branch() {
        if (!forks || random.nextInt(4) == 0) {
            return null;
        }
        boolean cuts = random.nextInt(4) == 0;
        int past = random.nextBoolean() ? 0 : random.nextInt(cuts ? 100 : 3);
        int anchor = random.nextBoolean() ? -1 : random.nextInt(1_100);
        return new Branch(stream(), anchor, past, cuts);
    }

    private NamedOp send() {
        boolean settles = random.nextInt(8) == 0;
        return new NamedOp.Send(
                stream(),
                random.nextInt(3) == 0 ? random.nextInt(8) : -1,
                sizes.apply(settles ? 0 : 1),
                random.nextInt(3) == 0 ? pick(Numbering.values()) : Numbering.NONE,
                random.nextInt(2),
                random.nextInt(6) == 0 ? pick(Expecting.values()) : Expecting.NOTHING,
                random.nextInt(3) == 0 ? random.nextInt(NamedCalls.ORDERS.size()) : -1,
                settles,
                random.nextInt(8) == 0 ? random.nextInt(NamedCalls.types()) : 0,
                random.nextInt(6) == 0);
    }

    private <T> T pick(T[] values) {
        return values[random.nextInt(values.length)];
    }
}
