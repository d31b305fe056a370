package dev.holdfast.verification.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.models.Summarizer;
import dev.holdfast.session.History;
import dev.holdfast.session.Overlay;
import dev.holdfast.session.Session;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.verification.rig.Child;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A process killed as it writes a summary of a conversation, and what the next one makes of it. */
final class OverlayCrashTest {

    @TempDir
    static Path scratch;

    @TempDir
    Path folder;

    private void killAt(Point point, int overlay) {
        List<String> lines = new ArrayList<>();
        try (Child child =
                Child.start(scratch, OverlayMain.class, folder.toString(), point.name(), Integer.toString(overlay))) {
            child.readUntil(line -> line.startsWith("AT ") || line.startsWith("MISSED"), lines::add);
            child.kill(lines::add);
        }
        assertThat(lines).contains("AT " + point);
    }

    private static List<String> texts(Session session) {
        List<String> texts = new ArrayList<>();
        for (History history = session.history(); history.hasNext(); ) {
            texts.add(UiMessage.parse(history.next().content()).text());
        }
        return texts;
    }

    private static List<String> asWritten(String... more) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < OverlayMain.MESSAGES; i++) {
            texts.add(OverlayMain.text(i));
        }
        texts.addAll(List.of(more));
        return texts;
    }

    @ParameterizedTest
    @CsvSource({
        "BEFORE_OVERLAY_COMMIT, 1, 0",
        "AFTER_OVERLAY_COMMIT, 1, 1",
        "BEFORE_OVERLAY_COMMIT, 2, 1",
        "AFTER_OVERLAY_COMMIT, 2, 2"
    })
    @Tag("S45")
    void a_kill_at_a_summary_leaves_it_whole_or_not_at_all_and_costs_no_message_and_no_answer(
            Point point, int overlay, int kept) throws Exception {
        killAt(point, overlay);
        CountDownLatch looked = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger(kept);
        Summarizer summarizer = (turn, transcript, maxTokens) -> OverlayMain.summary(asked.incrementAndGet());
        try (Holdfast holdfast = Holdfast.open(folder, OverlayMain.settings(looked::await, summarizer))) {
            Session session = holdfast.sessions().get(OverlayMain.SESSION);
            assertThat(session.overlays().list()).hasSize(kept);
            assertThat(texts(session)).isEqualTo(asWritten());
            looked.countDown();

            TurnStatus end = holdfast.turns()
                    .start(OverlayMain.SESSION, OverlayMain.request())
                    .await();

            assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
            assertThat(texts(session)).isEqualTo(asWritten(OverlayMain.ANSWER));
            List<Overlay> overlays = session.overlays().list();
            assertThat(overlays).extracting(Overlay::from).containsExactly("1", "1");
            assertThat(overlays).extracting(Overlay::to).containsExactly("8", "4");
            assertThat(overlays)
                    .extracting(Overlay::summary)
                    .containsExactly(OverlayMain.summary(2), OverlayMain.summary(1));
        }
    }
}
