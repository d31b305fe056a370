package dev.holdfast.verification.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.verification.rig.Child;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a process at full work again and again, at instants that a seed decides as far as anything can, and audits what is left after each
 * kill. The audit looks at a copy, so that the next process recovers from what the kill left.
 */
final class RandomKillTest {

    private static final boolean NIGHTLY = "nightly".equals(System.getProperty("holdfast.profile"));
    private static final int ROUNDS = NIGHTLY ? 600 : 60;
    private static final int KILLS_PER_STORE = 10;

    /** One in so many is killed while it starts. */
    private static final int ONE_IN_STARTING = 5;

    /** What a child says as it starts: where it is killed, in turn. */
    private static final List<String> STARTING = List.of("OPENED", "RECOVERING", "RECOVERED", "READY");

    /** Entries of the log after which it is killed while it reads them; fewer if there are no more. */
    private static final int MAX_ENTRIES = 30;

    private static final int MAX_ACKNOWLEDGEMENTS = NIGHTLY ? 3000 : 500;

    @TempDir
    Path folder;

    @Test
    @Timeout(3600)
    void
            whatever_anyone_was_told_or_saw_is_there_after_a_kill_at_any_instant_NEVER_BOTH_EXACT_PREFIX_VISIBLE_IS_DURABLE()
                    throws IOException {
        long seed = Long.getLong("holdfast.seed", System.nanoTime());
        Random random = new Random(seed);
        int checked = 0;
        Set<String> places = new HashSet<>();
        for (int first = 0; first < ROUNDS; first += KILLS_PER_STORE) {
            Path store = folder.resolve("store" + first);
            Ledger ledger = new Ledger();
            for (int kill = 0; kill < KILLS_PER_STORE; kill++) {
                int round = first + kill;
                try {
                    boolean starting = round % ONE_IN_STARTING == ONE_IN_STARTING - 1;
                    if (starting) {
                        killAtStart(store, ledger, round, random).ifPresent(places::add);
                    } else {
                        killAtWork(store, ledger, round, random);
                    }
                    checked += audit(store, ledger);
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError(
                            "-Dholdfast.seed=%d, round %d, store kept in %s".formatted(seed, round, keep(store)), e);
                }
            }
            delete(store);
        }
        assertThat(checked).as("streams and turns looked at").isGreaterThan(ROUNDS);
        assertThat(places).as("where a start was killed").containsExactlyInAnyOrderElementsOf(STARTING);
    }

    private void killAtWork(Path store, Ledger ledger, int round, Random random) {
        int enough = ledger.acknowledgements() + 1 + random.nextInt(MAX_ACKNOWLEDGEMENTS);
        try (Child child = Child.start(folder, LoadMain.class, store.toString(), "r" + round)) {
            child.readUntil(line -> ledger.acknowledgements() >= enough || !ledger.bad.isEmpty(), ledger::take);
            child.kill(ledger::take);
        }
    }

    /** Returns where it was; nothing if the child never came there. */
    private Optional<String> killAtStart(Path store, Ledger ledger, int round, Random random) {
        String place = STARTING.get(round / ONE_IN_STARTING % STARTING.size());
        AtomicInteger left = new AtomicInteger(place.equals("RECOVERING") ? 1 + random.nextInt(MAX_ENTRIES) : 1);
        AtomicBoolean reached = new AtomicBoolean();
        try (Child child = Child.start(folder, LoadMain.class, store.toString(), "r" + round)) {
            child.readUntil(
                    line -> {
                        boolean there = line.startsWith(place + " ") || line.equals(place);
                        reached.compareAndSet(false, there);
                        return (there && left.decrementAndGet() == 0) || line.equals("READY");
                    },
                    ledger::take);
            child.kill(ledger::take);
        }
        return reached.get() ? Optional.of(place) : Optional.empty();
    }

    private int audit(Path store, Ledger ledger) throws IOException {
        if (!Files.exists(store)) {
            return 0; // killed before it made anything
        }
        Path copy = folder.resolve("copy");
        copy(store, copy);
        try (Audit audit = new Audit(copy, ledger)) {
            return audit.check();
        } finally {
            delete(copy);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    /** Where a store that failed can be looked at afterwards. */
    private static Path keep(Path store) {
        try {
            Path kept = Files.createTempDirectory("holdfast-crash-");
            copy(store, kept.resolve("store"));
            return kept;
        } catch (IOException e) {
            return store;
        }
    }

    private static void delete(Path store) throws IOException {
        try (Stream<Path> files = Files.list(store)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(store);
    }
}
