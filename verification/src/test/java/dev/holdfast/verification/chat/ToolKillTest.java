package dev.holdfast.verification.chat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.models.loopback.LoopbackUpstream;
import dev.holdfast.models.loopback.Pace;
import dev.holdfast.verification.rig.Child;
import dev.holdfast.verification.rig.Script;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A server process that is killed while tools of the server run. */
final class ToolKillTest {

    @TempDir
    private Path scratch;

    private final ChatPage page = new ChatPage("c");

    private Child start(LoopbackUpstream upstream, AtomicReference<URI> address) {
        Child child = Child.start(
                scratch,
                ToolMain.class,
                scratch.resolve("data").toString(),
                upstream.baseUrl().toString(),
                scratch.resolve("ran").toString());
        child.readUntil(line -> line.startsWith("http://"), line -> {
            if (line.startsWith("http://")) {
                address.set(URI.create(line));
            }
        });
        return child;
    }

    @Test
    @Tag("wire-tools")
    @Tag("S51")
    void results_that_were_there_are_kept_and_what_ran_is_closed_as_interrupted_and_not_run_again_S92()
            throws Exception {
        AtomicReference<URI> address = new AtomicReference<>();
        try (LoopbackUpstream upstream = LoopbackUpstream.start(Pace.unlimited())) {
            upstream.script(Script::weather);
            try (Child child = start(upstream, address);
                    ChatPage.Answer answer = page.post(address.get(), "Is it warm?")) {
                assertThat(answer.readTo("warm in Paris")).isTrue();
                child.kill(line -> {});
            }
            JsonNode loaded;
            Child again = start(upstream, address);
            try {
                loaded = page.outcome(address.get());
            } finally {
                again.close();
            }
            assertThat(loaded.get("turn").get("state").stringValue()).isEqualTo("completed");
            assertThat(ChatPage.texts(loaded)).containsExactly("Is it warm?", "It is so.");
            List<JsonNode> calls = loaded.get("messages")
                    .get(1)
                    .get("parts")
                    .valueStream()
                    .filter(part -> part.has("toolCallId"))
                    .toList();
            assertThat(calls)
                    .extracting(call -> call.get("state").stringValue())
                    .containsExactly("output-available", "output-error");
            assertThat(calls.get(1).get("errorText").stringValue()).contains("interrupted");
            assertThat(Files.readAllLines(scratch.resolve("ran")))
                    .doesNotHaveDuplicates()
                    .contains("c/m1/c1");
            assertThat(upstream.requests()).hasSize(2);
            assertThat(upstream.requests().get(1).body()).contains("warm in Paris", "interrupted");
        }
    }
}
