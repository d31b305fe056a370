package dev.holdfast.verification.chat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.models.loopback.LoopbackUpstream;
import dev.holdfast.models.loopback.Pace;
import dev.holdfast.verification.rig.Script;
import dev.holdfast.verification.rig.ServerProcess;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The chat wire of a server process at a path of its own; {@code clients.test.mjs} does the same with the published transports. */
final class CustomPathTest {

    private static final String PATH = "/apps/support/talk";

    @TempDir
    private Path scratch;

    @Test
    @Tag("wire-path")
    @Tag("row-5")
    @Tag("row-9")
    void a_message_a_reload_a_load_and_a_stop_are_answered_where_the_path_says_and_nowhere_else() throws Exception {
        ChatPage page = new ChatPage("c", PATH);
        try (LoopbackUpstream upstream = LoopbackUpstream.start(Pace.gated())) {
            upstream.script(request -> Optional.of(Script.last()));
            try (ServerProcess server = ServerProcess.start(
                    scratch,
                    scratch.resolve("data"),
                    0,
                    "--chat-path",
                    PATH,
                    "--model-url",
                    upstream.baseUrl().toString(),
                    "--model-name",
                    "m")) {
                URI uri = server.uri();
                upstream.release(1);
                try (ChatPage.Answer answer = page.post(uri, "Hi");
                        ChatPage.Answer elsewhere = new ChatPage("c").post(uri, "Hi")) {
                    assertThat(elsewhere.status()).isEqualTo(404);
                    assertThat(answer.readTo("It is so.")).isTrue();
                    assertThat(page.load(uri).get("live").booleanValue()).isTrue();
                    try (ChatPage.Answer resumed = page.resume(uri)) {
                        assertThat(resumed.readTo("It is so.")).isTrue();
                        assertThat(page.stop(uri).get("accepted").booleanValue())
                                .isTrue();
                        assertThat(resumed.readTo("[DONE]")).isTrue();
                    }
                    assertThat(answer.readTo("[DONE]")).isTrue();
                }
                JsonNode loaded = page.load(uri);
                assertThat(loaded.get("turn").get("state").stringValue()).isEqualTo("stopped");
                assertThat(ChatPage.texts(loaded)).containsExactly("Hi", "It is so.");
                try (ChatPage.Answer nothing = page.resume(uri)) {
                    assertThat(nothing.status()).isEqualTo(204);
                }
            }
        }
    }
}
