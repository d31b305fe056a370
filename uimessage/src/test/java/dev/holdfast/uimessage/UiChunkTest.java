package dev.holdfast.uimessage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class UiChunkTest {

    @Test
    void fields_that_a_type_does_not_define_are_kept() {
        byte[] json =
                ClientData.bytes("{'type':'text-delta','id':'t','delta':'x','seq':12,'nested':{'a':[1.10,null]}}");
        UiChunk chunk = UiChunk.parse(json);
        assertThat(chunk)
                .isInstanceOfSatisfying(
                        UiChunk.TextDelta.class, c -> assertThat(c.delta()).isEqualTo("x"));
        assertThat(chunk.extra()).containsOnlyKeys("seq", "nested");
        assertThat(new String(chunk.toBytes(), StandardCharsets.UTF_8)).contains("1.10");
        assertThat(ClientData.tree(chunk.toBytes())).isEqualTo(ClientData.tree(json));
    }

    @Test
    void an_unknown_type_is_kept_whole_and_accepted_by_no_client() {
        byte[] json = ClientData.bytes("{'type':'hologram','beam':[1,2]}");
        UiChunk chunk = UiChunk.parse(json);
        assertThat(chunk).isInstanceOf(UiChunk.Unknown.class);
        assertThat(chunk.acceptedBy(7)).isFalse();
        assertThat(ClientData.tree(chunk.toBytes())).isEqualTo(ClientData.tree(json));
    }

    @Test
    void half_of_a_surrogate_pair_passes_as_it_came() {
        byte[] json = ClientData.bytes("{'type':'text-delta','id':'t','delta':'\\ud83c'}");
        assertThat(ClientData.tree(UiChunk.parse(json).toBytes())).isEqualTo(ClientData.tree(json));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {'type':'start'}                                                       | 5
            {'type':'abort','reason':'x'}                                          | 5
            {'type':'finish'}                                                      | 5
            {'type':'finish','finishReason':'interrupted'}                         | 7
            {'type':'tool-approval-request','approvalId':'a','toolCallId':'c'}     | 6
            {'type':'tool-output-denied','toolCallId':'c'}                         | 6
            {'type':'tool-approval-response','approvalId':'a','approved':false}    | 7
            {'type':'reset-step'}                                                  | 7
            {'type':'custom','kind':'a.b'}                                         | 7
            {'type':'reasoning-file','url':'u','mediaType':'m'}                    | 7
            {'type':'steering-message','id':'s','parts':[]}                        | 7
            """, quoteCharacter = '`')
    void a_type_tells_the_first_client_that_accepts_it(String json, int major) {
        UiChunk chunk = UiChunk.parse(ClientData.bytes(json));
        assertThat(chunk.firstMajor()).isEqualTo(major);
        assertThat(chunk.acceptedBy(major)).isTrue();
        assertThat(chunk.acceptedBy(major - 1)).isEqualTo(false);
    }

    @Test
    void the_finish_reason_unknown_is_accepted_by_client_5_alone() {
        UiChunk chunk = new UiChunk.Finish("unknown");
        assertThat(chunk.acceptedBy(5)).isTrue();
        assertThat(chunk.acceptedBy(6)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{'type':1}",
                "{'delta':'x'}",
                "{'type':'text-delta','id':'t'}",
                "{'type':'text-delta','id':1,'delta':'x'}",
                "{'type':'text-delta','id':'t','delta':null}",
                "{'type':'finish','finishReason':'bored'}",
                "{'type':'tool-input-start','toolCallId':'c','toolName':'n','dynamic':'yes'}",
                "{'type':'text-start','id':'t','providerMetadata':7}",
                "{'type':'text-start','id':'t'} trailing",
                "{'type':'text-start','id':'t'",
            })
    void what_the_clients_refuse_is_refused(String json) {
        assertThatThrownBy(() -> UiChunk.parse(ClientData.bytes(json)))
                .isInstanceOf(InvalidUiJson.class)
                .hasMessageMatching("(?s).*chunk.*");
    }

    @Test
    void nesting_is_bounded() {
        String json = "{\"type\":\"data-x\",\"data\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}";
        assertThatThrownBy(() -> UiChunk.parse(json.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(InvalidUiJson.class)
                .hasMessageContaining("depth");
    }

    @Test
    void length_is_bounded() {
        assertThatThrownBy(() -> UiChunk.parse(new byte[UiLimits.MAX_CHUNK_BYTES + 1]))
                .isInstanceOf(InvalidUiJson.class)
                .hasMessageContaining(String.valueOf(UiLimits.MAX_CHUNK_BYTES));
    }

    @Test
    void invalid_utf_8_is_refused() {
        byte[] json = ClientData.bytes("{'type':'error','errorText':'?'}");
        json[json.length - 3] = (byte) 0xC3;
        assertThatThrownBy(() -> UiChunk.parse(json)).isInstanceOf(InvalidUiJson.class);
    }

    @Test
    void a_chunk_is_written_with_the_fields_that_are_set() {
        assertThat(ClientData.tree(new UiChunk.ToolInputStart("c", "search", ToolTraits.OF_PROVIDER).toBytes()))
                .isEqualTo(
                        ClientData.tree(
                                "{'type':'tool-input-start','toolCallId':'c','toolName':'search','providerExecuted':true,'dynamic':true}"));
        assertThat(ClientData.tree(new UiChunk.StartStep(Map.of()).toBytes()))
                .isEqualTo(ClientData.tree("{'type':'start-step'}"));
    }
}
