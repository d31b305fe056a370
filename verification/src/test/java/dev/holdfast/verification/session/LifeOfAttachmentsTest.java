package dev.holdfast.verification.session;

import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.session.Attachment;
import dev.holdfast.session.AttachmentDraft;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionLimits;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.sqlite.SqliteStore;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.uimessage.AttachmentUrls;
import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiMessageAssembler;
import dev.holdfast.uimessage.UiMessageContents;
import dev.holdfast.uimessage.UiToolAnswers;
import dev.holdfast.verification.rig.ManualClock;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long attachments live, and what turns have to do with them; on a real store. */
final class LifeOfAttachmentsTest {

    private static final String AGENT = "painter";

    @TempDir
    Path folder;

    private final ManualClock clock = new ManualClock();
    private final CompletableFuture<byte[]> seen = new CompletableFuture<>();
    private Holdfast holdfast;
    private Session session;

    @BeforeEach
    void open() {
        TurnSettings turns = TurnSettings.defaults()
                .withAgent(AGENT, this::paint)
                .withAssembler(new UiMessageAssembler())
                .withAnswers(new UiToolAnswers());
        holdfast = Holdfast.open(
                SqliteStore.open(folder, new StoreSettings(2, Long.MAX_VALUE, Duration.ofSeconds(10), clock)),
                HoldfastSettings.defaults()
                        .withTime(clock, clock::timers)
                        .withContents(new UiMessageContents())
                        .withTurns(turns));
        session = holdfast.sessions().create("s");
    }

    @AfterEach
    void close() {
        holdfast.close();
    }

    private static byte[] noise(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    private static String dataUrl(int size) {
        return "data:image/png;base64," + Base64.getEncoder().encodeToString(noise(size));
    }

    /** Shows what it was sent, and answers with a picture. */
    private AgentResult paint(TurnContext turn) throws IOException {
        UiMessage question = UiMessage.parse(turn.history(1 << 20).getLast().content());
        String url = question.parts().getFirst().text("url").orElseThrow();
        String id = AttachmentUrls.idIn(turn.sessionId(), url).orElseThrow();
        seen.complete(turn.openAttachment(id).readAllBytes());
        turn.emit("{\"type\":\"file\",\"mediaType\":\"image/png\",\"url\":\"%s\"}".formatted(dataUrl(50_000)));
        return AgentResult.completed();
    }

    private Attachment put(int size) throws IOException {
        return session.attachments()
                .put(new AttachmentDraft("image/png", "pic"), new ByteArrayInputStream(noise(size)));
    }

    private static MessageDraft naming(String id, String url) {
        return MessageDraft.of(
                id,
                "user",
                "{\"id\":\"%s\",\"role\":\"user\",\"parts\":[{\"type\":\"file\",\"mediaType\":\"image/png\",\"url\":\"%s\"}]}"
                        .formatted(id, url));
    }

    private boolean isThere(Attachment attachment) {
        return session.attachments().find(attachment.id()).isPresent();
    }

    /** After the timers had a chance to ring. */
    private boolean isThereLater(String id) {
        clock.advance(Duration.ofMillis(1));
        return session.attachments().find(id).isPresent();
    }

    @Test
    void what_no_message_names_is_deleted_a_day_after_it_was_last_put() throws Exception {
        Attachment unused = put(3_000_000);
        Attachment named = put(2_000_000);
        session.append(naming("m", AttachmentUrls.of("s", named.id())));
        clock.advance(SessionLimits.UNUSED_ATTACHMENT_LIFE.dividedBy(2));
        assertThat(put(3_000_000).id()).isEqualTo(unused.id());
        Attachment second = put(1000);
        clock.advance(SessionLimits.UNUSED_ATTACHMENT_LIFE.dividedBy(2).plusMillis(1));
        session.append(naming("m2", AttachmentUrls.of("s", second.id())));
        assertThat(isThere(unused)).isTrue();

        clock.advance(SessionLimits.UNUSED_ATTACHMENT_LIFE);

        await().until(() -> !isThereLater(unused.id()));
        assertThat(isThere(named)).isTrue();
        assertThat(isThere(second)).isTrue();
    }

    @Test
    void what_was_named_goes_with_the_last_message_that_named_it() throws Exception {
        Attachment attachment = put(1_500_000);
        String url = AttachmentUrls.of("s", attachment.id());
        session.append(naming("m1", url));
        session.append(naming("m2", url));

        Attachment witness = put(1000);
        session.append(naming("w", AttachmentUrls.of("s", witness.id())));

        session.delete("m1");
        session.delete("w");
        await().until(() -> !isThereLater(witness.id()));
        assertThat(session.attachments().open(attachment.id()).readAllBytes()).isEqualTo(noise(1_500_000));
        session.upsert(MessageDraft.of("m2", "user", "no more"));

        await().until(() -> !isThereLater(attachment.id()));
    }

    @Test
    void what_was_moved_out_of_a_message_goes_when_the_session_is_cleared() {
        session.append(naming("m1", dataUrl(20_000)));
        String id = AttachmentUrls.idIn(
                        "s",
                        UiMessage.parse(session.message("m1").orElseThrow().content())
                                .parts()
                                .getFirst()
                                .text("url")
                                .orElseThrow())
                .orElseThrow();
        assertThat(session.attachments().find(id)).isPresent();

        session.clear();

        await().until(() -> !isThereLater(id));
    }

    @Test
    void a_turn_reads_what_its_question_names_and_its_own_pictures_are_moved_out() throws Exception {
        holdfast.turns().start("s", TurnRequest.answer("t", AGENT, naming("q", dataUrl(30_000))));

        assertThat(seen.get()).isEqualTo(noise(30_000));
        await().until(() -> holdfast.turns().live("s").isEmpty());
        UiMessage answer = UiMessage.parse(session.leaf().orElseThrow().content());
        String url = answer.parts().getFirst().text("url").orElseThrow();
        String id = AttachmentUrls.idIn("s", url).orElseThrow();
        assertThat(session.attachments().open(id).readAllBytes()).isEqualTo(noise(50_000));
    }

    @Test
    void an_upload_that_breaks_off_leaves_nothing() {
        byte[] bytes = noise(3 << 20);
        ByteArrayInputStream broken = new ByteArrayInputStream(bytes) {
            @Override
            public synchronized int read(byte[] into, int offset, int length) {
                if (pos > 2 << 20) {
                    throw new IllegalStateException("cut");
                }
                return super.read(into, offset, Math.min(length, 64 << 10));
            }
        };

        try {
            Attachment unused = session.attachments().put(new AttachmentDraft("image/png", null), broken);
            throw new AssertionError("stored " + unused);
        } catch (IllegalStateException | IOException e) {
            assertThat(e).hasMessage("cut");
        }

        holdfast.close();
        try (SqliteStore store =
                SqliteStore.open(folder, new StoreSettings(2, Long.MAX_VALUE, Duration.ofSeconds(10), clock))) {
            long next = store.read(reads -> reads.nextBlobExpiry());
            assertThat(next).isZero();
        }
        open();
    }
}
