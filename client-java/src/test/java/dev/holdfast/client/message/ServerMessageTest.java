package dev.holdfast.client.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the server says, against the schema and the documentation. */
final class ServerMessageTest {

    private static final SessionSchema SCHEMA = new SessionSchema();
    private static final Path PAGE = Path.of("..", "docs", "wires", "session.md");
    private static final Pattern EXAMPLE = Pattern.compile("(?ms)^```json\\n(.*?)^```");

    private static final String STORED =
            "{'id':'m1','parentId':null,'role':'user','content':{'id':'m1','role':'user','parts':[{'type':'text','text':'1.10'}]},"
                    + "'createdAt':'2026-01-01T00:00:00Z','updatedAt':'2026-01-01T00:00:00.123456Z'}";
    private static final String WHEN = "'seq':4,'at':'2026-01-01T00:00:00Z'";
    private static final String PENDING = "{'toolCallId':'c','toolName':'t','approval':true,'input':{'n':1.50}}";

    /** Each kind, with as much and as little as the schema allows. */
    private static final List<String> EVENTS = List.of(
            "{'kind':'message-added'," + WHEN + ",'messageId':'m1','turn':null,'message':" + STORED + ",'moved':true}",
            "{'kind':'message-added'," + WHEN + ",'messageId':'m1','turn':'t','message':null}",
            "{'kind':'message-updated'," + WHEN + ",'messageId':'m1','turn':'t','message':" + STORED + "}",
            "{'kind':'message-deleted'," + WHEN + ",'messageId':'m1'}",
            "{'kind':'messages-cleared'," + WHEN + "}",
            "{'kind':'turn-started'," + WHEN + ",'turn':'t','messageId':'m2','streaming':true}",
            "{'kind':'turn-started'," + WHEN + ",'turn':'t','streaming':false}",
            "{'kind':'stream-opened','turn':'t','messageId':'m2'}",
            "{'kind':'chunk','turn':'t','seq':0,'data':{'type':'start','messageId':'m2','big':12345678901234567890.1234567890}}",
            "{'kind':'chunk','turn':'t','data':'text of another agent'}",
            "{'kind':'chunk','turn':'t','seq':3,'data':null}",
            "{'kind':'turn-awaiting'," + WHEN + ",'turn':'t','messageId':'m2','reason':'r','pending':[" + PENDING
                    + "]}",
            "{'kind':'turn-awaiting'," + WHEN + ",'turn':'t','pending':[]}",
            "{'kind':'turn-stopping'," + WHEN + ",'turn':'t','reason':'r'}",
            "{'kind':'turn-recovering'," + WHEN + ",'turn':'t'}",
            "{'kind':'turn-ended'," + WHEN + ",'turn':'t','messageId':'m2','outcome':'completed'}",
            "{'kind':'turn-ended'," + WHEN + ",'turn':'t','outcome':'failed','reason':'r'}",
            "{'kind':'property-changed'," + WHEN + ",'name':'live.boot'}",
            "{'kind':'mode-changed'," + WHEN + ",'mode':null}",
            "{'kind':'mode-changed'," + WHEN + ",'mode':'plan'}",
            "{'kind':'session-closed'," + WHEN + ",'reason':'r'}",
            "{'kind':'session-reopened'," + WHEN + "}");

    static List<String> frames() throws IOException {
        List<String> frames = new ArrayList<>();
        for (String event : EVENTS) {
            frames.add("{'type':'events','session':'s','from':'a','cursor':'b','events':[" + event + "]}");
        }
        String problem = "{'type':'urn:holdfast:problem:overloaded','title':'t','status':503,'detail':'d'}";
        frames.addAll(List.of(
                "{'type':'welcome','protocol':1,'connection':'conn-1','heartbeatMillis':15000,'retryMillis':2000,'rotateAfterMillis':0}",
                "{'type':'attached','session':'s','answer':'ok','cursor':'a','turns':[],'driver':'none','mode':null,'closed':false}",
                "{'type':'attached','session':'s','answer':'snapshot','why':'too-old','cursor':'a','snapshot':{'messages':["
                        + STORED
                        + "],'truncated':true},'turns':[{'id':'t','state':'awaiting','messageId':'m2','pending':["
                        + PENDING + "]}],'driver':'you','mode':'plan','closed':true,'boot':{'greeting':'hi'}}",
                "{'type':'detached','session':'s','reason':'unwatched'}",
                "{'type':'detached','session':'s','reason':'not-authorized','problem':" + problem + "}",
                "{'type':'driver','session':'s','driver':'other','displaced':true}",
                "{'type':'driver','session':'s','driver':'none'}",
                "{'type':'reply','id':'1','status':200,'result':{'attached':true}}",
                "{'type':'reply','id':'1','status':503,'problem':" + problem.replace("}", ",'retryAfterSeconds':3}")
                        + "}",
                "{'type':'probe','nonce':'n'}",
                "{'type':'heartbeat'}",
                "{'type':'rotate','reason':'draining','retryMillis':500}",
                "{'type':'goodbye','reason':'left'}"));
        frames.replaceAll(frame -> frame.replace('\'', '"'));
        EXAMPLE.matcher(Files.readString(PAGE))
                .results()
                .flatMap(block -> block.group(1).replace("\n ", " ").lines())
                .forEach(frames::add);
        return frames;
    }

    @ParameterizedTest
    @MethodSource("frames")
    void every_frame_is_read_and_written_again_as_it_was(String frame) {
        assertThat(SCHEMA.faults("ServerMessage", frame)).isEmpty();
        ServerMessage message = MessageJson.parse(frame);
        assertThat(message).isNotInstanceOf(ServerMessage.Unknown.class);
        assertThat(MessageJson.tree(MessageJson.write(message))).isEqualTo(MessageJson.tree(frame));
    }

    @Test
    void every_type_and_kind_of_the_schema_is_among_them() throws IOException {
        Set<String> types = new TreeSet<>();
        Set<String> kinds = new TreeSet<>();
        for (String frame : frames()) {
            ServerMessage message = MessageJson.parse(frame);
            types.add(message.type());
            if (message instanceof ServerMessage.Events events) {
                events.events().forEach(event -> kinds.add(event.kind()));
                assertThat(events.events()).noneMatch(SessionEvent.Unknown.class::isInstance);
            }
        }
        assertThat(types).isEqualTo(SCHEMA.names("ServerMessage", "type"));
        assertThat(kinds).isEqualTo(SCHEMA.names("SessionEvent", "kind"));
    }

    @Test
    void types_kinds_values_and_fields_of_a_newer_server_are_passed_over() {
        assertThat(MessageJson.parse("{\"type\":\"confetti\",\"colour\":\"red\"}"))
                .isInstanceOfSatisfying(ServerMessage.Unknown.class, unknown -> {
                    assertThat(unknown.type()).isEqualTo("confetti");
                    assertThat(unknown.json().path("colour").asString()).isEqualTo("red");
                });
        assertThat(MessageJson.parse("{\"type\":\"probe\",\"nonce\":\"n\",\"more\":[1]}"))
                .isEqualTo(new ServerMessage.Probe("n"));
        assertThat(MessageJson.parse("{\"type\":\"detached\",\"session\":\"s\",\"reason\":\"moon\"}"))
                .isEqualTo(new ServerMessage.Detached("s", ServerMessage.Detached.DetachReason.UNKNOWN, null));
        String events =
                "{\"type\":\"events\",\"session\":\"s\",\"from\":\"a\",\"cursor\":\"b\",\"events\":[{\"kind\":\"rain\",\"mm\":3}]}";
        assertThat(MessageJson.parse(events))
                .isInstanceOfSatisfying(
                        ServerMessage.Events.class,
                        message -> assertThat(message.events().getFirst())
                                .isInstanceOfSatisfying(
                                        SessionEvent.Unknown.class,
                                        rain -> assertThat(rain.kind()).isEqualTo("rain")));
        assertThat(MessageJson.tree(MessageJson.write(MessageJson.parse(events))))
                .isEqualTo(MessageJson.tree(events));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "7",
                "[]",
                "{}",
                "{\"type\":7}",
                "{\"type\":\"probe\"}",
                "{\"type\":\"probe\",\"nonce\":\"n\"} {}",
                "{\"type\":\"attached\",\"session\":\"s\",\"answer\":\"perhaps\",\"cursor\":\"a\",\"turns\":[],\"driver\":\"none\",\"closed\":false}",
                "{\"type\":\"attached\",\"session\":\"s\",\"answer\":\"snapshot\",\"cursor\":\"a\",\"turns\":[],\"driver\":\"none\",\"closed\":false}",
                "{\"type\":\"events\",\"session\":\"s\",\"from\":\"a\",\"cursor\":\"b\"}",
                "{\"type\":\"events\",\"session\":\"s\",\"from\":\"a\",\"cursor\":\"b\",\"events\":[{\"kind\":\"chunk\"}]}"
            })
    void what_is_no_message_is_refused_in_one_sentence(String frame) {
        assertThatThrownBy(() -> MessageJson.parse(frame))
                .isInstanceOf(MalformedMessage.class)
                .hasMessageStartingWith("The server sent")
                .message()
                .hasLineCount(1);
    }
}
