package dev.holdfast.testkit.sim;

import dev.holdfast.session.SessionLimits;
import dev.holdfast.store.Committer;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.testkit.ScriptedDisk.Fault;
import dev.holdfast.turn.TurnLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Makes a history of sessions and turns from a seed, each with its own taste as {@link Histories} does. */
final class SessionHistories {

    private static final int MAX_OPS = 90;
    private static final int LONG_OPS = 260;
    private static final int MESSAGES = 6;

    private final Random random;
    private final int sessions;
    private final int turns;
    private final int trouble;
    private final int watching;
    private final int messages;
    private final boolean bursts;
    private final boolean queues;
    private final int answers;
    private final int maxOps;

    private SessionHistories(long seed) {
        random = new Random(seed);
        sessions = 1 + random.nextInt(3);
        turns = 1 + random.nextInt(4);
        trouble = random.nextInt(3) * 5;
        watching = random.nextInt(20);
        messages = 5 + random.nextInt(25);
        bursts = random.nextBoolean();
        queues = random.nextBoolean();
        answers = random.nextInt(2) * 12;
        maxOps = random.nextInt(10) == 0 ? LONG_OPS : MAX_OPS;
    }

    static SessionProcess.Setup setup(long seed) {
        Random random = new Random(~seed);
        StreamLimits streams = StreamLimits.defaults();
        if (random.nextInt(3) != 0) {
            streams = streams.withMaxJournalBytes(400 + random.nextInt(8_000))
                    .withMaxOpenBytes(100 + random.nextInt(2_000));
        }
        if (random.nextInt(2) == 0) {
            streams = streams.withMaxCachedStreams(random.nextInt(2));
        }
        long batch = random.nextInt(3) == 0 ? 200 + random.nextInt(800) : 8L << 20;
        Duration grace = random.nextInt(3) == 0 ? Duration.ZERO : Duration.ofSeconds(5);
        Duration stall = random.nextInt(3) == 0 ? Duration.ofSeconds(5 + random.nextInt(50)) : Duration.ZERO;
        return new SessionProcess.Setup(
                streams,
                new Committer.Limits(64L << 20, batch),
                SessionLimits.defaults().withFeedRetained(20),
                new TurnLimits(1 + random.nextInt(4), Duration.ofMinutes(5), grace, Duration.ofSeconds(1)),
                stall,
                random.nextInt(4) == 0);
    }

    static List<SessionOp> ops(long seed) {
        return new SessionHistories(seed).ops();
    }

    private List<SessionOp> ops() {
        List<SessionOp> ops = new ArrayList<>();
        int count = 10 + random.nextInt(maxOps - 10);
        ops.add(new SessionOp.Create(0));
        ops.add(new SessionOp.Step(1));
        while (ops.size() < count) {
            ops.add(next());
        }
        return ops;
    }

    private SessionOp next() {
        int dice = random.nextInt(100 + trouble + watching + messages + answers);
        if (dice < 14) {
            return start();
        } else if (dice < 32) {
            return new SessionOp.Emit(random.nextInt(8), sizes(), random.nextInt(4) == 0);
        } else if (dice < 43) {
            return new SessionOp.Return(random.nextInt(8), end());
        } else if (dice < 46) {
            return new SessionOp.Nest(random.nextInt(8), random.nextInt(turns), policy());
        } else if (dice < 51) {
            return new SessionOp.Stop(session(), random.nextInt(turns), random.nextInt(4) == 0);
        } else if (dice < 55) {
            return new SessionOp.Resume(session(), random.nextInt(turns));
        } else if (dice < 58) {
            return new SessionOp.Create(session());
        } else if (dice < 59) {
            return queues && random.nextBoolean()
                    ? new SessionOp.ClearQueue(session())
                    : new SessionOp.DeleteSession(session());
        } else if (dice < 86) {
            return new SessionOp.Step(bursts ? 1 : 1 + random.nextInt(3));
        } else if (dice < 92) {
            return new SessionOp.Advance(random.nextBoolean() ? random.nextInt(1_500) : random.nextInt(60_000));
        } else if (dice < 94) {
            return new SessionOp.Verify();
        } else if (dice < 97) {
            return new SessionOp.Restart(fate());
        } else if (dice < 100) {
            return new SessionOp.Crash(fate(), 0);
        } else if (dice < 100 + trouble) {
            return trouble();
        } else if (dice < 100 + trouble + watching) {
            return watching();
        } else if (dice < 100 + trouble + watching + messages) {
            return message();
        }
        return new SessionOp.Answer(session(), random.nextInt(turns), random.nextInt(10) * 3 / 10, random.nextInt(2));
    }

    private int session() {
        return random.nextInt(sessions);
    }

    private SessionOp start() {
        boolean drops = !queues || random.nextInt(3) == 0;
        return new SessionOp.Start(
                session(),
                random.nextInt(turns),
                random.nextInt(6) / 5,
                policy(),
                random.nextBoolean(),
                random.nextInt(3) == 0 ? pick(SessionOp.Commit.values()) : SessionOp.Commit.NONE,
                drops ? SessionOp.Submit.DROP : pick(SessionOp.Submit.values()));
    }

    private SessionOp.Policy policy() {
        return random.nextBoolean() ? SessionOp.Policy.CONTINUE : pick(SessionOp.Policy.values());
    }

    private SessionOp.End end() {
        if (answers > 0 && random.nextBoolean()) {
            return SessionOp.End.AWAITS;
        }
        return random.nextBoolean() ? SessionOp.End.COMPLETES : pick(SessionOp.End.values());
    }

    private List<Integer> sizes() {
        List<Integer> sizes = new ArrayList<>();
        int count = 1 + (random.nextInt(3) == 0 ? random.nextInt(5) : 0);
        for (int i = 0; i < count; i++) {
            sizes.add(random.nextInt(60));
        }
        return sizes;
    }

    private SessionOp message() {
        int message = random.nextInt(MESSAGES);
        return switch (random.nextInt(10)) {
            case 0, 1, 2, 3 ->
                new SessionOp.Put(
                        session(),
                        message,
                        pick(SessionOp.Place.values()),
                        random.nextInt(MESSAGES),
                        random.nextInt(3),
                        random.nextBoolean());
            case 4, 5 -> new SessionOp.DeleteMessage(session(), random.nextInt(2 * MESSAGES));
            case 6 -> new SessionOp.Clear(session());
            case 7, 8 -> new SessionOp.SetProperty(session(), random.nextInt(2), pick(SessionOp.Condition.values()));
            default -> new SessionOp.DeleteProperty(session(), random.nextInt(2));
        };
    }

    private SessionOp watching() {
        return switch (random.nextInt(4)) {
            case 0 -> new SessionOp.Watch(session(), 1 + random.nextInt(200));
            case 1 -> new SessionOp.Leave(random.nextInt(8));
            default -> new SessionOp.ComeBack(random.nextInt(8));
        };
    }

    private SessionOp trouble() {
        if (random.nextInt(4) == 0) {
            return new SessionOp.Crash(fate(), random.nextBoolean() ? 0 : 1 + random.nextInt(30));
        }
        return new SessionOp.PlanFault(pick(Fault.values()), 1 + random.nextInt(random.nextBoolean() ? 4 : 25), fate());
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
