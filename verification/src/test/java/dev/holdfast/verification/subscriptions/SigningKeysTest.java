package dev.holdfast.verification.subscriptions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.durablestreams.subscriptions.SubscriptionLimits;
import dev.holdfast.verification.rig.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The key that signs webhooks is replaced without a moment in which the published keys do not do. */
final class SigningKeysTest {

    private static final int LEASE = 60_000;
    private static final Duration AGE = Duration.ofDays(90);

    @TempDir
    Path folder;

    private final ManualClock clock = new ManualClock();
    private Service service;
    private Receiver receiver;
    private int wakes;

    @BeforeEach
    void open() {
        service = new Service(folder, clock);
        receiver = new Receiver(wake -> Receiver.Reply.DONE);
    }

    @AfterEach
    void close() {
        service.close();
        receiver.close();
    }

    private void reopen(Duration keyAge) {
        service.close();
        service = new Service(folder, clock, settings -> settings.withKeyAge(keyAge));
    }

    private List<String> published() {
        List<String> kids = new ArrayList<>();
        jwks().path("keys").forEach(key -> kids.add(key.path("kid").stringValue()));
        return kids;
    }

    private JsonNode jwks() {
        return service.send("GET", "/__ds/jwks.json", "", "").body();
    }

    private String signing() {
        return service.get("sub")
                .body()
                .path("webhook")
                .path("signing")
                .path("kid")
                .stringValue();
    }

    private Service.Reply rotate(String body) {
        return service.send("POST", "/__ds/keys/rotate", "", body);
    }

    /** Makes something new and returns the webhook that tells of it. */
    private Receiver.Wake wake() {
        service.create("events/" + wakes, 1);
        Receiver.Wake wake = receiver.wake(wakes);
        String stream = "events/" + wakes;
        service.until("sub", reply -> reply.acked(stream).equals(Service.offset(1)));
        wakes++;
        return wake;
    }

    private static String kid(Receiver.Wake wake) {
        return wake.signature().replaceAll(".*kid=([^,]+),.*", "$1");
    }

    @Test
    void a_new_key_is_published_before_it_signs_and_the_old_one_after_it_signed_last() {
        service.webhook("sub", "events/*", receiver, LEASE);
        Receiver.Wake byOld = wake();
        String old = kid(byOld);

        Service.Reply rotated = rotate("");
        String next = rotated.body().path("kid").stringValue();

        assertThat(rotated.status()).isEqualTo(200);
        assertThat(Instant.parse(rotated.body().path("signs_from").stringValue()))
                .isEqualTo(Instant.ofEpochMilli(clock.wallMillis()).plus(SubscriptionLimits.KEY_PUBLISHED_BEFORE));
        assertThat(published()).containsExactly(old, next);
        assertThat(rotate("{}").body()).as("one that waits is the replacement").isEqualTo(rotated.body());
        clock.advance(SubscriptionLimits.KEY_PUBLISHED_BEFORE.minusMillis(1));
        assertThat(signing()).isEqualTo(old);
        JsonNode cached = jwks();
        clock.advance(Duration.ofMillis(1));
        Receiver.Wake byNext = wake();
        assertThat(kid(byNext)).isEqualTo(next).isEqualTo(signing());
        assertThat(Signatures.valid(byNext, cached))
                .as("by keys that a cache kept")
                .isTrue();
        clock.advance(SubscriptionLimits.KEY_PUBLISHED_AFTER.minusMillis(1));
        assertThat(Signatures.valid(byOld, jwks())).isTrue();
        clock.advance(Duration.ofMillis(1));
        assertThat(published()).containsExactly(next);
    }

    @Test
    void keys_and_their_times_outlive_a_restart() {
        service.webhook("sub", "events/*", receiver, LEASE);
        String old = kid(wake());
        String next = rotate("").body().path("kid").stringValue();

        reopen(Duration.ZERO);
        assertThat(published()).containsExactly(old, next);
        assertThat(kid(wake())).isEqualTo(old);
        clock.advance(SubscriptionLimits.KEY_PUBLISHED_BEFORE);
        reopen(Duration.ZERO);
        assertThat(kid(wake())).isEqualTo(next);
    }

    @Test
    void a_revoked_key_neither_signs_nor_is_published_any_more() {
        service.webhook("sub", "events/*", receiver, LEASE);
        Receiver.Wake leaked = wake();
        rotate("");

        String next = rotate("{\"revoke\":true}").body().path("kid").stringValue();

        assertThat(published()).containsExactly(next);
        assertThat(Signatures.valid(leaked, jwks())).isFalse();
        Receiver.Wake after = wake();
        assertThat(kid(after)).isEqualTo(next);
        assertThat(Signatures.valid(after, jwks())).isTrue();
    }

    @Test
    void a_key_is_replaced_at_its_age_by_whoever_asks_first() {
        reopen(AGE);
        service.webhook("sub", "events/*", receiver, LEASE);
        String first = kid(wake());
        clock.advance(AGE.minusHours(1));
        assertThat(published()).containsExactly(first);
        clock.advance(Duration.ofHours(1));

        assertThat(kid(wake())).as("the new one is not known to caches yet").isEqualTo(first);
        assertThat(published()).hasSize(2);
        clock.advance(SubscriptionLimits.KEY_PUBLISHED_BEFORE);
        Receiver.Wake byNext = wake();
        assertThat(kid(byNext)).isNotEqualTo(first);
        assertThat(Signatures.valid(byNext, jwks())).isTrue();
    }

    @Test
    void only_so_many_keys_are_published_at_once() {
        for (int i = 1; i < SubscriptionLimits.MAX_SIGNING_KEYS; i++) {
            assertThat(rotate("").status()).isEqualTo(200);
            clock.advance(SubscriptionLimits.KEY_PUBLISHED_BEFORE);
        }
        assertThat(published()).hasSize(SubscriptionLimits.MAX_SIGNING_KEYS);
        assertThat(rotate("").code()).isEqualTo("LIMIT_EXCEEDED");
        clock.advance(SubscriptionLimits.KEY_PUBLISHED_AFTER);
        assertThat(rotate("").status()).isEqualTo(200);
        assertThat(published()).hasSize(2);
    }

    @Test
    void a_page_of_another_origin_and_a_request_that_makes_no_sense_change_nothing() {
        List<String> before = published();
        assertThat(service.fromPage("https://evil.example", "POST", "/__ds/keys/rotate", "{}"))
                .isEqualTo(403);
        assertThat(rotate("{\"revoke\":\"yes\"}").code()).isEqualTo("INVALID_REQUEST");
        assertThat(service.send("GET", "/__ds/keys/rotate", "", "").status()).isEqualTo(405);
        assertThat(published()).isEqualTo(before);
    }
}
