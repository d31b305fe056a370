package dev.holdfast.http.session;

import static dev.holdfast.http.session.Wire.command;
import static dev.holdfast.http.session.Wire.json;
import static dev.holdfast.http.session.Wire.watching;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What many connections, and one that takes nothing, may cost the process (BOUNDED). */
@ParameterizedClass
@EnumSource
final class BoundsTest {

    private final Where where;

    private static final int EXCHANGES = 20;

    @TempDir
    private Path folder;

    BoundsTest(Where where) {
        this.where = where;
    }

    @Test
    void those_who_are_connected_can_still_send_when_no_more_are_let_in() throws Exception {
        try (Wire wire = Wire.open(where, folder, Plan.plain().withMaxExchanges(EXCHANGES))) {
            int most = EXCHANGES * TransportLimits.MAX_SHARE_OF_EXCHANGES / 100;
            List<Line> lines = new ArrayList<>();
            for (int i = 0; i < most; i++) {
                lines.add(wire.connect());
            }
            HttpResponse<String> refused = wire.http.get(SessionTransport.PATH);
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
            for (Line line : lines) {
                line.done(command("probe").put("nonce", "n"));
                line.next("probe");
                line.close();
            }
        }
    }

    @Test
    void watches_of_a_client_that_takes_nothing_are_refused_once_too_many_wait() throws Exception {
        try (Wire wire = Wire.open(where, folder);
                Socket asleep = wire.http.connect()) {
            asleep.setReceiveBufferSize(1024);
            asleep.getOutputStream()
                    .write("GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
                            .formatted(SessionTransport.PATH)
                            .getBytes(StandardCharsets.US_ASCII));
            String head = SseOnlyTest.read(asleep.getInputStream(), "heartbeatMillis");
            String id = head.substring(head.indexOf("conn-"), head.indexOf("\",\"heartbeat"));
            wire.there.create("s");
            wire.there.append(
                    "s",
                    "m",
                    "{\"id\":\"m\",\"role\":\"user\",\"parts\":[],\"x\":\"%s\"}".formatted("x".repeat(900_000)));
            int status = 200;
            int tries = 0;
            while (status == 200 && tries++ < 10 * TransportLimits.MAX_WATCHED) {
                HttpResponse<String> answer = wire.post(id, watching("s", null).toString());
                status = answer.statusCode();
                if (status != 200) {
                    assertThat(json(answer.body()).get("type").stringValue()).endsWith("overloaded");
                }
            }
            assertThat(status).isEqualTo(503);
        }
    }

    @Test
    void what_a_hidden_page_watches_anew_is_let_go_while_it_is_hidden() throws Exception {
        try (Wire wire = Wire.open(where, folder);
                Line line = wire.connect()) {
            wire.there.create("s");
            line.done(command("suspend"));
            for (int i = 0; i < 4 * TransportLimits.MAX_WATCHED; i++) {
                line.done(watching("s", null));
                line.done(command("probe").put("nonce", "n")); // the writer has been there when this comes
                line.next("probe");
            }
            line.done(command("resume"));
            assertThat(line.next("attached").get("session").stringValue()).isEqualTo("s");
        }
    }
}
