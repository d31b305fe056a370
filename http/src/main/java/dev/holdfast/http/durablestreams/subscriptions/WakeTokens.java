package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.http.Json;
import dev.holdfast.http.durablestreams.subscriptions.SubscriptionProblem.Code;
import dev.holdfast.store.Time;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The bearer tokens of wakes: signed by the server (HMAC-SHA256), good for one wake of one subscription and for a limited time. They outlive
 * a restart, since the secret does. That a token is genuine does not make its wake the current one; the state decides that. Thread-safe.
 */
final class WakeTokens {

    static final int SECRET_BYTES = 32;

    /**
     * What a token says.
     *
     * @param key of the subscription
     * @param beginnings the links that its holder may have been told of: as many as had begun by then
     * @param expiresAt ms since 1970
     */
    record Claims(String id, String key, long generation, long beginnings, long expiresAt) {}

    private static final String ALGORITHM = "HmacSHA256";
    private static final int MAX_TOKEN_CHARS = 1024;
    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

    private final SecretKeySpec secret;
    private final Time time;

    WakeTokens(byte[] secret, Time time) {
        this.secret = new SecretKeySpec(secret, ALGORITHM);
        this.time = time;
    }

    String issue(Definition subscription, long generation, long beginnings) {
        ObjectNode claims = Json.MAPPER.createObjectNode();
        claims.put("sub", subscription.id());
        claims.put("key", subscription.key());
        claims.put("generation", generation);
        claims.put("beginnings", beginnings);
        claims.put("exp", time.wallMillis() + SubscriptionLimits.TOKEN_LIFE.toMillis());
        String payload = ENCODER.encodeToString(Json.MAPPER.writeValueAsBytes(claims));
        return payload + "." + ENCODER.encodeToString(mac(payload));
    }

    /**
     * What a token says.
     *
     * @param id the subscription that it must be for
     * @throws SubscriptionProblem if it is not genuine, of another subscription, or expired
     */
    Claims check(String token, String id) {
        int dot = token.indexOf('.');
        if (dot < 0 || token.length() > MAX_TOKEN_CHARS || !isGenuine(token, dot)) {
            throw invalid();
        }
        Claims claims = claims(token.substring(0, dot));
        if (!claims.id().equals(id)) {
            throw invalid();
        }
        if (claims.expiresAt() <= time.wallMillis()) {
            throw new SubscriptionProblem(Code.TOKEN_EXPIRED, "The token expired. Wait for the next wake.");
        }
        return claims;
    }

    /** Whether so much of its life is over that it is time for another. */
    boolean isAging(Claims claims) {
        return claims.expiresAt() - time.wallMillis() < SubscriptionLimits.TOKEN_LIFE.toMillis() / 2;
    }

    private boolean isGenuine(String token, int dot) {
        try {
            byte[] given = Base64.getUrlDecoder().decode(token.substring(dot + 1));
            return MessageDigest.isEqual(given, mac(token.substring(0, dot)));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static Claims claims(String payload) {
        try {
            JsonNode node = Json.MAPPER.readTree(Base64.getUrlDecoder().decode(payload));
            return new Claims(
                    node.path("sub").asString(""),
                    node.path("key").asString(""),
                    node.path("generation").longValue(),
                    node.path("beginnings").longValue(),
                    node.path("exp").longValue());
        } catch (JacksonException | IllegalArgumentException e) {
            throw invalid();
        }
    }

    private byte[] mac(String payload) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(secret);
            return mac.doFinal(payload.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime has HmacSHA256", e);
        }
    }

    private static SubscriptionProblem invalid() {
        return new SubscriptionProblem(
                Code.TOKEN_INVALID, "The token is none of this subscription. Send the one that came with the wake.");
    }
}
