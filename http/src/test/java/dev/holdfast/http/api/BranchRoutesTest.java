package dev.holdfast.http.api;

import static dev.holdfast.http.api.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.servlet.Binding;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.Session;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

@ParameterizedClass
@EnumSource(Binding.class)
final class BranchRoutesTest {

    private final Binding binding;

    @TempDir
    private Path folder;

    private Api api;
    private Session session;

    BranchRoutesTest(Binding binding) {
        this.binding = binding;
    }

    @BeforeEach
    void start() throws Exception {
        api = new Api(folder, binding);
        session = api.holdfast.sessions().create("s");
        session.append(MessageDraft.of("question", "user", "?"));
        session.append(MessageDraft.of("first", "assistant", "1"));
        session.append(MessageDraft.of("more", "user", "and?"));
        session.append(MessageDraft.of("second", "assistant", "2").under("question"));
    }

    @AfterEach
    void stop() {
        api.close();
    }

    private List<String> branches(String query) throws Exception {
        JsonNode body = json(api.server.get("/api/v1/sessions/s/branches" + query));
        List<String> found = new ArrayList<>();
        for (JsonNode parting : body.get("branches")) {
            String parent = parting.get("parentId").isNull()
                    ? "root"
                    : parting.get("parentId").stringValue();
            parting.get("messages")
                    .forEach(message ->
                            found.add(parent + ": " + message.get("id").stringValue() + " to "
                                    + message.get("leafId").stringValue()));
        }
        return found;
    }

    @Test
    void where_a_conversation_parts_each_branch_is_shown_with_its_end() throws Exception {
        assertThat(branches("")).containsExactly("question: first to more", "question: second to second");
        assertThat(branches("?leaf=more")).containsExactly("question: first to more", "question: second to second");
    }

    private List<String> through(String query) throws Exception {
        List<String> found = new ArrayList<>();
        json(api.server.get("/api/v1/sessions/s/messages?" + query))
                .get("messages")
                .forEach(message -> found.add(message.get("id").stringValue()));
        return found;
    }

    @Test
    void a_path_through_a_message_goes_on_to_the_end_of_the_newest_conversation_below_it() throws Exception {
        session.append(MessageDraft.of("answer", "assistant", "so").under("more"));
        session.append(MessageDraft.of("again", "assistant", "so!").under("more"));
        session.append(MessageDraft.of("newest", "user", "thanks").under("second"));

        assertThat(through("through=first")).containsExactly("again", "more", "first", "question");
        assertThat(through("through=answer")).containsExactly("answer", "more", "first", "question");
        assertThat(through("through=first&order=root")).containsExactly("question", "first", "more", "again");
        JsonNode page = json(api.server.get("/api/v1/sessions/s/messages?through=first&limit=2"));
        assertThat(page.get("messages").get(1).get("id").stringValue()).isEqualTo("more");
        assertThat(json(api.server.get(page.get("next").stringValue()))
                        .get("messages")
                        .get(0)
                        .get("id")
                        .stringValue())
                .isEqualTo("first");
        assertThat(api.server.get("/api/v1/sessions/s/messages?through=none").statusCode())
                .isEqualTo(404);
        assertThat(api.server
                        .get("/api/v1/sessions/s/messages?through=first&leaf=more")
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void messages_that_begin_a_session_are_branches_of_each_other() throws Exception {
        session.append(MessageDraft.of("other", "user", "!").asRoot());
        assertThat(branches("")).containsExactly("root: question to second", "root: other to other");
    }

    @Test
    void only_so_many_messages_are_looked_at() throws Exception {
        session.append(MessageDraft.of("third", "user", "3"));
        assertThat(branches("?limit=1")).isEmpty();
        assertThat(branches("?limit=2")).hasSize(2);
        assertThat(api.server.get("/api/v1/sessions/s/branches?limit=501").statusCode())
                .isEqualTo(400);
    }

    @Test
    void a_session_or_message_that_is_not_there_is_said_to_be_so() throws Exception {
        assertThat(api.server.get("/api/v1/sessions/none/branches").statusCode())
                .isEqualTo(404);
        assertThat(api.server.get("/api/v1/sessions/s/branches?leaf=none").statusCode())
                .isEqualTo(404);
    }
}
