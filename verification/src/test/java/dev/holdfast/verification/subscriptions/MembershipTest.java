package dev.holdfast.verification.subscriptions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.durablestreams.subscriptions.SubscriptionLimits;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which streams a subscription follows, and how it is created, confirmed and refused. */
final class MembershipTest {

    private static final int LEASE = 60_000;

    @TempDir
    Path folder;

    private Service service;

    @BeforeEach
    void open() {
        service = new Service(folder);
        service.create("wake/pool", 0);
    }

    @AfterEach
    void close() {
        service.close();
    }

    private static final String PULL = """
            {"type":"pull-wake","pattern":"events/*","wake_stream":"wake/pool"%s}""";

    @Test
    void the_same_configuration_confirms_and_another_conflicts() {
        assertThat(service.put("sub", PULL.formatted(",\"description\":\"d\"")).status())
                .isEqualTo(201);
        assertThat(service.put("sub", PULL.formatted(",\"description\":\"d\"")).status())
                .isEqualTo(200);
        assertThat(service.put("sub", PULL.formatted(",\"lease_ttl_ms\":30000,\"description\":\"d\""))
                        .status())
                .as("the default spelled out, and slashes at the ends")
                .isEqualTo(200);
        assertThat(service.put("sub", PULL.formatted(",\"description\":\"d\"").replace("events/*", "/events/*/"))
                        .status())
                .isEqualTo(200);
        for (String other : List.of(
                "", ",\"description\":\"e\"", ",\"lease_ttl_ms\":5000", ",\"description\":\"d\",\"streams\":[\"x\"]")) {
            Service.Reply reply = service.put("sub", PULL.formatted(other));
            assertThat(reply.status()).as(other).isEqualTo(409);
            assertThat(reply.code()).isEqualTo("SUBSCRIPTION_ALREADY_EXISTS");
        }
        Service.Reply shown = service.get("sub");
        assertThat(shown.body().path("type").stringValue()).isEqualTo("pull-wake");
        assertThat(shown.body().path("pattern").stringValue()).isEqualTo("events/*");
        assertThat(shown.body().path("wake_stream").stringValue()).isEqualTo("wake/pool");
        assertThat(shown.body().path("lease_ttl_ms").intValue()).isEqualTo(30_000);
        assertThat(shown.body().path("status").stringValue()).isEqualTo("active");
        assertThat(shown.body().path("description").stringValue()).isEqualTo("d");
        assertThat(shown.body().path("webhook").isNull()).isTrue();
    }

    @Test
    void streams_that_there_are_begin_at_their_tails_and_new_ones_at_their_beginnings() {
        service.create("events/old", 3);
        service.create("other/old", 3);
        service.pull("sub", "events/*", "wake/pool", LEASE);

        service.create("events/new", 2);
        service.create("events/deeper/new", 2);
        Service.Reply claim = service.claim("sub", "worker");

        assertThat(service.get("sub").body().path("streams")).hasSize(2);
        assertThat(claim.stream("events/old").path("acked_offset").stringValue())
                .isEqualTo(Service.offset(3));
        assertThat(claim.stream("events/old").path("has_pending").booleanValue())
                .isFalse();
        assertThat(claim.stream("events/new").path("acked_offset").stringValue())
                .isEqualTo(Service.offset(0));
        assertThat(claim.stream("events/new").path("tail_offset").stringValue()).isEqualTo(Service.offset(2));
        assertThat(claim.stream("events/new").path("link_type").stringValue()).isEqualTo("glob");
    }

    @Test
    void streams_asked_for_by_name_begin_at_their_tails_and_may_be_taken_back() {
        service.create("manual/a", 2);
        service.put("sub", """
                {"type":"pull-wake","streams":["manual/a"],"wake_stream":"wake/pool"}""");

        assertThat(service.post("sub", "streams", "", "{\"streams\":[\"manual/b\",\"/manual/a\"]}")
                        .status())
                .isEqualTo(204);
        assertThat(service.get("sub").acked("manual/a")).isEqualTo(Service.offset(2));
        assertThat(service.get("sub").acked("manual/b")).isEqualTo(Service.offset(0));
        service.create("manual/b", 1);
        assertThat(service.claim("sub", "worker").stream("manual/b")
                        .path("has_pending")
                        .booleanValue())
                .isTrue();
        for (int twice = 0; twice < 2; twice++) {
            assertThat(service.send("DELETE", "/__ds/subscriptions/sub/streams/manual%2Fb", "", "")
                            .status())
                    .isEqualTo(204);
        }
        assertThat(service.send("DELETE", "/__ds/subscriptions/sub/streams/manual/a", "", "")
                        .status())
                .isEqualTo(204);
        assertThat(service.get("sub").body().path("streams")).isEmpty();
        service.append("manual/a", 1);
        assertThat(service.get("sub").body().path("streams")).isEmpty();
    }

    @Test
    void a_webhook_follows_streams_by_name_as_well() {
        try (Receiver receiver = new Receiver(wake -> Receiver.Reply.DONE)) {
            service.put("sub", """
                    {"type":"webhook","streams":["manual/a"],"webhook":{"url":"%s"}}""".formatted(receiver.url()));
            service.post("sub", "streams", "", "{\"streams\":[\"manual/b\"]}");
            service.create("manual/b", 1);

            assertThat(receiver.wake(0).tail("manual/b")).isEqualTo(Service.offset(1));
        }
    }

    @Test
    void a_stream_linked_both_ways_is_explicit_and_stays_by_its_pattern() {
        service.create("events/a", 1);
        service.put("sub", """
                {"type":"pull-wake","pattern":"events/*","streams":["events/a"],"wake_stream":"wake/pool"}""");

        assertThat(service.get("sub").stream("events/a").path("link_type").stringValue())
                .isEqualTo("explicit");
        service.send("DELETE", "/__ds/subscriptions/sub/streams/events/a", "", "");
        assertThat(service.get("sub").stream("events/a").path("link_type").stringValue())
                .isEqualTo("glob");
        assertThat(service.get("sub").acked("events/a")).isEqualTo(Service.offset(1));
    }

    @Test
    void a_stream_made_anew_under_its_name_begins_at_its_beginning() {
        service.put("sub", """
                {"type":"pull-wake","pattern":"events/*","streams":["manual/a"],"wake_stream":"wake/pool"}""");
        service.create("events/a", 3);
        service.create("manual/a", 3);
        Service.Reply claim = service.claim("sub", "worker");
        String acks = Service.ack("events/a", 3)
                .replace("]", ",{\"stream\":\"manual/a\",\"offset\":\"" + Service.offset(3) + "\"}]");
        assertThat(service.worker("sub", "ack", claim, acks + ",\"done\":true").status())
                .isEqualTo(200);

        service.streams().delete("events/a");
        service.streams().delete("manual/a");
        assertThat(service.get("sub").body().path("streams")).hasSize(1);
        assertThat(service.get("sub").acked("manual/a")).isEqualTo(Service.offset(0));
        service.create("events/a", 2);
        service.create("manual/a", 2);
        Service.Reply next = service.claim("sub", "worker");

        assertThat(next.stream("events/a").path("acked_offset").stringValue()).isEqualTo(Service.offset(0));
        assertThat(next.stream("events/a").path("tail_offset").stringValue()).isEqualTo(Service.offset(2));
        assertThat(next.stream("manual/a").path("acked_offset").stringValue()).isEqualTo(Service.offset(0));
        assertThat(next.stream("manual/a").path("link_type").stringValue()).isEqualTo("explicit");
    }

    @Test
    void streams_of_turns_are_not_followed() {
        service.pull("sub", "**", "wake/pool", LEASE);
        service.create("turn/secret", 1);

        assertThat(service.claim("sub", "worker").code()).isEqualTo("NO_PENDING_WORK");
        assertThat(service.get("sub").body().path("streams")).isEmpty();
    }

    @Test
    void more_streams_than_one_wake_tells_come_with_the_next_wakes() {
        int many = SubscriptionLimits.MAX_STREAMS_PER_WAKE + 10;
        service.pull("sub", "events/*", "wake/pool", LEASE);
        IntStream.range(0, many).forEach(i -> service.create("events/" + i, 1));

        Service.Reply first = service.claim("sub", "worker");
        assertThat(first.body().path("streams")).hasSize(SubscriptionLimits.MAX_STREAMS_PER_WAKE);
        String acks = IntStream.range(0, SubscriptionLimits.MAX_STREAMS_PER_WAKE)
                .mapToObj(i -> first.body().path("streams").get(i).path("path").stringValue())
                .map(path -> "{\"stream\":\"%s\",\"offset\":\"%s\"}".formatted(path, Service.offset(1)))
                .collect(Collectors.joining(","));
        Service.Reply done = service.worker("sub", "ack", first, "\"acks\":[" + acks + "],\"done\":true");
        Service.Reply second = service.claim("sub", "worker");

        assertThat(done.body().path("next_wake").booleanValue()).isTrue();
        assertThat(IntStream.range(0, 10)
                        .allMatch(i -> second.body()
                                .path("streams")
                                .get(i)
                                .path("has_pending")
                                .booleanValue()))
                .isTrue();
        assertThat(service.get("sub").body().path("streams")).hasSize(many);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "{}",
                "{\"type\":\"mail\",\"pattern\":\"a\"}",
                "{\"type\":\"pull-wake\",\"wake_stream\":\"w\"}",
                "{\"type\":\"pull-wake\",\"pattern\":\"a\"}",
                "{\"type\":\"pull-wake\",\"pattern\":7,\"wake_stream\":\"w\"}",
                "{\"type\":\"pull-wake\",\"pattern\":\"a//b\",\"wake_stream\":\"w\"}",
                "{\"type\":\"pull-wake\",\"pattern\":\"a/../b\",\"wake_stream\":\"w\"}",
                "{\"type\":\"pull-wake\",\"pattern\":\"__ds/x\",\"wake_stream\":\"w\"}",
                "{\"type\":\"pull-wake\",\"streams\":[],\"wake_stream\":\"w\"}",
                "{\"type\":\"pull-wake\",\"streams\":[7],\"wake_stream\":\"w\"}",
                "{\"type\":\"pull-wake\",\"streams\":\"a\",\"wake_stream\":\"w\"}",
                "{\"type\":\"pull-wake\",\"streams\":[\"a\\u0000\"],\"wake_stream\":\"w\"}",
                "{\"type\":\"pull-wake\",\"streams\":[\"w\"],\"wake_stream\":\"w\"}",
                "{\"type\":\"pull-wake\",\"streams\":[\"turn/x\"],\"wake_stream\":\"w\"}",
                "{\"type\":\"pull-wake\",\"pattern\":\"a\",\"wake_stream\":\"__ds/x\"}",
                "{\"type\":\"pull-wake\",\"pattern\":\"a\",\"wake_stream\":\"w\",\"lease_ttl_ms\":999}",
                "{\"type\":\"pull-wake\",\"pattern\":\"a\",\"wake_stream\":\"w\",\"lease_ttl_ms\":600001}",
                "{\"type\":\"pull-wake\",\"pattern\":\"a\",\"wake_stream\":\"w\",\"lease_ttl_ms\":1000.5}",
                "{\"type\":\"pull-wake\",\"pattern\":\"a\",\"wake_stream\":\"w\",\"lease_ttl_ms\":\"1000\"}",
                "{\"type\":\"webhook\",\"pattern\":\"a\"}",
                "{\"type\":\"webhook\",\"pattern\":\"a\",\"webhook\":{}}",
                "{\"type\":\"webhook\",\"pattern\":\"a\",\"webhook\":{\"url\":7}}"
            })
    void a_request_that_makes_no_sense_is_told_so(String body) {
        Service.Reply reply = service.put("sub", body);

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.code()).isEqualTo("INVALID_REQUEST");
        assertThat(reply.body().path("error").path("message").stringValue()).isNotEmpty();
        assertThat(service.get("sub").status()).isEqualTo(404);
    }

    @Test
    void pages_of_other_origins_may_read_the_public_key_and_nothing_else() {
        assertThat(service.fromPage("https://evil.example", "GET", "/__ds/jwks.json", ""))
                .isEqualTo(200);
        assertThat(service.fromPage("https://evil.example", "GET", "/wake/pool", ""))
                .isEqualTo(200);
        assertThat(service.fromPage("https://evil.example", "PUT", "/__ds/subscriptions/sub", PULL.formatted("")))
                .isEqualTo(403);
        assertThat(service.fromPage("https://evil.example", "OPTIONS", "/__ds/subscriptions/sub", ""))
                .isEqualTo(403);
        assertThat(service.fromPage("https://evil.example", "PUT", "/%5F%5Fds/subscriptions/sub", PULL.formatted("")))
                .isGreaterThanOrEqualTo(400);
        assertThat(service.get("sub").status()).isEqualTo(404);
    }

    @Test
    void what_is_too_large_is_refused() {
        String streams = IntStream.rangeClosed(0, SubscriptionLimits.MAX_STREAMS_PER_REQUEST)
                .mapToObj(i -> "\"s" + i + "\"")
                .collect(Collectors.joining(","));
        assertThat(service.put("sub", PULL.formatted(",\"streams\":[" + streams + "]"))
                        .status())
                .isEqualTo(400);
        assertThat(service.put(
                                "sub",
                                PULL.replace("events/*", "a/".repeat(200) + "b").formatted(""))
                        .status())
                .isEqualTo(400);
        assertThat(service.put("sub", PULL.formatted(",\"description\":\"" + "d".repeat(5000) + "\""))
                        .status())
                .isEqualTo(400);
        assertThat(service.put("i".repeat(129), PULL.formatted("")).status()).isEqualTo(400);
        assertThat(service.put("sub", " ".repeat(300_000)).status()).isEqualTo(413);
        assertThat(service.put("sub", PULL.formatted("")).status()).isEqualTo(201);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://10.0.0.1/hook",
                "http://example.com/hook",
                "https://10.0.0.1/hook",
                "https://127.0.0.1/hook",
                "https://localhost/hook",
                "https://a.localhost/hook",
                "https://169.254.169.254/latest/meta-data",
                "https://192.168.1.1",
                "https://172.16.0.1",
                "https://100.64.0.1",
                "https://0.0.0.0",
                "https://[::1]/",
                "https://[fd00::1]/",
                "https://[fe80::1]/",
                "https://[::ffff:10.0.0.1]/",
                "https://[64:ff9b::a00:1]/",
                "https://2130706433/",
                "https://0x7f.1/",
                "https://127.1/",
                "https://user:secret@example.com/",
                "ftp://example.com/",
                "file:///etc/passwd",
                "https:///hook",
                "not a url"
            })
    void webhooks_may_not_lead_where_only_this_server_gets(String url) {
        Service.Reply reply = service.put("sub", """
                {"type":"webhook","pattern":"a","webhook":{"url":"%s"}}""".formatted(url));

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.code()).isEqualTo("WEBHOOK_URL_REJECTED");
    }

    @Test
    void public_addresses_over_https_are_fine() {
        for (String url :
                List.of("https://example.com/hook", "https://93.184.216.34:8443/", "https://[2606:4700::1]/")) {
            assertThat(service.put("sub" + url.length(), """
                                    {"type":"webhook","pattern":"none","webhook":{"url":"%s"}}""".formatted(url)).status())
                    .as(url)
                    .isEqualTo(201);
        }
    }
}
