package dev.holdfast.client.transport;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A server, and who comes to it. Immutable; {@link #toString} does not show the key.
 *
 * @param server its address, such as {@code http://127.0.0.1:4437}; below a path where a proxy has it there
 * @param key the API key, where the server wants one
 * @param device names the device, so that a connection that comes back is known to be the same driver: 1 to 64 of {@code A-Z a-z 0-9 _ -}; without it
 *     each connection is a device of its own
 */
public record Endpoint(
        URI server, @Nullable String key, @Nullable String device) {

    private static final Pattern DEVICE = Pattern.compile("[A-Za-z0-9_-]{1,64}");
    private static final Pattern KEY = Pattern.compile("[\\x21-\\x7e]+");
    private static final String PATH = "/api/v1/connect";

    /** @throws IllegalArgumentException if one of them cannot be what it should */
    public Endpoint {
        Objects.requireNonNull(server, "server");
        boolean http = "http".equalsIgnoreCase(server.getScheme()) || "https".equalsIgnoreCase(server.getScheme());
        if (!http || server.getHost() == null || server.getRawQuery() != null || server.getRawFragment() != null) {
            throw new IllegalArgumentException(
                    "\"%s\" is no address of a server; write for example http://127.0.0.1:4437.".formatted(server));
        }
        if (key != null && !KEY.matcher(key).matches()) {
            throw new IllegalArgumentException("An API key consists of visible ASCII characters.");
        }
        if (device != null && !DEVICE.matcher(device).matches()) {
            throw new IllegalArgumentException(
                    "\"%s\" cannot name a device: 1 to 64 letters, digits, _ and - can.".formatted(device));
        }
    }

    /** A server that wants no key. */
    public static Endpoint of(URI server) {
        return new Endpoint(server, null, null);
    }

    /** This one with an API key. */
    public Endpoint withKey(String newKey) {
        return new Endpoint(server, newKey, device);
    }

    /** This one with the name of a device. */
    public Endpoint withDevice(String newDevice) {
        return new Endpoint(server, key, newDevice);
    }

    private String base() {
        String text = server.toString();
        return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    }

    URI connect() {
        return URI.create(base() + PATH + (device == null ? "" : "?device=" + device));
    }

    URI webSocket() {
        return URI.create("ws" + connect().toString().substring("http".length()));
    }

    URI commands(String connection) {
        String segment = URLEncoder.encode(connection, StandardCharsets.UTF_8).replace("+", "%20");
        return URI.create(base() + PATH + "/" + segment);
    }

    /** The header that carries the key. */
    @Nullable
    String authorization() {
        return key == null ? null : "Bearer " + key;
    }

    @Override
    public String toString() {
        return server.toString();
    }
}
