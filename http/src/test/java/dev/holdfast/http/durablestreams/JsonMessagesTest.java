package dev.holdfast.http.durablestreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** JSON bodies are cut strictly and never written anew. */
final class JsonMessagesTest {

    private static final long SEED = 20_241_009;

    private static List<String> cut(String body) throws InvalidJson {
        return JsonMessages.of(body.getBytes(StandardCharsets.UTF_8)).stream()
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                .toList();
    }

    @Test
    void a_value_is_one_message_and_an_array_is_cut_one_level_deep() throws Exception {
        assertThat(cut("{\"a\":1}")).containsExactly("{\"a\":1}");
        assertThat(cut(" \r\n\t7 ")).containsExactly("7");
        assertThat(cut("[]")).isEmpty();
        assertThat(cut("[ ]")).isEmpty();
        assertThat(cut("[1, \"a,]\" ,null,[2,3],{\"x\":[]}]"))
                .containsExactly("1", "\"a,]\"", "null", "[2,3]", "{\"x\":[]}");
        assertThat(cut("[[1,2]]")).containsExactly("[1,2]");
    }

    @Test
    void every_message_keeps_its_own_bytes() throws Exception {
        assertThat(cut("[ 12345678901234567890123456789.00 , 1E+400 ,-0, {\"b\" :\n 1,\"b\":2}, \"\\u00e9\\/é😀\" ]"))
                .containsExactly(
                        "12345678901234567890123456789.00",
                        "1E+400",
                        "-0",
                        "{\"b\" :\n 1,\"b\":2}",
                        "\"\\u00e9\\/é😀\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", " ", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
                        "{a:1}",
                "{'a':1}", "1 2", "[] []", "01", "-", "+1", ".5", "1.", "1e", "1e+", "0x10", "NaN", "Infinity", "tru",
                "True", "nulll", "\"", "\"\\x\"", "\"\\u12g4\"", "\"\n\"", "\"\t\"", "// a\n1", "[1]x", "\uFEFF1",
                        "{\"a\":1]"
            })
    void what_is_no_json_is_refused(String body) {
        assertThatThrownBy(() -> cut(body)).isInstanceOf(InvalidJson.class);
    }

    @Test
    void nesting_is_bounded() throws Exception {
        int most = JsonMessages.MAX_DEPTH;
        assertThat(cut("[".repeat(most) + "]".repeat(most))).hasSize(1);
        assertThatThrownBy(() -> cut("[".repeat(most + 1) + "]".repeat(most + 1)))
                .isInstanceOf(InvalidJson.class);
        assertThatThrownBy(() -> cut("{\"a\":".repeat(100_000))).isInstanceOf(InvalidJson.class);
    }

    @Test
    void strings_are_strict_utf8() {
        for (int[] bad : new int[][] {
            {0x80},
            {0xc0, 0xaf},
            {0xe0, 0x80, 0xaf},
            {0xed, 0xa0, 0x80},
            {0xf5, 0x80, 0x80, 0x80},
            {0xf4, 0x90, 0x80, 0x80},
            {0xe2, 0x82},
            {0xff}
        }) {
            byte[] body = new byte[bad.length + 2];
            body[0] = '"';
            body[body.length - 1] = '"';
            for (int i = 0; i < bad.length; i++) {
                body[i + 1] = (byte) bad[i];
            }
            assertThatThrownBy(() -> JsonMessages.of(body)).isInstanceOf(InvalidJson.class);
        }
    }

    /** What another parser, made strict, thinks of the same bytes. */
    @Test
    void it_agrees_with_another_parser_about_mangled_documents() {
        JsonMapper other = JsonMapper.builder(JsonFactory.builder()
                        .disable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                        .build())
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .build();
        Random random = new Random(SEED);
        byte[] alphabet = "[]{}\",:\\ntrufalse0123.-+eE \nx".getBytes(StandardCharsets.US_ASCII);
        byte[] document = "[{\"a\":[1,-2.5e3,null],\"b\":\"x\\n\\u0041\"},true,false,[],{},\"\",0]"
                .getBytes(StandardCharsets.US_ASCII);
        for (int run = 0; run < 50_000; run++) {
            byte[] mangled = document.clone();
            for (int i = random.nextInt(3); i >= 0; i--) {
                mangled[random.nextInt(mangled.length)] = alphabet[random.nextInt(alphabet.length)];
            }
            assertThat(accepts(mangled))
                    .as("run %d of seed %d: %s", run, SEED, new String(mangled, StandardCharsets.US_ASCII))
                    .isEqualTo(accepts(other, mangled));
        }
    }

    private static boolean accepts(byte[] body) {
        try {
            JsonMessages.of(body);
            return true;
        } catch (InvalidJson e) {
            return false;
        }
    }

    private static boolean accepts(JsonMapper other, byte[] body) {
        try {
            other.readTree(body);
            return true;
        } catch (JacksonException e) {
            return false;
        }
    }
}
