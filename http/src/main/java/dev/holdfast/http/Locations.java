package dev.holdfast.http;

/**
 * The absolute address of what a request named, as its client sees it.
 *
 * @param proxy what a proxy in between says of it
 */
public record Locations(ProxyHeaders proxy) {

    private static final int MAX_HOST_CHARS = 255 + 6;

    /** The address of the request itself, without its query. */
    public String of(RequestHead head) {
        return root(head) + head.rawPath();
    }

    /** What stands before the path of a request, without a slash at its end. */
    public String root(RequestHead head) {
        String forwarded = proxy.host(head);
        String host = forwarded != null && isHost(forwarded) ? forwarded : head.value("Host");
        return scheme(head) + "://" + (host == null ? "localhost" : host) + head.mount();
    }

    private String scheme(RequestHead head) {
        String forwarded = proxy.proto(head);
        if ("https".equalsIgnoreCase(forwarded)) {
            return "https";
        }
        return "http".equalsIgnoreCase(forwarded) ? "http" : head.scheme();
    }

    /** Whether it is a host name or address with or without a port, and nothing that could be more. */
    private static boolean isHost(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean name = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            if (!name && ".-:[]".indexOf(c) < 0) {
                return false;
            }
        }
        return !text.isEmpty() && text.length() <= MAX_HOST_CHARS;
    }
}
