package dev.holdfast.mcp.streamable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpSchema.ElicitFormRequest;
import io.modelcontextprotocol.spec.McpSchema.ElicitRequest;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SdkJsonTest {

    private static final ElicitFormRequest FORM =
            ElicitFormRequest.builder("Who?", Map.of("type", "object")).build();

    @Test
    void a_question_to_the_user_is_written_with_its_mode_once_and_read_again() throws Exception {
        String json = SdkJson.mapper().writeValueAsString(FORM);
        assertThat(json).containsOnlyOnce("\"mode\":\"form\"");
        assertThat(SdkJson.mapper().readValue(json, ElicitRequest.class)).isEqualTo(FORM);
        assertThat(SdkJson.mapper().readValue("{\"message\":\"Who?\",\"requestedSchema\":{}}", ElicitRequest.class))
                .isInstanceOf(ElicitFormRequest.class);
    }

    /** Why {@link SdkJson} is there; once this fails, it need not be. */
    @Test
    void the_sdks_own_mapper_cannot_write_it_with_this_jackson() {
        assertThatThrownBy(() -> McpJsonDefaults.getMapper().writeValueAsString(FORM))
                .hasRootCauseMessage(
                        "Conflict between type id property 'mode' and bean property with same name; consider using `JsonTypeInfo.As.EXISTING_PROPERTY` to avoid duplication\n"
                                + " at [No location information]");
    }
}
