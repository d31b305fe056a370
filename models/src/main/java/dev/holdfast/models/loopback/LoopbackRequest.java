package dev.holdfast.models.loopback;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A request that a {@link LoopbackUpstream} got.
 *
 * @param headers by name in lower case
 */
public record LoopbackRequest(
        String method, String path, Map<String, String> query, Map<String, String> headers, String body) {

    private static final Pattern REQUEST_LINE = Pattern.compile("(\\S+) (\\S+) HTTP/1\\.\\d");
    private static final Pattern PAIR = Pattern.compile("([^&=]+)=([^&]*)");
    private static final int MAX_HEAD_BYTES = 64 << 10;
    private static final int MAX_BODY_BYTES = 64 << 20;

    static LoopbackRequest read(InputStream in) throws IOException {
        List<String> lines = head(in).lines().toList();
        Matcher first = REQUEST_LINE.matcher(lines.get(0));
        if (!first.matches()) {
            throw new IOException("not an HTTP request: " + lines.get(0));
        }
        Map<String, String> headers = new HashMap<>();
        for (String line : lines.subList(1, lines.size())) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                headers.put(
                        line.substring(0, colon).toLowerCase(Locale.ROOT),
                        line.substring(colon + 1).strip());
            }
        }
        int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
        if (length > MAX_BODY_BYTES) {
            throw new IOException("a body of " + length + " bytes is too long");
        }
        URI target = URI.create(first.group(2));
        return new LoopbackRequest(
                first.group(1),
                target.getPath(),
                query(Optional.ofNullable(target.getRawQuery()).orElse("")),
                Map.copyOf(headers),
                new String(in.readNBytes(length), StandardCharsets.UTF_8));
    }

    private static String head(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        int ends = 0;
        while (ends < 4) {
            int b = in.read();
            if (b < 0 || head.size() >= MAX_HEAD_BYTES) {
                throw new IOException("the request's head is cut or too long");
            }
            ends = b == (ends % 2 == 0 ? '\r' : '\n') ? ends + 1 : b == '\r' ? 1 : 0;
            head.write(b);
        }
        return head.toString(StandardCharsets.US_ASCII);
    }

    private static Map<String, String> query(String raw) {
        Map<String, String> query = new HashMap<>();
        PAIR.matcher(raw)
                .results()
                .forEach(pair -> query.put(pair.group(1), URLDecoder.decode(pair.group(2), StandardCharsets.UTF_8)));
        return Map.copyOf(query);
    }
}
