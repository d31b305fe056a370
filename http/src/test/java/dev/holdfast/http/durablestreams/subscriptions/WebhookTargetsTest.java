package dev.holdfast.http.durablestreams.subscriptions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a URL alone does not tell: the addresses behind its name, at each connection. */
final class WebhookTargetsTest {

    private static InetAddress address(String literal) {
        try {
            return InetAddress.getByName(literal);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void a_name_may_not_have_a_single_address_that_is_not_public() throws UnknownHostException {
        WebhookTargets inside = new WebhookTargets(
                LocalWebhooks.ALLOWED, host -> List.of(address("93.184.216.34"), address("10.1.2.3")));
        WebhookTargets outside = new WebhookTargets(LocalWebhooks.ALLOWED, host -> List.of(address("93.184.216.34")));

        assertThatThrownBy(() -> inside.addresses("example.com"))
                .isInstanceOf(UnknownHostException.class)
                .hasMessageContaining("10.1.2.3");
        assertThat(outside.addresses("example.com")).hasSize(1);
    }

    @Test
    void localhost_is_this_machine_or_nothing_and_only_where_it_is_allowed() throws UnknownHostException {
        WebhookTargets lying = new WebhookTargets(LocalWebhooks.ALLOWED, host -> List.of(address("93.184.216.34")));
        WebhookTargets refused = new WebhookTargets(LocalWebhooks.REFUSED, host -> List.of(address("127.0.0.1")));
        WebhookTargets allowed = new WebhookTargets(LocalWebhooks.ALLOWED, host -> List.of(address("127.0.0.1")));

        assertThatThrownBy(() -> lying.addresses("localhost")).isInstanceOf(UnknownHostException.class);
        assertThatThrownBy(() -> refused.addresses("localhost")).isInstanceOf(UnknownHostException.class);
        assertThatThrownBy(() -> refused.check("http://localhost/hook")).isInstanceOf(SubscriptionProblem.class);
        assertThat(allowed.addresses("localhost")).hasSize(1);
        assertThat(allowed.check("http://127.0.0.7:8080/hook")).hasPort(8080);
    }

    /** Whatever the name resolves to a moment later, the connection went to what was checked. */
    @Test
    void a_name_that_resolves_to_something_else_at_the_second_look_gains_nothing() throws Exception {
        AtomicInteger hits = new AtomicInteger();
        HttpServer inside = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        inside.createContext("/", exchange -> {
            hits.incrementAndGet();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        inside.start();
        Queue<String> answers = new ArrayDeque<>(List.of("127.0.0.1", "127.0.0.1"));
        AtomicInteger looks = new AtomicInteger();
        WebhookTargets targets = new WebhookTargets(LocalWebhooks.ALLOWED, host -> {
            looks.incrementAndGet();
            return List.of(address(answers.isEmpty() ? "93.184.216.34" : answers.remove()));
        });
        try (JettyWebhookSender sender = new JettyWebhookSender(targets)) {
            int port = inside.getAddress().getPort();
            URI rebinding = URI.create("http://rebinding.example:" + port + "/");
            URI local = URI.create("http://localhost:" + port + "/");

            assertThatThrownBy(() -> sender.post(rebinding, "s", new byte[0])).isInstanceOf(IOException.class);
            assertThat(hits).hasValue(0);
            assertThat(sender.post(local, "s", new byte[0]).status()).isEqualTo(200);
            assertThat(hits).hasValue(1);
            assertThat(looks).as("one look-up for each connection").hasValue(2);
        } finally {
            inside.stop(0);
        }
    }
}
