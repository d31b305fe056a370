package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What {@link Exchange} promises of bodies: those that come, that do not, and that nobody reads. */
public abstract class BodyContract extends ApartContract {

    @Test
    void a_refused_request_whose_body_did_not_come_announces_that_its_connection_is_closed() throws Exception {
        try (RunningServer server = start();
                Socket socket = server.connect()) {
            send(socket, line("POST", "/nowhere") + "Content-Length: 2\r\n\r\n");

            String answer = head(socket.getInputStream());

            assertThat(answer).startsWith("HTTP/1.1 404").containsIgnoringCase("connection: close");
        }
    }

    @Test
    void a_refused_request_whose_body_came_keeps_its_connection() throws Exception {
        try (RunningServer server = start()) {
            String both = line("POST", "/nowhere") + "Content-Length: 2\r\n\r\n{}" + line("GET", "/quick")
                    + "Connection: close\r\n\r\n";

            assertThat(server.raw(both)).contains("HTTP/1.1 404").contains("HTTP/1.1 200");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = HttpClient.Version.class,
            names = {"HTTP_1_1", "HTTP_2"})
    void bodies_arrive_whole_whether_their_length_is_announced_or_not(HttpClient.Version version) throws Exception {
        byte[] body = "\u00e4{\"a\": 1}\0\r\n".repeat(20_000).getBytes(StandardCharsets.UTF_8);
        try (RunningServer server = start();
                HttpClient client = client(version)) {
            assertThat(client.send(server.request(at("/quick")).build(), HttpResponse.BodyHandlers.discarding())
                            .version())
                    .isEqualTo(version);
            for (var publisher : List.of(
                    HttpRequest.BodyPublishers.ofByteArray(body),
                    HttpRequest.BodyPublishers.ofByteArrays(List.of(body)))) {
                HttpResponse<byte[]> answer = client.send(
                        server.request(at("/echo")).POST(publisher).build(), HttpResponse.BodyHandlers.ofByteArray());
                assertThat(answer.statusCode()).isEqualTo(200);
                assertThat(answer.body()).isEqualTo(body);
            }
        }
    }

    @Test
    void chunks_are_put_together_and_their_trailers_left_out() throws Exception {
        try (RunningServer server = start()) {
            String answer = server.raw(line("POST", "/object")
                    + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                    + "3;x=y\r\n{\"a\r\n3\r\n\":1\r\n1\r\n}\r\n0\r\nX-Trailer: z\r\n\r\n");
            assertThat(answer).startsWith("HTTP/1.1 200").contains("{\"a\":1}");
        }
    }

    @Test
    void a_chunked_body_beyond_the_limit_is_a_413() throws Exception {
        try (RunningServer server = start()) {
            String answer = server.raw(line("POST", "/object")
                    + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                    + "80\r\n" + "x".repeat(128) + "\r\n0\r\n\r\n");
            assertThat(answer).startsWith("HTTP/1.1 413");
        }
    }

    @Test
    void a_body_that_ends_early_is_no_body() throws Exception {
        try (RunningServer server = start()) {
            String answer = server.raw(line("POST", "/echo") + "Content-Length: 100\r\n\r\nabc");
            assertThat(answer).doesNotContain("HTTP/1.1 200");
        }
    }

    /** The client sends on when the answer is there; a reset would make it throw the answer away. */
    @Test
    void a_refused_request_is_answered_although_most_of_its_body_is_still_to_come() throws Exception {
        byte[] body = new byte[1_500_000];
        try (RunningServer server = start()) {
            for (int i = 0; i < 20; i++) {
                HttpRequest upload = server.request(at("/nowhere"))
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                        .build();
                assertThat(server.client()
                                .send(upload, HttpResponse.BodyHandlers.ofString())
                                .statusCode())
                        .isEqualTo(404);
            }
        }
    }
}
