package dev.holdfast.mcp.streamable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.access.Action;
import dev.holdfast.access.ApiKeys;
import dev.holdfast.access.Authorizer;
import dev.holdfast.access.Resource;
import dev.holdfast.error.HoldfastException.NotAuthorized;
import dev.holdfast.http.Trust;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What one principal or session can learn of another: nothing. */
@Timeout(60)
final class IsolationTest {

    private static final String ALICE = "alice-key-123";
    private static final String BOB = "bob-key-12345";

    @TempDir
    private Path folder;

    private static Trust keys(String tenant) {
        return new Trust(tenant, ApiKeys.of(tenant, List.of(ALICE, BOB)), Set.of(), Set.of());
    }

    @Test
    void to_another_principal_a_session_does_not_exist_in_memory_or_not() throws Exception {
        String session;
        String event;
        try (Site site = new Site(folder, new Site.Plan().trust(keys("default")));
                Client alice = new Client(site.url(), ALICE);
                Client bob = new Client(site.url(), BOB)) {
            alice.initialize(Client.NEWEST);
            session = alice.session();
            try (Sse stream = alice.call(1, "echo", "{\"text\":\"secret\"}")) {
                stream.rest();
                event = stream.lastId();
            }
            assertUnknown(bob.session(session), event);
        }
        try (Site site = new Site(folder, new Site.Plan().trust(keys("default")));
                Client bob = new Client(site.url(), BOB);
                Client alice = new Client(site.url(), ALICE)) {
            assertUnknown(bob.session(session), event);
            try (Sse stream = alice.session(session).get(event)) {
                assertThat(stream.status()).isEqualTo(200);
            }
        }
    }

    private static void assertUnknown(Client client, String event) throws Exception {
        for (Sse answer : List.of(
                client.call(1, "echo", "{\"text\":\"x\"}"),
                client.get(null),
                client.get(event),
                client.send(client.request().DELETE()))) {
            try (answer) {
                assertThat(answer.status()).isEqualTo(404);
                assertThat(Client.reason(answer.json())).isEqualTo("session-not-found");
            }
        }
    }

    @Test
    void the_authorizer_is_asked_at_each_attach_and_what_it_refuses_is_a_403() throws Exception {
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        Set<Action> refused = java.util.concurrent.ConcurrentHashMap.newKeySet();
        Authorizer authorizer = (principal, action, resource) -> {
            asked.add(action + " " + ((Resource.OneStream) resource).name());
            if (refused.contains(action)) {
                throw new NotAuthorized("not you");
            }
        };
        try (Site site = new Site(folder, new Site.Plan().transport(builder -> builder.authorizer(authorizer)));
                Client client = Client.of(site)) {
            String prefix = "mcp/" + client.session() + "/";
            String event;
            try (Sse stream = client.call(1, "echo", "{\"text\":\"x\"}")) {
                stream.rest();
                event = stream.lastId();
            }
            client.get(event).close();
            client.get(null).close();
            assertThat(asked).hasSize(5);
            assertThat(asked.get(0)).isEqualTo("WRITE " + prefix + "standalone"); // initialize
            assertThat(asked.get(1)).isEqualTo("WRITE " + prefix + "standalone"); // notifications/initialized
            assertThat(asked.get(2)).startsWith("WRITE " + prefix);
            assertThat(asked.get(3)).isEqualTo(asked.get(2).replace("WRITE", "READ"));
            assertThat(asked.get(4)).isEqualTo("READ " + prefix + "standalone");

            refused.addAll(List.of(Action.values()));
            for (Sse answer : List.of(
                    client.call(1, "script", "{\"name\":\"a\"}"),
                    client.get(null),
                    client.get(event),
                    client.send(client.request().DELETE()))) {
                try (answer) {
                    assertThat(answer.status()).isEqualTo(403);
                    assertThat(Client.reason(answer.json())).isEqualTo("not-authorized");
                }
            }
            assertThat(site.calls()).isZero();
        }
    }

    @Test
    void a_principal_of_another_tenant_is_refused() throws Exception {
        try (Site site = new Site(folder, new Site.Plan().trust(keys("other")));
                Client client = new Client(site.url(), ALICE);
                Sse answer = client.post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}")) {
            assertThat(answer.status()).isEqualTo(403);
            assertThat(Client.reason(answer.json())).isEqualTo("wrong-tenant");
        }
    }
}
