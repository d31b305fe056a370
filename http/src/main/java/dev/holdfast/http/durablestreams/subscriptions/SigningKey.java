package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.http.Json;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import tools.jackson.databind.node.ObjectNode;

/**
 * An Ed25519 key that signs webhooks. Its id is derived from the public key, so that the same key has the same id for ever. The private key
 * never leaves this class but for {@link #encoded()}, which the store keeps. Immutable.
 */
final class SigningKey {

    private static final String ALGORITHM = "Ed25519";
    private static final int PUBLIC_KEY_BYTES = 32;
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    private final PrivateKey privateKey;
    private final byte[] publicKey;
    private final String id;

    private SigningKey(PrivateKey privateKey, byte[] publicKey) {
        this.privateKey = privateKey;
        this.publicKey = publicKey;
        this.id = "ds_" + BASE64.encodeToString(SubscriptionTable.sha256().digest(thumbprint(publicKey)));
    }

    /** A new one. */
    static SigningKey generate() {
        try {
            KeyPair pair = KeyPairGenerator.getInstance(ALGORITHM).generateKeyPair();
            byte[] x509 = pair.getPublic().getEncoded(); // ends with the key as RFC 8032 writes it
            byte[] raw = Arrays.copyOfRange(x509, x509.length - PUBLIC_KEY_BYTES, x509.length);
            return new SigningKey(pair.getPrivate(), raw);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This Java runtime has no Ed25519", e);
        }
    }

    /** The public key, then the private one, for the store. */
    byte[] encoded() {
        byte[] pkcs8 = privateKey.getEncoded();
        byte[] both = Arrays.copyOf(publicKey, publicKey.length + pkcs8.length);
        System.arraycopy(pkcs8, 0, both, publicKey.length, pkcs8.length);
        return both;
    }

    static SigningKey decoded(byte[] encoded) {
        try {
            byte[] raw = Arrays.copyOf(encoded, PUBLIC_KEY_BYTES);
            byte[] pkcs8 = Arrays.copyOfRange(encoded, PUBLIC_KEY_BYTES, encoded.length);
            PrivateKey key = KeyFactory.getInstance(ALGORITHM).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            return new SigningKey(key, raw);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("The stored signing key of webhooks is no Ed25519 key", e);
        }
    }

    /** Its {@code kid}. */
    String id() {
        return id;
    }

    /**
     * The value of {@code Webhook-Signature} for a body.
     *
     * @param seconds now, since 1970
     */
    String sign(long seconds, byte[] body) {
        try {
            Signature signature = Signature.getInstance(ALGORITHM);
            signature.initSign(privateKey);
            signature.update((seconds + ".").getBytes(StandardCharsets.US_ASCII));
            signature.update(body);
            return "t=%d,kid=%s,ed25519=%s".formatted(seconds, id, BASE64.encodeToString(signature.sign()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Signing with a good key does not fail", e);
        }
    }

    /** The public key as a JWK. */
    ObjectNode jwk() {
        ObjectNode key = Json.MAPPER.createObjectNode();
        key.put("kty", "OKP");
        key.put("crv", ALGORITHM);
        key.put("x", BASE64.encodeToString(publicKey));
        key.put("kid", id);
        key.put("use", "sig");
        key.put("alg", "EdDSA");
        return key;
    }

    /** What RFC 7638 and RFC 8037 hash to name a key. */
    private static byte[] thumbprint(byte[] publicKey) {
        return "{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"%s\"}"
                .formatted(BASE64.encodeToString(publicKey))
                .getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public String toString() {
        return id;
    }
}
