package dev.holdfast.client.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.client.message.ClientMessage.Position;
import dev.holdfast.client.message.TurnDraft.Policy;
import dev.holdfast.client.message.TurnDraft.UserMessage;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** What a client can say, against the schema. */
final class ClientMessageTest {

    private static final SessionSchema SCHEMA = new SessionSchema();
    private static final JsonNode JSON = MessageJson.tree("{\"a\":[1,null]}");

    static List<ClientMessage> commands() {
        TurnDraft text = TurnDraft.text("Hello");
        UserMessage whole = new UserMessage(
                "m1", "user", MessageJson.tree("{\"id\":\"m1\",\"role\":\"user\",\"parts\":[]}"), null, "m0", "m2");
        TurnDraft full = new TurnDraft("t", "demo", whole, null, JSON, "a1", Policy.DEBOUNCE, 750);
        return List.of(
                new ClientMessage.Reconnect("1", List.of(new Position("s", null), new Position("t", "AQ"))),
                new ClientMessage.Reconnect("1", List.of()),
                new ClientMessage.Watch("1", "s", null),
                new ClientMessage.Watch("1", "s", "AQ"),
                new ClientMessage.Unwatch("1", "s"),
                new ClientMessage.Switch("1", null, null),
                new ClientMessage.Switch("1", "s", "AQ"),
                new ClientMessage.Send("1", null, null, text),
                new ClientMessage.Send("1", "s", true, full),
                new ClientMessage.Send(
                        "1", "s", false, new TurnDraft(null, null, null, "a1", null, null, Policy.QUEUE, null)),
                new ClientMessage.Interrupt(
                        "1", "s", true, text.withId("t").withUserMessageId("m").withPolicy(Policy.MERGE)),
                new ClientMessage.Interrupt(
                        "1", null, null, TurnDraft.answer().withAgent("demo").withInput(JSON)),
                new ClientMessage.Stop("1", "s", null, null),
                new ClientMessage.Stop("1", "s", "t", "enough"),
                new ClientMessage.Answer("1", "s", "t", ToolAnswer.output("c", JSON)),
                new ClientMessage.Answer("1", "s", "t", ToolAnswer.error("c", "off")),
                new ClientMessage.Answer("1", "s", "t", ToolAnswer.approve("c")),
                new ClientMessage.Answer("1", "s", "t", ToolAnswer.deny("c", "no")),
                new ClientMessage.Answer("1", "s", "t", ToolAnswer.deny("c", null)),
                new ClientMessage.Mode("1", "s", "plan"),
                new ClientMessage.Suspend("1"),
                new ClientMessage.Resume("1"),
                new ClientMessage.Close("1", "s", null),
                new ClientMessage.Close("1", "s", "done"),
                new ClientMessage.Probe("1", "n"),
                new ClientMessage.Bye("1"));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void every_command_is_one_of_the_schema(ClientMessage command) {
        assertThat(SCHEMA.faults("ClientMessage", MessageJson.write(command))).isEmpty();
    }

    @Test
    void every_command_of_the_schema_is_among_them() {
        Set<String> types = commands().stream().map(ClientMessage::type).collect(Collectors.toSet());
        assertThat(types).isEqualTo(SCHEMA.names("ClientMessage", "type"));
    }

    @Test
    void the_schema_refuses_what_it_does_not_know() {
        // What validates must be able to fail: the schema is closed for commands.
        assertThat(SCHEMA.faults("ClientMessage", "{\"type\":\"bye\",\"id\":\"1\",\"more\":1}"))
                .isNotEmpty();
        assertThat(SCHEMA.faults("ServerMessage", "{\"type\":\"probe\"}")).isNotEmpty();
    }

    @Test
    void results_are_read() {
        assertThat(MessageJson.convert(
                        MessageJson.tree(
                                "{\"session\":\"s\",\"turn\":\"t\",\"state\":\"streaming\",\"messageId\":\"m\",\"started\":true,\"new\":1}"),
                        Receipt.class))
                .isEqualTo(new Receipt("s", "t", TurnState.STREAMING, "m", true));
        assertThat(MessageJson.convert(
                        MessageJson.tree("{\"accepted\":false,\"turn\":null,\"state\":null}"), Results.Stopped.class))
                .isEqualTo(new Results.Stopped(false, null, null));
        assertThatThrownBy(() -> MessageJson.convert(MessageJson.tree("{\"session\":\"s\"}"), Receipt.class))
                .isInstanceOf(MalformedMessage.class);
    }

    @Test
    void an_id_that_is_too_long_is_refused() {
        assertThatThrownBy(() -> new ClientMessage.Bye("x".repeat(65)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("64");
    }
}
