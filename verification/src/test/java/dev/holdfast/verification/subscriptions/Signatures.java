package dev.holdfast.verification.subscriptions;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Checks a webhook's signature as a receiver would: by the public key that the server publishes. */
final class Signatures {

    private static final Pattern FORM = Pattern.compile("t=(\\d+),kid=([^,]+),ed25519=([A-Za-z0-9_-]+)");

    /** What stands before the 32 bytes of a key in its X.509 form. */
    private static final String X509_PREFIX = "302a300506032b6570032100";

    private Signatures() {}

    static boolean valid(Receiver.Wake wake, JsonNode jwks) {
        Matcher form = FORM.matcher(wake.signature());
        if (!form.matches()) {
            return false;
        }
        for (JsonNode key : jwks.path("keys")) {
            if (key.path("kid").stringValue().equals(form.group(2))) {
                return valid(key.path("x").stringValue(), form.group(1) + "." + wake.rawBody(), form.group(3));
            }
        }
        return false;
    }

    private static boolean valid(String x, String signed, String signature) {
        try {
            byte[] raw = Base64.getUrlDecoder().decode(x);
            byte[] x509 = HexFormat.of().parseHex(X509_PREFIX + HexFormat.of().formatHex(raw));
            PublicKey key = KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(x509));
            Signature verifier = Signature.getInstance("Ed25519");
            verifier.initVerify(key);
            verifier.update(signed.getBytes(StandardCharsets.UTF_8));
            return verifier.verify(Base64.getUrlDecoder().decode(signature));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }
}
