package dev.holdfast.examples.mcp.documents;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * One document.
 *
 * @param name its path in the folder, with slashes
 * @param bytes its size
 */
record Document(String name, long bytes) {

    private static final String SCHEME = "document:///";

    /** The URIs of documents; the name is one segment, so its slashes are escaped. */
    static final String TEMPLATE = SCHEME + "{name}";

    String uri() {
        return SCHEME + URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /**
     * @throws NoDocument if no document can have this URI
     */
    static String nameIn(String uri) {
        if (!uri.startsWith(SCHEME)) {
            throw new NoDocument(uri);
        }
        try {
            return URLDecoder.decode(uri.substring(SCHEME.length()).replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new NoDocument(uri);
        }
    }

    String type() {
        return name.endsWith(".md") ? "text/markdown" : "text/plain";
    }
}
