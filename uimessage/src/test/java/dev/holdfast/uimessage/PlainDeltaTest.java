package dev.holdfast.uimessage;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The quick reader of deltas against the reader that knows all JSON. */
class PlainDeltaTest {

    private static final String[] PIECES = {
        "a",
        " the",
        "\u00e4",
        "\u20ac",
        "\uD83D\uDE00",
        "\\n",
        "\\\"",
        "\\\\",
        "\\u0041",
        "\\uD83D",
        "\t",
        "\u007F",
        "\uFFFD",
        "}",
        "{",
        ":"
    };
    private static final String[] FORMS = {
        "{\"type\":\"text-delta\",\"id\":\"%s\",\"delta\":\"%s\"}",
        "{\"type\":\"reasoning-delta\",\"id\":\"%s\",\"delta\":\"%s\"}",
        "{\"type\":\"tool-input-delta\",\"toolCallId\":\"%s\",\"inputTextDelta\":\"%s\"}",
        "{\"type\":\"text-delta\",\"delta\":\"%s\",\"id\":\"%s\"}",
        "{\"type\":\"text-delta\",\"id\":\"%s\",\"delta\":\"%s\",\"more\":1}",
        "{\"type\":\"text-delta\",\"id\":\"%s\",\"delta\":\"%s\"} ",
        "{\"type\":\"text-end\",\"id\":\"%s\",\"delta\":\"%s\"}",
    };

    @Test
    void what_it_reads_it_reads_as_the_reader_of_all_json_does() {
        Random random = new Random(1);
        int read = 0;
        for (int i = 0; i < 200_000; i++) {
            byte[] json = FORMS[random.nextInt(FORMS.length)]
                    .formatted(text(random), text(random))
                    .getBytes(StandardCharsets.UTF_8);
            for (int damages = random.nextInt(3); damages > 0; damages--) {
                json[random.nextInt(json.length)] = (byte) random.nextInt(256);
            }
            UiChunk quick = PlainDelta.read(json);
            if (quick != null) {
                read++;
                assertThat(quick)
                        .as(new String(json, StandardCharsets.ISO_8859_1))
                        .isEqualTo(UiChunkReader.read(UiJson.readChunk(json)));
            }
        }
        assertThat(read).isGreaterThan(10_000);
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(4); i > 0; i--) {
            text.append(PIECES[random.nextInt(PIECES.length)]);
        }
        return text.toString();
    }

    @Test
    void what_the_library_writes_is_read_quickly() {
        for (UiChunk chunk : new UiChunk[] {
            new UiChunk.TextDelta("t1", "Gr\u00fc\u00dfe, \"\uD83D\uDE00\"\n\\"),
            new UiChunk.ReasoningDelta("r", ""),
            new UiChunk.ToolInputDelta("call_1", "[1, 2]")
        }) {
            assertThat(PlainDelta.read(chunk.toBytes())).isEqualTo(chunk);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{\"type\":\"text-delta\",\"id\":\"",
                "{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"",
                "{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"x",
                "{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"x\"",
                "{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"x\"}}",
                "{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"\\u0041\"}",
                "{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"\n\"}"
            })
    void anything_else_is_left_to_the_other_reader(String json) {
        assertThat(PlainDelta.read(json.getBytes(StandardCharsets.UTF_8))).isNull();
    }
}
