package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.session.AttachmentDraft;
import dev.holdfast.session.MessageContents;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.NewAttachment;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionEngine;
import dev.holdfast.session.SessionLimits;
import dev.holdfast.session.Sessions;
import dev.holdfast.store.BlobRow;
import dev.holdfast.store.Committer;
import dev.holdfast.store.Maintenance;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreReads;
import dev.holdfast.stream.StreamEngine;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.testkit.ScriptedDisk.Fault;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Attachments on a disk that fails at one step after the other: what a message names is there, whole and counted, whatever happened, and what none names
 * is gone once the upkeep had its time.
 */
final class AttachmentCrashTest {

    private static final String TENANT = "t";
    private static final int UPLOAD_BYTES = SessionLimits.ATTACHMENT_PIECE_BYTES + 100;
    private static final long MAX_KEY = 1_000;
    private static final int MAX_STEPS = 2_000;

    /** Steps of the disk between two faults that are tried; prime, so that no verb of a command is always passed over. */
    private static final int STRIDE = 7;

    /** Contents are words: {@code name:ID} names an attachment, {@code data:TEXT} is one that is moved out. */
    private static final MessageContents CONTENTS = new MessageContents() {
        @Override
        public String text(byte[] content) {
            return new String(content, StandardCharsets.UTF_8);
        }

        @Override
        public Parts take(String sessionId, byte[] content) {
            List<String> words = new ArrayList<>();
            List<NewAttachment> moved = new ArrayList<>();
            Set<String> names = new HashSet<>();
            for (String word : text(content).split(" ", -1)) {
                if (word.startsWith("data:")) {
                    NewAttachment attachment = NewAttachment.of(draft(), word.getBytes(StandardCharsets.UTF_8));
                    moved.add(attachment);
                    names.add(attachment.id());
                    words.add("name:" + attachment.id());
                } else {
                    if (word.startsWith("name:")) {
                        names.add(word.substring("name:".length()));
                    }
                    words.add(word);
                }
            }
            byte[] stored = String.join(" ", words).getBytes(StandardCharsets.UTF_8);
            return new Parts(stored, text(stored), moved, names);
        }
    };

    private static AttachmentDraft draft() {
        return new AttachmentDraft("image/png", "pic");
    }

    private final SimTime time = new SimTime();
    private final ScriptedDisk disk = new ScriptedDisk();

    /** One life of the engine on the disk, stepped by the test. */
    private final class Running implements AutoCloseable {
        final SimStore store = new SimStore(disk, time);
        final Committer committer = new Committer(store, time, Committer.Limits.defaults(), Runnable::run);
        final StreamEngine streams = new StreamEngine(store, committer, time, time, StreamLimits.defaults());
        final SessionEngine engine = new SessionEngine(streams, SessionLimits.defaults(), CONTENTS, Runnable::run);
        final Sessions sessions = new Sessions(engine, TENANT);

        Running() {
            streams.recover();
            engine.recover();
            committer.maintain(Maintenance.all(streams.upkeep(), engine.upkeep()));
        }

        /** Does the work on a thread of its own, and the commits on this one; to its end, or to that of the process. */
        void run(Runnable work) throws InterruptedException {
            Thread thread = Thread.ofPlatform().start(() -> {
                try {
                    work.run();
                } catch (HoldfastException | SimulatedCrash e) {
                    // what was acknowledged is checked on the disk
                }
            });
            try {
                while (thread.isAlive()) {
                    if (!committer.step()) {
                        Thread.onSpinWait();
                    }
                }
                settle();
            } catch (SimulatedCrash e) {
                // the disk's script says so
            } finally {
                committer.close();
                thread.join();
            }
        }

        /** Lets the upkeep do all that is due. */
        void settle() {
            while (committer.step()) {
                // until nothing is
            }
        }

        @Override
        public void close() {
            streams.close();
            engine.close();
            store.close();
        }
    }

    private static void script(Sessions sessions) {
        Session session = sessions.create("s");
        String first = upload(session, 1);
        session.append(MessageDraft.of("m1", "user", "name:" + first));
        session.append(MessageDraft.of("m2", "user", "data:two and name:" + first));
        session.upsert(MessageDraft.of("m2", "user", "data:other"));
        String unused = upload(session, 2);
        session.append(MessageDraft.of("m3", "user", "data:other once more"));
        session.delete("m1");
        session.append(MessageDraft.of("m4", "user", "name:" + upload(session, 3)));
        Session second = sessions.create("s2");
        second.append(MessageDraft.of("m1", "user", "data:other"));
        second.clear();
        second.append(MessageDraft.of("m2", "user", "data:last"));
        sessions.delete("s2");
        session.append(MessageDraft.of("m5", "user", "name:" + unused));
    }

    private static String upload(Session session, int seed) {
        byte[] bytes = new byte[UPLOAD_BYTES];
        bytes[0] = (byte) seed;
        try {
            return session.attachments()
                    .put(draft(), new ByteArrayInputStream(bytes))
                    .id();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Every message has what it names; every binary is whole or under way, and counted. */
    private static int check(StoreReads reads) {
        int named = 0;
        for (SessionRow session : reads.sessions(TENANT, Long.MAX_VALUE, Long.MAX_VALUE, 10)) {
            for (int number = 1; number <= 5; number++) {
                MessageRow message = reads.message(session.key(), "m" + number).orElse(null);
                if (message == null) {
                    continue;
                }
                String content = new String(reads.messageContent(session.key(), message.seq()), StandardCharsets.UTF_8);
                Set<String> names = CONTENTS.take(session.id(), content.getBytes(StandardCharsets.UTF_8))
                        .names();
                assertThat(reads.blobsOf(session.key(), message.seq())).isEqualTo(names);
                for (String id : names) {
                    BlobRow blob = reads.blob(session.key(), id).orElseThrow();
                    assertThat(blob.references()).isPositive();
                    assertThat(blob.expiresAt()).isZero();
                    assertThat(pieces(reads, blob.key())).isEqualTo(blob.bytes());
                    named++;
                }
            }
        }
        return named;
    }

    private static long pieces(StoreReads reads, long key) {
        long bytes = 0;
        for (int piece = 0; reads.blobPiece(key, piece).isPresent(); piece++) {
            bytes += reads.blobPiece(key, piece).orElseThrow().length;
        }
        return bytes;
    }

    /** Nothing is left that no message names. */
    private static void checkNoLeak(StoreReads reads) {
        assertThat(reads.nextBlobExpiry()).isZero();
        for (long key = 1; key < MAX_KEY; key++) {
            BlobRow blob = reads.blob(key).orElse(null);
            assertThat(blob == null || blob.references() > 0).isTrue();
            assertThat(pieces(reads, key)).isEqualTo(blob == null ? 0 : blob.bytes());
        }
    }

    private void checkAfterRestart() throws InterruptedException {
        try (Running next = new Running()) {
            int named = next.store.observe(AttachmentCrashTest::check);
            next.settle();
            assertThat(next.store.observe(AttachmentCrashTest::check)).isEqualTo(named);
            time.advance(SessionLimits.UNUSED_ATTACHMENT_LIFE.plus(Duration.ofMinutes(1)));
            next.settle();
            assertThat(next.store.observe(AttachmentCrashTest::check)).isEqualTo(named);
            next.store.observe(reads -> {
                checkNoLeak(reads);
                return true;
            });
            next.committer.close();
        }
    }

    @Test
    void without_a_fault_what_is_named_stays_and_the_rest_goes() throws Exception {
        try (Running process = new Running()) {
            process.run(() -> script(process.sessions));
            assertThat(process.store.observe(AttachmentCrashTest::check)).isEqualTo(4);
        }
        disk.restart(0);
        checkAfterRestart();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 500, 1000})
    void a_crash_at_any_step_leaves_no_message_without_what_it_names_and_nothing_else(int survivingPerMille)
            throws Exception {
        int crashes = 0;
        for (int step = 1; step < MAX_STEPS; step += STRIDE) {
            AttachmentCrashTest life = new AttachmentCrashTest();
            try (Running process = life.new Running()) {
                life.disk.plan(Fault.CRASH, step);
                process.run(() -> script(process.sessions));
            }
            if (life.disk.takeStruck().isEmpty()) {
                break;
            }
            crashes++;
            life.time.close();
            life.disk.restart(survivingPerMille);
            life.checkAfterRestart();
        }
        assertThat(crashes).isGreaterThan(20);
    }

    @ParameterizedTest
    @EnumSource(names = {"FULL", "BUSY", "REFUSED"})
    void a_refusal_at_any_step_rolls_back_the_counts_with_the_message(Fault fault) throws Exception {
        int refusals = 0;
        for (int step = 1; step < MAX_STEPS; step += STRIDE) {
            AttachmentCrashTest life = new AttachmentCrashTest();
            try (Running process = life.new Running()) {
                life.disk.plan(fault, step);
                process.run(() -> script(process.sessions));
                if (life.disk.takeStruck().isEmpty()) {
                    break;
                }
                refusals++;
                process.store.observe(AttachmentCrashTest::check);
            }
            life.time.close();
            life.disk.restart(0);
            life.checkAfterRestart();
        }
        assertThat(refusals).isGreaterThan(10);
    }
}
